//! Hints for selects that match nothing: unmatched fields, similar values in the input, and globs.

use std::collections::BTreeSet;

use super::finding::Finding;
use super::instead::instead;
use super::select::{Field, Matcher};
use crate::api::{Positions, Select, did_you_mean_name};
use crate::model::{Meta, Model};
use crate::rule::{self, Severity};
use lossless_yaml::Path;

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
            glob_hint(key, text, &values).unwrap_or_else(|| match did_you_mean_name(text, &values) {
                Some(meant) => format!("`{key}: {text}` ({meant}?)"),
                None => format!("`{key}: {text}`"),
            })
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

/// Warnings about globs in a list of selects without a report of its own, such as `exclude`.
pub(crate) fn report_globs(
    model: &Model,
    config: &impl Positions,
    list: &'static str,
    selects: &[Select],
) -> Vec<Finding> {
    let warning = |(place, message)| Finding::new(Severity::Warning, rule::UNMATCHED, format!("{place}: {message}"));
    messages_about_globs(model, config, list, selects).map(warning).collect()
}

/// Positions in the config and messages for the selects of a list that have a glob.
pub(crate) fn messages_about_globs(
    model: &Model,
    config: &impl Positions,
    list: &'static str,
    selects: &[Select],
) -> impl Iterator<Item = (String, String)> {
    selects.iter().enumerate().filter_map(move |(index, select)| {
        let message = format!("this entry of `{list}` matches no object of the input: {}", globs(model, select)?);
        Some((config.place_of(&Path::dotted("spec").key(list).item(index)), message))
    })
}

/// Lists fields of a select that match no object as regular expressions, but one as globs, with the pattern to write.
pub(crate) fn globs(model: &Model, select: &Select) -> Option<String> {
    let mut may_be_globs = given_fields(select).filter(|(_, _, text)| text.contains(['*', '?'])).peekable();
    may_be_globs.peek()?;
    let metas: Vec<&Meta> = model.objects().iter().map(|object| &object.meta).collect();
    let found = may_be_globs.filter_map(|(field, key, text)| glob_hint(key, text, &values(field, &metas)));
    let found: Vec<String> = found.collect();
    (!found.is_empty()).then(|| found.join(" and "))
}

/// A field that is a glob, with the pattern to write.
fn glob_hint(key: &str, text: &str, values: &[&str]) -> Option<String> {
    let pattern = glob_for(text, values)?;
    Some(format!(
        "`{key}: {text}` (did you mean `{pattern}`? Patterns are regular expressions, where `*` repeats what is before it)"
    ))
}

/// Fields of a select with their names and texts.
fn given_fields(select: &Select) -> impl Iterator<Item = (Field, &'static str, &str)> {
    Field::ALL.into_iter().filter_map(|field| given(select, field).map(|(key, text)| (field, key, text)))
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

/// Regular expression for shell globs, if one of them matches one of these names and no name as a regular expression.
fn glob_for(text: &str, names: &[&str]) -> Option<String> {
    // Other regular expression syntax shows that the text is no glob.
    if text.contains(['\\', '(', '[', '{', '+', '^', '$']) || text.contains(".*") {
        return None;
    }
    let pattern = |part: &str| part.replace('.', "\\.").replace('*', ".*").replace('?', ".");
    let matches_one = |pattern: &str| {
        regex::Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|regex| names.iter().any(|name| regex.is_match(name)))
    };
    let is_glob = |part: &str| part.contains(['*', '?']) && !matches_one(part) && matches_one(&pattern(part));
    text.split('|').any(is_glob).then(|| text.split('|').map(pattern).collect::<Vec<_>>().join("|"))
}
