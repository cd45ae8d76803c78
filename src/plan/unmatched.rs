//! Hints for a target that matches nothing: its unmatched fields, and similar values in the input.

use std::collections::BTreeSet;

use super::instead::instead;
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
    let given = Field::ALL.into_iter().filter_map(|field| given(select, field).map(|(key, text)| (field, key, text)));
    let given: Vec<(Field, &str, &str)> = given.collect();
    let unmatched = given.iter().filter(|(field, ..)| !metas.iter().any(|meta| matcher.matches_field(*field, meta)));
    let unmatched: Vec<String> = unmatched
        .map(|(field, key, text)| match glob_for(text, &values(*field, &metas)) {
            Some(pattern) => format!(
                "`{key}: {text}` (did you mean `{pattern}`? Patterns are regular expressions, where `*` repeats what is before it)"
            ),
            None => match did_you_mean_name(text, &values(*field, &metas)) {
                Some(meant) => format!("`{key}: {text}` ({meant}?)"),
                None => format!("`{key}: {text}`"),
            },
        })
        .collect();
    if !unmatched.is_empty() {
        return format!(". No {what} of it has {}", unmatched.join(" or "));
    }
    let all: Vec<String> = given.iter().map(|(_, key, text)| format!("`{key}: {text}`")).collect();
    // All fields match an object, so only `calledByApiServer` differs.
    if metas.iter().any(|meta| matcher.matches(meta)) {
        return String::new();
    }
    format!(". No {what} of it has {} at once", all.join(" and "))
}

/// Name and text of a field in a select.
fn given(select: &Select, field: Field) -> Option<(&'static str, &str)> {
    let (key, text) = match field {
        Field::Kind => ("kind", &select.kind),
        Field::Name => ("name", &select.name),
        Field::Namespace => ("namespace", &select.namespace),
        Field::Group => ("group", &select.group),
        Field::Version => ("version", &select.version),
        Field::LabelSelector => ("labelSelector", &select.label_selector),
        Field::AnnotationSelector => ("annotationSelector", &select.annotation_selector),
    };
    Some((key, text.as_deref()?))
}

/// Distinct values of a field in the objects; empty for selectors, which may be wrong only in part.
fn values<'m>(field: Field, metas: &[&'m Meta]) -> Vec<&'m str> {
    let value = |meta: &&'m Meta| match field {
        Field::Kind => Some(meta.gvk.kind.as_str()),
        Field::Name => Some(meta.name.as_str()),
        Field::Namespace => meta.namespace.as_deref(),
        Field::Group => Some(meta.gvk.group.as_str()),
        Field::Version => Some(meta.gvk.version.as_str()),
        Field::LabelSelector | Field::AnnotationSelector => None,
    };
    let values: BTreeSet<&str> = metas.iter().filter_map(value).filter(|value| !value.is_empty()).collect();
    values.into_iter().collect()
}

/// Regular expression for a shell glob, if it matches one of these names.
fn glob_for(text: &str, names: &[&str]) -> Option<String> {
    // Other regular expression syntax shows that the text is no glob.
    let is_glob =
        text.contains(['*', '?']) && !text.contains(['\\', '(', '[', '{', '+', '^', '$']) && !text.contains(".*");
    if !is_glob {
        return None;
    }
    let pattern = |part: &str| part.replace('.', "\\.").replace('*', ".*").replace('?', ".");
    let pattern = text.split('|').map(pattern).collect::<Vec<_>>().join("|");
    let regex = regex::Regex::new(&format!("^(?:{pattern})$")).ok()?;
    names.iter().any(|name| regex.is_match(name)).then_some(pattern)
}
