//! Selects with a text that most likely means something else: a glob instead of a regular expression, a list with
//! commas, a negation, upper or lower case.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::Finding;
use super::select::{Field, Matcher};
use crate::api::{Positions, Select, did_you_mean_name};
use crate::model::listener::called;
use crate::model::{Meta, Model, Object};
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// True if a select applies to the kind of an object, whatever its other fields.
pub(super) type IsAbout = fn(&Matcher, &Object) -> bool;

/// Warnings about misread entries of `exclude`. An entry that is a glob leaves its objects to the targets, so it is an
/// error in a build by kustomize, which hides warnings.
pub(crate) fn report_excludes(model: &Model, config: &impl Positions, selects: &[Select]) -> Vec<Finding> {
    let finding = |(index, select): (usize, &Select)| {
        let message = misread(model, select, Matcher::is_about)?;
        let place = config.place_of(&Path::dotted("spec.exclude").item(index));
        let finding = warning(&format!("{place}: this entry of `exclude` {message}"));
        let is_glob = Matcher::compile(select).is_ok_and(|matcher| misses_by_glob(model, &matcher, select));
        Some(if is_glob { finding.error_in_build() } else { finding })
    };
    selects.iter().enumerate().filter_map(finding).collect()
}

/// True for a select that does not match an object which it would match if its texts were globs.
pub(crate) fn misses_by_glob(model: &Model, matcher: &Matcher, select: &Select) -> bool {
    glob_match_hint(model, matcher, select, Matcher::is_about).is_some()
}

/// Warning about a target, at this place, that would match more objects if its texts were globs; an error in a build by
/// kustomize.
pub(crate) fn report_target(
    model: &Model,
    matcher: &Matcher,
    select: &Select,
    place: impl FnOnce() -> String,
) -> Option<Finding> {
    let further = glob_match_hint(model, matcher, select, Matcher::is_about)?;
    Some(warning(&format!("{}: this select does not match {further}", place())).error_in_build())
}

/// Creates a warning of the rule `unmatched`.
fn warning(message: &str) -> Finding {
    Finding::new(Severity::Warning, rule::UNMATCHED, message.to_owned())
}

/// The field of a select that does not match an object while all others do, and its value in the object. Only if the
/// texts are alike, or the select names the object.
pub(crate) fn one_field_off(matcher: &Matcher, select: &Select, meta: &Meta) -> Option<String> {
    let mut wrong = given_fields(select).filter(|(field, ..)| !matcher.matches_field(*field, meta));
    let (field, key, text) = wrong.next().filter(|_| wrong.next().is_none())?;
    let own = values(field, &[meta]);
    let value = own.first()?;
    let is_named = field != Field::Name && select.name.is_some();
    let hint = did_you_mean_name(text, &own);
    (is_named || hint.is_some()).then(|| format!("`{key}: {text}`, and {meta} has `{key}: {value}`"))
}

/// Describes what a select does not match, with the texts to write.
pub(super) fn misread(model: &Model, select: &Select, is_about: IsAbout) -> Option<String> {
    let matcher = Matcher::compile(select).ok()?;
    let none = |hint| format!("matches no object of the input: {hint}");
    let further = || Some(format!("does not match {}", glob_match_hint(model, &matcher, select, is_about)?));
    globs(model, select)
        .map(none)
        .or_else(further)
        .or_else(|| similar_reading_hint(model, &matcher, select, is_about).map(none))
}

/// Lists fields of a select of `exclude` or `ignore` that match no object as regular expressions, but one as globs, with
/// the pattern to write; and fields with a negation.
pub(crate) fn globs(model: &Model, select: &Select) -> Option<String> {
    let is_special = |field: Field, text: &str| glob(text).is_some() || negated(field, text).is_some();
    let mut special = given_fields(select).filter(|(field, _, text)| is_special(*field, text)).peekable();
    special.peek()?;
    let metas: Vec<&Meta> = model.objects().iter().map(|object| &object.meta).collect();
    let found = special.filter_map(|(field, key, text)| match negated(field, text) {
        Some(_) => {
            Some(format!("`{key}: {text}` (patterns have no negation: select the other objects by their names)"))
        }
        None => glob_hint(key, text, &values(field, &metas)),
    });
    let found: Vec<String> = found.collect();
    (!found.is_empty()).then(|| found.join(" and "))
}

