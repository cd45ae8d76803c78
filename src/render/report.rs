//! Text of results for standard error.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::results::Diagnostic;
use crate::plan::listed;
use crate::rule::Severity;

/// Maximum number of lines written; kpt shows four, so errors come first.
const MAX_LINES: usize = 20;

/// Number of results with the same text, apart from the object, that are merged into one line.
const EQUAL: usize = 4;

/// Maximum number of objects listed for a merged line.
const NAMED: usize = 5;

/// Errors and warnings, errors first; with `verbose` all results. Otherwise results that differ only in the object are
/// merged into one line with the other objects below it, and at most 20 lines are written, followed by the count of the
/// omitted ones.
pub fn format_results(results: &[Diagnostic], verbose: bool) -> String {
    let mut shown: Vec<&Diagnostic> =
        results.iter().filter(|result| verbose || result.severity != Severity::Info).collect();
    shown.sort_by_key(|result| result.severity);
    let groups = if verbose { shown.into_iter().map(|result| vec![result]).collect() } else { equal(&shown) };
    let most = if verbose { usize::MAX } else { MAX_LINES };
    let mut text = String::new();
    for group in groups.iter().take(most) {
        let mut results = group.iter();
        let Some(first) = results.next() else { continue };
        let _ = writeln!(text, "{first}");
        if results.len() > 0 {
            let names = results.filter_map(|result| result.resource.as_ref());
            let _ = writeln!(text, "  the same of {}", listed(names, NAMED));
        }
    }
    let left: usize = groups.iter().skip(most).map(Vec::len).sum();
    if left > 0 {
        let _ = writeln!(text, "... and {left} more");
    }
    text
}

/// Groups results with equal text if there are enough of them, ordered by first occurrence.
fn equal<'r>(results: &[&'r Diagnostic]) -> Vec<Vec<&'r Diagnostic>> {
    let mut by_text: BTreeMap<(Severity, &str, String), Vec<usize>> = BTreeMap::new();
    for (index, result) in results.iter().enumerate() {
        let Some(text) = text_without_object(result) else { continue };
        by_text.entry((result.severity, result.rule, text)).or_default().push(index);
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = (0..results.len()).map(|index| (index, vec![index])).collect();
    for indexes in by_text.into_values().filter(|indexes| indexes.len() >= EQUAL) {
        for index in &indexes {
            groups.remove(index);
        }
        groups.extend(indexes.first().copied().map(|first| (first, indexes)));
    }
    let chosen = |indexes: Vec<usize>| indexes.into_iter().filter_map(|index| results.get(index).copied()).collect();
    groups.into_values().map(chosen).collect()
}

/// The message with placeholders for the object's name and for select fields that name the object.
fn text_without_object(result: &Diagnostic) -> Option<String> {
    let object = result.resource.as_ref()?;
    let display = object.to_string();
    if !result.message.contains(&display) {
        return None;
    }
    let namespace = object.namespace.as_ref().map(|namespace| format!("namespace: {namespace}, "));
    let mut text = result.message.replace(&display, "\0").replace(&format!("name: {}}}", object.name), "\0}");
    if let Some(namespace) = namespace {
        text = text.replace(&namespace, "");
    }
    Some(text)
}
