//! Errors about scalars that a field does not accept.

use serde_json::Value;

use super::forms::{Schemas, has_type};
use super::words::{either, expected, not_a_scalar, subject, words};
use crate::api::suggest::did_you_mean;
use lossless_yaml::{Kind, NodeRef, Style};

/// Words that YAML readers parse as booleans.
const BOOLEANS: [&str; 6] = ["true", "false", "yes", "no", "on", "off"];

/// The error for a scalar that matches none of a field's forms, with the correction; `None` if one form accepts it
/// according to the schema.
pub(super) fn scalar_mismatch(
    node: NodeRef<'_, '_>,
    name: &str,
    forms: &[&Value],
    schemas: Schemas<'_>,
) -> Option<String> {
    let text = node.text()?;
    let has = |kind: &str| forms.iter().any(|form| has_type(form, kind));
    let words = words(forms);
    let is_plain = node.kind() == Kind::Scalar(Style::Plain);
    let number = node.as_int().filter(|_| is_plain);
    // Free text, or text with its own pattern.
    let is_text =
        |form: &&&Value| has_type(form, "string") && form.get("enum").is_none() && form.get("const").is_none();
    let takes_text = forms.iter().find(is_text);
    if let Some(integer) = forms.iter().find(|form| has_type(form, "integer")) {
        let (least, most) = range(integer);
        let given = number.or_else(|| text.trim().parse().ok().filter(|_| takes_text.is_none()));
        let what = accepted_values(&words, least, most) + if has("array") { ", or a list" } else { "" };
        return match given {
            Some(number) if !(least..=most).contains(&number) => Some(if is_port_maximum(most) {
                format!("`{number}` is not a port: ports are numbers from 1 to 65535")
            } else {
                format!("`{number}` is not possible here: `{name}` takes {what}")
            }),
            Some(_) if number.is_some() => None,
            Some(_) if is_plain && let Some(message) = leading_zero(text) => Some(message),
            Some(number) => Some(format!("`{}` is text: write it without quotes, `{number}`", node.raw())),
            None if words.contains(&text) => None,
            None if let Some(text_form) = takes_text => {
                // Scalars that YAML readers take for no text, in a field such as `reserved`, whose text has a form.
                let has_form = text_form.get("pattern").is_some();
                let is_other = text.parse::<f64>().is_ok() || BOOLEANS.contains(&text);
                let subject = subject(name);
                let other =
                    || format!("`{text}` is not a port: {subject} takes a range such as `20000-29999`, or {what}");
                let wrong = || leading_zero(text).unwrap_or_else(other);
                (is_plain && has_form && is_other).then(wrong)
            }
            None => {
                let meant = did_you_mean(text, &words).map(|meant| format!(" {meant}?")).unwrap_or_default();
                let noun = if is_port_maximum(most) { "a port" } else { "a number" };
                Some(format!("`{text}` is not {noun}:{meant} `{name}` takes {what}"))
            }
        };
    }
    if takes_text.is_some() {
        return None;
    }
    if has("boolean") {
        if is_plain && BOOLEANS.contains(&text.to_ascii_lowercase().as_str()) {
            return None;
        }
        let is_quoted = BOOLEANS.contains(&text);
        let what =
            if is_quoted { format!("write it without quotes, `{text}`") } else { "write one of them".to_owned() };
        return Some(format!("`{name}` must be `true` or `false`, not `{}`: {what}", node.raw()));
    }
    if !words.is_empty() {
        if words.contains(&text) {
            return None;
        }
        let list = words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let meant = did_you_mean(text, &words).map(|meant| format!(" {meant}?")).unwrap_or_default();
        // Other accepted values need a field name.
        if has("object") {
            let which = if number.is_some() {
                format!("name the port that gets it, `{name}: {{http: {text}}}`")
            } else {
                format!("it takes {list}, or a mapping such as `{{http: 20080}}`")
            };
            return Some(format!("`{text}` is not a value of `{name}`:{meant} {which}").replace("? it", "? It"));
        }
        return Some(format!("`{text}` is not a value of `{name}`:{meant} it takes {list}").replace("? it", "? It"));
    }
    (!expected(forms).is_empty()).then(|| not_a_scalar(node, name, forms, schemas))
}

/// The error for a number with leading zeros, which some YAML readers take for an octal one.
fn leading_zero(text: &str) -> Option<String> {
    let decimal = text.strip_prefix('0').map(|rest| rest.trim_start_matches('0'))?;
    if decimal.is_empty() || !decimal.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let octal =
        i64::from_str_radix(decimal, 8).map(|octal| format!(", or `{octal}` if it is octal")).unwrap_or_default();
    Some(format!("`{text}` has a leading zero: write `{decimal}`{octal}"))
}

/// Minimum and maximum of an integer schema.
fn range(integer: &Value) -> (i64, i64) {
    let bound = |key: &str| integer.get(key).and_then(Value::as_i64);
    (bound("minimum").unwrap_or(i64::MIN), bound("maximum").unwrap_or(i64::MAX))
}

/// True for the highest port number.
fn is_port_maximum(most: i64) -> bool {
    most == i64::from(u16::MAX)
}

/// Describes accepted values: `a number from 1 to 65535, auto or keep`.
fn accepted_values(words: &[&str], least: i64, most: i64) -> String {
    let numbers = if most == i64::MAX { "a number".to_owned() } else { format!("a number from {least} to {most}") };
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    either(std::iter::once(numbers.as_str()).chain(words.iter().map(String::as_str)))
}