/// An object that a select does not match, but would match if its texts were globs, with the patterns to write. The
/// select may match other objects.
pub(super) fn glob_match_hint(model: &Model, matcher: &Matcher, select: &Select, is_about: IsAbout) -> Option<String> {
    let globs: Vec<_> =
        given_fields(select).filter_map(|(field, key, text)| Some((field, key, text, glob(text)?))).collect();
    if globs.is_empty() {
        return None;
    }
    let mut meant = select.clone();
    for (field, _, _, pattern) in &globs {
        *text_of(&mut meant, *field) = Some(pattern.clone());
    }
    let meant = Matcher::compile(&meant).ok()?;
    let called = if meant.called.is_some() { called(model) } else { BTreeMap::new() };
    let mut objects = model.objects().iter().enumerate().filter(|(_, object)| !object.meta.is_local_config());
    let (_, object) = objects.find(|(id, object)| {
        let meta = &object.meta;
        let is_further = meant.matches(meta) && !matcher.matches(meta);
        is_further && is_about(matcher, object) && meant.matches_call(called.contains_key(id))
    })?;
    let own = globs.iter().filter(|(field, ..)| !matcher.matches_field(*field, &object.meta));
    let hints: Vec<String> = own.map(|(_, key, text, pattern)| glob_text(key, text, pattern)).collect();
    Some(format!("{}: {}", object.meta, hints.join(" and ")))
}

/// Fields of a select that match no object, but would match one in a similar reading, with the patterns to write.
/// `None` if the select matches an object, or if no similar reading matches one.
fn similar_reading_hint(model: &Model, matcher: &Matcher, select: &Select, is_about: IsAbout) -> Option<String> {
    if model.objects().iter().any(|object| matcher.matches(&object.meta)) {
        return None;
    }
    let objects = model.objects().iter().filter(|object| is_about(matcher, object) && !object.meta.is_local_config());
    let metas: Vec<&Meta> = objects.map(|object| &object.meta).collect();
    let (mut meant, mut hints) = (select.clone(), Vec::new());
    for (field, key, text) in given_fields(select) {
        if !metas.iter().any(|meta| matcher.matches_field(field, meta)) {
            let pattern = reading(text, &values(field, &metas))?;
            hints.push(format!("`{key}: {text}` (did you mean `{pattern}`?)"));
            *text_of(&mut meant, field) = Some(pattern);
        }
    }
    if hints.is_empty() {
        return None;
    }
    let meant = Matcher::compile(&meant).ok()?;
    metas.iter().any(|meta| meant.matches(meta)).then(|| hints.join(" and "))
}

/// Pattern for a text that matches one of these names in another reading: names in another case, a list with commas,
/// `NAMESPACE/NAME`, a regular expression that may match a part of the name.
fn reading(text: &str, names: &[&str]) -> Option<String> {
    let in_case = |part: &str| names.iter().find(|name| name.eq_ignore_ascii_case(part)).copied();
    if let Some(names) = text.split('|').map(in_case).collect::<Option<Vec<_>>>() {
        return Some(names.join("|"));
    }
    let base_name = || text.rsplit_once('/').map(|(_, name)| name.to_owned());
    let part = || match (text.strip_prefix('^'), text.strip_suffix('$')) {
        (Some(start), None) => Some(format!("{start}.*")),
        (None, Some(end)) => Some(format!(".*{end}")),
        _ => None,
    };
    [list(text, names), base_name(), part()].into_iter().flatten().find(|pattern| matches_one(pattern, names))
}

/// Pattern for a list of names or globs with commas, semicolons or blanks, which no name of Kubernetes has.
fn list(text: &str, names: &[&str]) -> Option<String> {
    let is_separator = |c: char| matches!(c, ',' | ';' | ' ');
    if !text.contains(is_separator) || text.contains(['(', '[', '{', '!']) {
        return None;
    }
    let pattern = |part: &str| {
        let in_case = names.iter().find(|name| name.eq_ignore_ascii_case(part)).map(|name| (*name).to_owned());
        in_case.or_else(|| glob(part)).unwrap_or_else(|| part.to_owned())
    };
    let parts = text.split(|c| is_separator(c) || c == '|').filter(|part| !part.is_empty());
    Some(parts.map(pattern).collect::<Vec<_>>().join("|")).filter(|pattern| !pattern.is_empty())
}

