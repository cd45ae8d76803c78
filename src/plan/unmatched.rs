//! Hints for selects that match nothing: unmatched fields, similar values in the input, and globs.

use super::instead::instead;
use super::misread::{further, given_fields, pattern_hint, values};
use super::select::{Field, Matcher};
use crate::api::{Select, did_you_mean_name};
use crate::model::{Meta, Model};

/// Lists fields of a select that no candidate object matches, with similar values; if each field matches an object,
/// reports that no object matches all.
pub(crate) fn hint(model: &Model, matcher: &Matcher, select: &Select) -> String {
    // The select matches an object that runs no pods itself.
    let mut named =
        model.objects().iter().map(|object| &object.meta).filter(|meta| select.kind.is_some() && matcher.matches(meta));
    if let Some(found) = named.find_map(|meta| Some((meta, instead(&meta.gvk.group, &meta.gvk.kind)?))) {
        let (meta, instead) = found;
        return format!(". {meta} runs no pods itself: {instead}");
    }
    let what = if select.group.is_some() { "object" } else { "workload or package" };
    let metas: Vec<&Meta> =
        model.objects().iter().filter(|object| matcher.is_about(object)).map(|object| &object.meta).collect();
    if metas.is_empty() {
        return format!(". It has no {what}");
    }
    let given: Vec<(Field, &str, &str)> = given_fields(select).collect();
    let unmatched = given.iter().filter(|(field, ..)| !metas.iter().any(|meta| matcher.matches_field(*field, meta)));
    let unmatched: Vec<String> = unmatched
        .map(|(field, key, text)| {
            let values = values(*field, &metas);
            pattern_hint(*field, key, text, &values).unwrap_or_else(|| match did_you_mean_name(text, &values) {
                Some(meant) => format!("`{key}: {text}` ({meant}?)"),
                None => format!("`{key}: {text}`"),
            })
        })
        .collect();
    if !unmatched.is_empty() {
        return format!(". No {what} of it has {}", unmatched.join(" or "));
    }
    if let Some(further) = further(model, matcher, select, Matcher::is_about) {
        return format!(". It does not match {further}");
    }
    let all: Vec<String> = given.iter().map(|(_, key, text)| format!("`{key}: {text}`")).collect();
    // All fields match an object, so only `calledByApiServer` differs.
    if metas.iter().any(|meta| matcher.matches(meta)) {
        return String::new();
    }
    format!(". No {what} of it has {} at once", all.join(" and "))
}
