//! Reasons why a value is not a port number, number of pods or boolean.
//!
//! Source: Kubernetes v1.36 `staging/src/k8s.io/apimachinery/pkg/util/json/json.go`: a text is not a number or boolean.

use crate::judge::refused_text::{is_unsupported, port_name_reason};
use crate::model::text::{is_template, may_be_filled_in};
use lossless_yaml::{Kind, NodeRef, Style};

/// Plain scalars that are booleans in YAML 1.1 and strings in YAML 1.2 (<https://yaml.org/type/bool.html>;
/// go.yaml.in/yaml/v2 `resolve.go`).
const OLD_BOOLEANS: [&str; 4] = ["yes", "no", "on", "off"];

/// Reason why a value is not a port number; `None` for valid ports, placeholders and null.
///
/// `reads_all_forms`: the rules also read forms such as `0x1F90`.
pub(super) fn port_fault(value: NodeRef<'_, '_>, least: i64, reads_all_forms: bool) -> Option<String> {
    if value.is_null() || is_template(value) {
        return None;
    }
    let form = || if reads_all_forms { None } else { non_decimal_reason(value) };
    out_of_range(value, least).or_else(form).or_else(|| not_an_integer(value))
}

/// Reason why a value is neither a port number nor a port name.
pub(super) fn port_or_name_fault(value: NodeRef<'_, '_>, least: i64) -> Option<String> {
    if value.is_null() || is_template(value) {
        return None;
    }
    let Some(text) = value.text() else { return Some("Invalid value: it is neither an int32 nor a text".to_owned()) };
    let is_digits = || !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let quoted_number = || {
        (is_quoted(value) && is_digits()).then(|| {
            format!(
                "Invalid value: \"{text}\": must contain at least one letter (a-z): a text in quotes is the name of a port"
            )
        })
    };
    out_of_range(value, least).or_else(|| non_decimal_reason(value)).or_else(quoted_number)
}

/// Reason why a value is not a number of pods. Without `negative`, numbers below 0 are refused.
///
/// Source: Kubernetes v1.36 `pkg/apis/apps/validation/validation.go`, `ValidateNonnegativeField`.
pub(super) fn count_fault(value: NodeRef<'_, '_>, negative: bool) -> Option<String> {
    if value.is_null() || is_template(value) {
        return None;
    }
    match value.as_go_int() {
        Some(number) if i32::try_from(number).is_err() => Some(format!("Invalid value: {number}: it is not an int32")),
        Some(number) if number < 0 && !negative => {
            Some(format!("Invalid value: {number}: must be greater than or equal to 0"))
        }
        Some(_) => None,
        None => not_an_integer(value),
    }
}

/// Reads a number of pods or a percentage of them: true for 0, `None` for null and placeholders.
///
/// # Errors
///
/// The reason why the API server refuses the value. Source: `ValidatePositiveIntOrPercent` and `IsNotMoreThan100Percent`
/// of Kubernetes v1.36 `pkg/apis/apps/validation/validation.go`.
pub(super) fn amount(value: NodeRef<'_, '_>) -> Result<Option<bool>, String> {
    if value.is_null() || is_template(value) {
        return Ok(None);
    }
    if !is_quoted(value)
        && let Some(number) = value.as_go_int()
    {
        let reason = || format!("Invalid value: {number}: must be greater than or equal to 0");
        return if number < 0 { Err(reason()) } else { Ok(Some(number == 0)) };
    }
    let Some(text) = value.text() else { return Err("Invalid value: it is neither a number nor a text".to_owned()) };
    let digits = text.strip_suffix('%').filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    match digits.and_then(|digits| digits.parse::<u32>().ok()) {
        Some(percent) if percent > 100 => Err(format!("Invalid value: \"{text}\": must not be greater than 100%")),
        Some(percent) => Ok(Some(percent == 0)),
        None if is_literal(text) => {
            Err(format!("Invalid value: \"{text}\": must be a valid percent value (e.g. '50%')"))
        }
        None => Ok(None),
    }
}

/// Reason why a value is not a supported value of a field; `None` for null, an empty text and placeholders.
pub(super) fn enum_fault(value: NodeRef<'_, '_>, supported: &[&str]) -> Option<String> {
    let text = value.non_null_text().filter(|text| is_unsupported(text, supported))?;
    let quoted: Vec<String> = supported.iter().map(|value| format!("\"{value}\"")).collect();
    Some(format!("Unsupported value: \"{text}\": supported values: {}", quoted.join(", ")))
}

/// Reason why a text is not a valid name of a container port.
pub(super) fn port_name_fault(value: NodeRef<'_, '_>) -> Option<String> {
    let name = value.non_null_text()?;
    port_name_reason(name).map(|reason| format!("Invalid value: \"{name}\": {reason}"))
}

/// Reason why a value is not a boolean.
pub(super) fn boolean_fault(value: NodeRef<'_, '_>) -> Option<String> {
    if value.is_null() || value.as_bool().is_some() || is_template(value) {
        return None;
    }
    let Some(text) = value.text() else { return Some("Invalid value: it is not a boolean".to_owned()) };
    if !is_quoted(value) && OLD_BOOLEANS.iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Some(format!(
            "`{text}` is a boolean for YAML 1.1 parsers such as kubectl's, and a string for YAML 1.2 parsers"
        ));
    }
    is_literal(text).then(|| format!("Invalid value: \"{text}\": it is not a boolean{}", comment(value, text)))
}