/// Name or pattern after the `!` of a field that is not a selector of labels or annotations.
fn negated(field: Field, text: &str) -> Option<&str> {
    let is_pattern = !matches!(field, Field::LabelSelector | Field::AnnotationSelector);
    let rest = text.strip_prefix('!')?.trim_start_matches(['!', '=', ' ']);
    (is_pattern && !rest.is_empty()).then_some(rest)
}

/// A field of a target with a negation, a list or a glob, with the text to write. `names` are the values of the field in
/// the input.
pub(super) fn pattern_hint(field: Field, key: &str, text: &str, names: &[&str]) -> Option<String> {
    if matches!(field, Field::LabelSelector | Field::AnnotationSelector) {
        return None;
    }
    if let Some(rest) = negated(field, text) {
        let meant = list(rest, names).or_else(|| glob(rest)).unwrap_or_else(|| rest.to_owned());
        return Some(format!("`{key}: {text}` (patterns have no negation: put `{key}: {meant}` under `exclude`)"));
    }
    let list = list(text, names).map(|pattern| {
        format!("`{key}: {text}` (did you mean `{pattern}`? Patterns are regular expressions, with `|` between names)")
    });
    list.or_else(|| glob_hint(key, text, names))
}

/// Fields of a select with their names and texts.
pub(super) fn given_fields(select: &Select) -> impl Iterator<Item = (Field, &'static str, &str)> {
    Field::ALL.into_iter().filter_map(|field| field_name_and_text(select, field).map(|(key, text)| (field, key, text)))
}

/// Name and text of a field in a select.
fn field_name_and_text(select: &Select, field: Field) -> Option<(&'static str, &str)> {
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
pub(super) fn values<'m>(field: Field, metas: &[&'m Meta]) -> Vec<&'m str> {
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

/// Text of a field in a select.
fn text_of(select: &mut Select, field: Field) -> &mut Option<String> {
    match field {
        Field::Kind => &mut select.kind,
        Field::Name => &mut select.name,
        Field::Namespace => &mut select.namespace,
        Field::Group => &mut select.group,
        Field::Version => &mut select.version,
        Field::LabelSelector => &mut select.label_selector,
        Field::AnnotationSelector => &mut select.annotation_selector,
    }
}

/// A field that is a glob, with the pattern to write. Set if a part of the text between `|` matches one of these names
/// as a glob, but none as a regular expression.
fn glob_hint(key: &str, text: &str, names: &[&str]) -> Option<String> {
    let pattern = glob(text)?;
    let is_glob =
        |part: &str| part.contains(['*', '?']) && !matches_one(part, names) && matches_one(&glob_pattern(part), names);
    text.split('|').any(is_glob).then(|| glob_text(key, text, &pattern))
}

fn glob_text(key: &str, text: &str, pattern: &str) -> String {
    format!(
        "`{key}: {text}` (did you mean `{pattern}`? Patterns are regular expressions, where `*` repeats what is before it)"
    )
}

/// Regular expression for a text that may be a shell glob; `None` for a text with other regular expression syntax.
fn glob(text: &str) -> Option<String> {
    let is_regex = || text.contains(['\\', '(', '[', '{', '+', '^', '$']) || text.contains(".*");
    if !text.contains(['*', '?']) || is_regex() {
        return None;
    }
    Some(text.split('|').map(glob_pattern).collect::<Vec<_>>().join("|"))
}

/// Converts a glob to a regular expression.
fn glob_pattern(part: &str) -> String {
    part.replace('.', "\\.").replace('*', ".*").replace('?', ".")
}

/// True if a regular expression matches one of these names.
fn matches_one(pattern: &str, names: &[&str]) -> bool {
    regex::Regex::new(&format!("^(?:{pattern})$")).is_ok_and(|regex| names.iter().any(|name| regex.is_match(name)))
}
