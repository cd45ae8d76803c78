//! Deduplicates edits that several moves plan for one field, and detects contradictions.
//!
//! A Service, a policy or a `ConfigMap` may refer to several workloads; each move adds its own edits.

use std::collections::HashMap;
use std::ops::Range;

use crate::plan::{Change, Edit};
use lossless_yaml::{Path, Step};

/// Target of an edit: a path, and optionally a range of its text.
type EditTarget<'e> = (&'e Path, Option<&'e Range<usize>>);

/// Object, path and range that an edit changes.
fn edit_target(edit: &Edit) -> EditTarget<'_> {
    match &edit.change {
        Change::Text { range, .. } => (&edit.path, Some(range)),
        _ => (&edit.path, None),
    }
}

/// Range in a text that an edit replaces; empty for other edits.
fn range(edit: &Edit) -> Range<usize> {
    edit_target(edit).1.cloned().unwrap_or_default()
}

/// True if two edits of one field have the same effect.
fn has_same_effect(one: &Change, other: &Change) -> bool {
    match (one, other) {
        // Both have the same old text, which may be long, so only the new texts are compared.
        (Change::Text { new: one, .. }, Change::Text { new: other, .. }) => one == other,
        (Change::Set { new: one, .. }, Change::Set { new: other, .. }) => one == other,
        (one, other) => one == other,
    }
}

/// Returns the edits of an object without duplicates.
pub(super) fn without_duplicates<'e>(edits: &[&'e Edit]) -> Vec<&'e Edit> {
    let mut known: HashMap<EditTarget<'e>, Vec<&'e Edit>> = HashMap::with_capacity(edits.len());
    let mut kept = Vec::with_capacity(edits.len());
    for &edit in edits {
        let here = known.entry(edit_target(edit)).or_default();
        if !here.iter().any(|other| has_same_effect(&edit.change, &other.change)) {
            here.push(edit);
            kept.push(edit);
        }
    }
    kept
}

/// Describes the first two contradicting edits. `edits` must not contain duplicates.
pub(super) fn contradiction(edits: &[&Edit]) -> Option<String> {
    let mut by_path: HashMap<&Path, Vec<&Edit>> = HashMap::with_capacity(edits.len());
    for edit in edits {
        by_path.entry(&edit.path).or_default().push(edit);
    }
    by_path.retain(|_, here| here.len() > 1);
    for here in by_path.values_mut() {
        here.sort_by_key(|edit| range(edit).start);
    }
    // Edits are compared in plan order, so that the message names the first contradiction.
    let (one, other) = edits.iter().find_map(|edit| contradicting_edits(&by_path.remove(&edit.path)?))?;
    Some(format!(
        "two changes of {} contradict each other: {}; {}. Give both the same number, or use a separate object for each",
        one.path, one.message, other.message
    ))
}

/// Two edits of one path that exclude each other.
fn contradicting_edits<'e>(here: &[&'e Edit]) -> Option<(&'e Edit, &'e Edit)> {
    here.windows(2).find_map(|pair| {
        let [one, other] = pair else { return None };
        let differs = match (&one.change, &other.change) {
            (Change::Text { .. }, Change::Text { .. }) => range(one).end > range(other).start,
            (Change::Set { .. } | Change::Text { .. }, Change::Set { .. } | Change::Text { .. }) => true,
            (Change::Add { .. }, Change::Add { .. }) => matches!(one.path.last(), Some(Step::Key(_))),
            _ => false,
        };
        differs.then_some((*one, *other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule;
    use lossless_yaml::Value;

    fn edit(path: &Path, change: Change) -> Edit {
        let message: String = format!("{change:?}").chars().filter(char::is_ascii_digit).collect();
        Edit { object: 0, path: path.clone(), change, rule: rule::SERVICE_TARGET, message: message.into() }
    }

    fn set(new: u16) -> Change {
        Change::Set { old: Value::from(8_u16), new: new.into() }
    }

    fn add(new: u16) -> Change {
        Change::Add { new: new.into() }
    }

    fn text(range: Range<usize>, new: u16) -> Change {
        Change::Text { old: "a b c".into(), range, new }
    }

    /// Number of distinct edits, and the messages of two that contradict each other.
    fn conflicts(path: &Path, changes: &[Change]) -> (usize, Option<String>) {
        let edits: Vec<Edit> = changes.iter().map(|change| edit(path, change.clone())).collect();
        let edits = without_duplicates(&edits.iter().collect::<Vec<_>>());
        let message = contradiction(&edits).map(|why| {
            let ways = why.split_once("contradict each other: ").unwrap().1;
            ways.split_once(". ").unwrap().0.to_owned()
        });
        (edits.len(), message)
    }

    #[test]
    fn equal_edits_are_merged_and_contradictory_edits_refused() {
        let key = Path::dotted("spec.ports").item(0).key("targetPort");
        let item = Path::dotted("spec.ports").item(1);
        assert_eq!(conflicts(&key, &[add(1), add(1), add(1)]), (1, None));
        assert_eq!(conflicts(&key, &[add(1), add(2), add(1)]), (2, Some("1; 2".to_owned())));
        // Added elements follow each other.
        assert_eq!(conflicts(&item, &[add(1), add(2), add(1)]), (2, None));
        assert_eq!(conflicts(&key, &[set(1), set(1)]), (1, None));
        assert_eq!(conflicts(&key, &[set(1), set(2)]), (2, Some("81; 82".to_owned())));
        assert_eq!(conflicts(&key, &[text(0..1, 1), text(2..3, 2), text(0..1, 1)]), (2, None));
        assert_eq!(conflicts(&key, &[text(2..3, 2), text(0..1, 1), text(0..1, 3)]), (3, Some("011; 013".to_owned())));
        assert_eq!(conflicts(&key, &[text(0..3, 1), text(2..5, 2)]), (2, Some("031; 252".to_owned())));
        assert_eq!(conflicts(&key, &[text(0..1, 1), set(2)]), (2, Some("011; 82".to_owned())));
        // An added value may be set later.
        assert_eq!(conflicts(&key, &[add(1), set(2)]), (2, None));
    }
}
