//! Results as lines of a snapshot: `brief` shows the facts, `worded` the text that a user reads.
//!
//! A helper that runs a config writes each result with [`line`], and the snapshot chooses. The wording of a message is pinned in one place,
//! in the test file of its rule; all other snapshots are brief and outlive a new wording.

use std::collections::BTreeSet;
use std::ops::Range;

use hostnet::render::Diagnostic;
use hostnet::render::check::Entry;
use hostnet::rule::Severity;

/// Between the facts and the text.
const THEN: &str = " | ";

/// Around words and numbers in messages.
const PUNCTUATION: [char; 12] = ['`', '\'', '"', '(', ')', ',', ';', ':', '.', '[', ']', '}'];

/// The numbers, the versions, images and addresses, and the objects with a namespace that a message names.
fn values(message: &str) -> BTreeSet<String> {
    let words: Vec<&str> = message.split_whitespace().map(|word| word.trim_matches(PUNCTUATION)).collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty();
    let is_name = |word: &str| word.contains(['.', '/', ':']) && !word.contains(['[', '{', '=']);
    let alone = words
        .iter()
        .filter(|word| is_number(word) || is_name(word) && word.contains(|letter: char| letter.is_ascii_digit()));
    let is_kind = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_uppercase())
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let objects = words.windows(2).filter(|pair| is_kind(pair[0]) && pair[1].contains('/') && !pair[1].contains('.'));
    alone.map(|word| (*word).to_owned()).chain(objects.map(|pair| pair.join(" "))).collect()
}

/// A result of a run: its facts, then its text.
pub(crate) fn line(result: &Diagnostic) -> String {
    let object = result.resource.as_ref().map(ToString::to_string);
    let field = result.path.as_ref().map(ToString::to_string);
    let place = result.place.as_deref().unwrap_or_default();
    format!(
        "{}{THEN}{result}",
        facts(result.severity, result.rule, object.as_deref(), field.as_deref(), place, &result.message)
    )
}

/// A finding of a check: its facts, then its text without the rule.
pub(crate) fn entry_line(entry: &Entry) -> String {
    let object = entry.object.as_ref().map(ToString::to_string);
    let field = entry.path.as_ref().map(ToString::to_string);
    let place = entry.place.as_ref().map(ToString::to_string).unwrap_or_default();
    let facts = facts(entry.severity, entry.rule.id, object.as_deref(), field.as_deref(), &place, &entry.message);
    let before = if place.is_empty() { place } else { format!("{place}: ") };
    format!("{facts}{THEN}{}: {before}{}", entry.severity.as_str(), entry.message)
}

/// `SEVERITY: RULE KIND NAMESPACE/NAME FIELD (PLACE, VALUES)`, values of the message besides the object.
fn facts(
    severity: Severity,
    rule: &str,
    object: Option<&str>,
    field: Option<&str>,
    place: &str,
    message: &str,
) -> String {
    let mut facts = format!("{}: {rule}", severity.as_str());
    for part in [object, field].into_iter().flatten().filter(|part| !part.is_empty()) {
        facts += " ";
        facts += part;
    }
    let place = place.trim_start_matches("standard input:").to_owned();
    let more = values(message).into_iter().filter(|value| object != Some(value.as_str()));
    let rest: Vec<String> = Some(place).filter(|place| !place.is_empty()).into_iter().chain(more).collect();
    if rest.is_empty() { facts } else { format!("{facts} ({})", rest.join(", ")) }
}

/// A text with the facts of each result alone; other lines stay.
pub(crate) fn brief(text: impl AsRef<str>) -> String {
    each(text.as_ref(), |line, facts, _| line[..facts.end].to_owned())
}

/// A text with the message of each result alone; other lines stay.
pub(crate) fn worded(text: impl AsRef<str>) -> String {
    each(text.as_ref(), |line, facts, words| format!("{}{words}", &line[..facts.start]))
}

/// Calls `part` for each line with a result: the line, the range of its facts, and its message.
fn each(text: &str, part: fn(&str, Range<usize>, &str) -> String) -> String {
    let lines = text.lines().map(|line| {
        let result = [Severity::Error, Severity::Warning, Severity::Info].iter().find_map(|severity| {
            let start = format!("{}: ", severity.as_str());
            let end = line.find(&format!("{THEN}{start}"))?;
            Some(part(line, line[..end].rfind(&start)?..end, &line[end + THEN.len()..]))
        });
        result.unwrap_or_else(|| line.to_owned())
    });
    lines.collect::<Vec<_>>().join("\n")
}
