//! Hints for selects that match nothing: unmatched fields, similar values in the input, and globs.

use super::misread::{IsAbout, given_fields, glob_match_hint, misread, pattern_hint, values};
use super::select::{Field, Matcher};
use super::select_suggestion::select_suggestion;
use crate::api::{Positions, Select, did_you_mean_name};
use crate::model::{Meta, Model};
use lossless_yaml::Path;

/// Lists fields of a select that no candidate object matches, with similar values; if each field matches an object,
/// reports that no object matches all.
pub(crate) fn hint(model: &Model, matcher: &Matcher, select: &Select) -> String {
    // The select matches an object that runs no pods itself.
    let mut named =
        model.objects().iter().map(|object| &object.meta).filter(|meta| select.kind.is_some() && matcher.matches(meta));
    if let Some(found) = named.find_map(|meta| Some((meta, select_suggestion(&meta.gvk.group, &meta.gvk.kind)?))) {
        let (meta, instead) = found;
        return format!(". {meta} runs no pods itself: {instead}");
    }
    let what = if select.group.is_some() { "object" } else { "workload or package" };
    unmatched_fields(model, matcher, select, Matcher::is_about, what)
}

/// Like [`hint`], for the objects of which `is_about` is true; `what` is their noun.
pub(super) fn unmatched_fields(
    model: &Model,
    matcher: &Matcher,
    select: &Select,
    is_about: IsAbout,
    what: &str,
) -> String {
    let metas: Vec<&Meta> =
        model.objects().iter().filter(|object| is_about(matcher, object)).map(|object| &object.meta).collect();
    if metas.is_empty() {
        return format!(". The input has no {what}");
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
        return format!(". No {what} of the input has {}", unmatched.join(" or "));
    }
    if let Some(further) = glob_match_hint(model, matcher, select, is_about) {
        return format!(". The select does not match {further}");
    }
    let all: Vec<String> = given.iter().map(|(_, key, text)| format!("`{key}: {text}`")).collect();
    // All fields match an object, so only `calledByApiServer` differs.
    if metas.iter().any(|meta| matcher.matches(meta)) {
        return String::new();
    }
    format!(". No {what} of the input has {} at once", all.join(" and "))
}

/// Position in the config and message for a select of a check that is misread or, if `is_met` is false, matches nothing.
pub(crate) fn of_check(
    model: &Model,
    config: &impl Positions,
    (list, index, select): (&'static str, usize, &Select),
    is_met: bool,
) -> Option<(String, String)> {
    let is_about: IsAbout = |_, _| true;
    let unmatched = || {
        let matcher = Matcher::compile(select).ok().filter(|_| !is_met)?;
        let hint = unmatched_fields(model, &matcher, select, is_about, "object");
        Some(format!("matches no object of the input{hint}"))
    };
    let message = misread(model, select, is_about).or_else(unmatched)?;
    let place = config.place_of(&Path::dotted("spec").key(list).item(index));
    Some((place, format!("this entry of `{list}` {message}")))
}
