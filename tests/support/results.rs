//! Formats results as lines of a snapshot: `brief` shows the facts, `worded` the message that a user reads.
//!
//! Helpers that run a config write each result with [`line`]; the snapshot then uses `brief` or `worded`. Only the test
//! file of a rule pins the wording of its messages; all other snapshots are brief, so that a new wording does not
//! change them.

use std::collections::BTreeSet;
use std::ops::Range;

use hostnet::render::Diagnostic;
use hostnet::render::check::Entry;
use hostnet::rule::Severity;

/// Separator between the facts and the message.
const THEN: &str = " | ";

/// Punctuation next to words and numbers in messages.
const PUNCTUATION: [char; 12] = ['`', '\'', '"', '(', ')', ',', ';', ':', '.', '[', ']', '}'];

/// Returns the values in a message: numbers, versions, images, addresses, and objects with a namespace.
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

/// Formats a result of a run: its facts, then its message.
pub(crate) fn line(result: &Diagnostic) -> String {
    let object = result.resource.as_ref().map(ToString::to_string);
    let field = result.path.as_ref().map(ToString::to_string);
    let place = result.place.as_deref().unwrap_or_default();
    format!(
        "{}{THEN}{result}",
        facts(result.severity, result.rule, object.as_deref(), field.as_deref(), place, &result.message)
    )
}

/// Formats a finding of a check: its facts, then its message without the rule.
pub(crate) fn entry_line(entry: &Entry) -> String {
    let object = entry.object.as_ref().map(ToString::to_string);
    let field = entry.path.as_ref().map(ToString::to_string);
    let place = entry.place.as_ref().map(ToString::to_string).unwrap_or_default();
    let facts = facts(entry.severity, entry.rule.id, object.as_deref(), field.as_deref(), &place, &entry.message);
    let before = if place.is_empty() { place } else { format!("{place}: ") };
    format!("{facts}{THEN}{}: {before}{}", entry.severity.as_str(), entry.message)
}

/// Formats facts as `SEVERITY: RULE KIND NAMESPACE/NAME FIELD (PLACE, VALUES)`; VALUES come from the message,
/// without the object.
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

/// Keeps only the facts of each result; other lines do not change.
pub(crate) fn brief(text: impl AsRef<str>) -> String {
    each(text.as_ref(), |line, facts, _| line[..facts.end].to_owned())
}

/// Keeps only the message of each result; other lines do not change.
pub(crate) fn worded(text: impl AsRef<str>) -> String {
    each(text.as_ref(), |line, facts, words| format!("{}{words}", &line[..facts.start]))
}

/// Calls `part` for each line with a result, with the line, the range of its facts, and its message.
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