/// Reason why a value is not a list; `None` for lists, null and placeholders.
pub(super) fn list_fault(value: NodeRef<'_, '_>) -> Option<String> {
    not_a_collection(value, value.is_sequence(), "list")
}

/// Reason why a value is not a mapping; `None` for mappings, null and placeholders.
pub(super) fn mapping_fault(value: NodeRef<'_, '_>) -> Option<String> {
    not_a_collection(value, value.is_mapping(), "mapping")
}

/// Reason why a value is not a text: a number or boolean without quotes.
pub(super) fn text_fault(value: NodeRef<'_, '_>) -> Option<String> {
    let text = value.non_null_text().filter(|_| !is_quoted(value))?;
    let is_boolean = value.as_bool().is_some() || OLD_BOOLEANS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_number = || value.as_go_int().is_some() || text.parse::<f64>().is_ok_and(f64::is_finite);
    let kind = match (is_boolean, is_number()) {
        (true, _) => "boolean",
        (false, true) => "number",
        (false, false) => return None,
    };
    Some(format!("Invalid value: {text}: it is a {kind}, not a text"))
}

/// Reason why an element of a list is not a mapping.
pub(super) fn element_fault(value: NodeRef<'_, '_>) -> Option<String> {
    if value.is_null() {
        return Some("Invalid value: null: it is not a mapping".to_owned());
    }
    not_a_collection(value, value.is_mapping(), "mapping")
}

/// Fault of a value that should be a list or mapping; `wanted` names the type.
fn not_a_collection(value: NodeRef<'_, '_>, is_wanted: bool, wanted: &str) -> Option<String> {
    if is_wanted || value.is_null() || is_template(value) {
        return None;
    }
    match value.text() {
        Some(text) => is_literal(text).then(|| format!("Invalid value: \"{text}\": it is a text, not a {wanted}")),
        None => Some(format!("Invalid value: it is not a {wanted}")),
    }
}

/// Reason for an integer that is outside of the range of ports.
fn out_of_range(value: NodeRef<'_, '_>, least: i64) -> Option<String> {
    let text = value.text()?;
    if let Some(number) = value.as_int().or_else(|| value.as_go_int()) {
        let is_port = (least..=65535).contains(&number);
        return (!is_port).then(|| format!("Invalid value: {number}: must be between 1 and 65535, inclusive"));
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    // Some YAML readers parse a number with leading zeros as octal.
    let is_long = digits.len() > 18 && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
    (is_long && !is_quoted(value)).then(|| format!("Invalid value: {text}: it is not an int32"))
}

/// Reason for an integer that is not written in decimal digits.
///
/// Source: sigs.k8s.io/yaml v1.6.0 `goyaml.v2/resolve.go`, `resolve`; <https://yaml.org/spec/1.2.2/#1032-tag-resolution>.
fn non_decimal_reason(value: NodeRef<'_, '_>) -> Option<String> {
    let number = value.as_go_int().filter(|_| value.as_int().is_none())?;
    let text = value.text()?;
    Some(format!("`{text}` is {number} for the API server, and another number or a text for other YAML readers"))
}

/// Fault of a value that should be an integer.
fn not_an_integer(value: NodeRef<'_, '_>) -> Option<String> {
    if value.as_go_int().is_some() {
        return None;
    }
    let Some(text) = value.text() else { return Some("Invalid value: it is not an int32".to_owned()) };
    if !is_quoted(value) && text.parse::<f64>().is_ok_and(f64::is_finite) {
        return Some(format!("Invalid value: {text}: it is not an int32"));
    }
    is_literal(text).then(|| format!("Invalid value: \"{text}\": it is a text, not an int32{}", comment(value, text)))
}

/// Hint for a plain scalar that contains a comment by mistake: `true# comment`.
fn comment(value: NodeRef<'_, '_>, text: &str) -> &'static str {
    let is_comment = !is_quoted(value) && text.contains('#');
    if is_comment { ", because a comment needs a space before `#`" } else { "" }
}

/// True for a value that may be replaced later.
pub(super) fn is_placeholder(value: NodeRef<'_, '_>) -> bool {
    is_template(value) || value.as_go_int().is_none() && value.text().is_some_and(|text| !is_literal(text))
}

/// True for a text in quotes or in a block, and for a value with a tag that makes it a text: `!!str 8080`. With the tag
/// `!` it is a number for kustomize and a text for kubectl.
fn is_quoted(value: NodeRef<'_, '_>) -> bool {
    let own = value.resolved();
    let is_other_tag = || own.yaml_tag().is_none_or(|tag| tag == "str");
    own.kind() != Kind::Scalar(Style::Plain) || own.is_tagged() && own.tag() != "!" && is_other_tag()
}

/// False for a text that may be replaced later.
fn is_literal(text: &str) -> bool {
    !may_be_filled_in(text)
}
