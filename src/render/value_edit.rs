//! Edits of values in memory, addressed by path.

use super::order;
use lossless_yaml::{Path, Step, Value};

/// Index of a list element; 0 for a key.
pub(super) fn index(path: &Path) -> usize {
    match path.last() {
        Some(Step::Item { index, .. }) => *index,
        _ => 0,
    }
}

/// Steps from `root` to `path`; `None` if `path` is outside of `root`.
pub(super) fn below<'p>(path: &'p Path, root: &Path) -> Option<Vec<&'p Step>> {
    let same = |(step, other): (&&Step, &&Step)| match (step, other) {
        (Step::Item { index: one, .. }, Step::Item { index: other, .. }) => one == other,
        (one, other) => one == other,
    };
    let (mut steps, start) = (path.steps(), root.steps());
    let inside = steps.len() >= start.len() && steps.iter().zip(&start).all(same);
    inside.then(|| steps.split_off(start.len()))
}

/// Returns the value at the end of `steps`.
pub(super) fn value_at<'v>(value: &'v mut Value, steps: &[&Step]) -> Option<&'v mut Value> {
    steps.iter().try_fold(value, |value, step| match (value, step) {
        (Value::Map(entries), Step::Key(key)) => {
            entries.iter_mut().find(|(known, _)| known == key.as_ref()).map(|(_, value)| value)
        }
        (Value::Seq(items), Step::Item { index, .. }) => items.get_mut(*index),
        _ => None,
    })
}

/// Adds a key or an element below the value at `root`; false if the path does not fit.
pub(super) fn add(into: &mut Value, root: &Path, path: &Path, new: &Value) -> bool {
    let Some(way) = below(path, root) else { return false };
    let Some((last, way)) = way.split_last() else { return false };
    match (value_at(into, way), last) {
        (Some(Value::Seq(items)), Step::Item { index, .. }) => {
            items.insert((*index).min(items.len()), new.clone());
            true
        }
        (Some(Value::Map(entries)), Step::Key(key)) if !entries.iter().any(|(known, _)| known == key.as_ref()) => {
            entries.insert(order::position(path, entries), (key.to_string(), new.clone()));
            true
        }
        _ => false,
    }
}

/// Inserts an element after the element at `path`, below the value at `root`; false without that element.
pub(super) fn insert(into: &mut Value, root: &Path, path: &Path, new: &Value) -> bool {
    let Some(way) = below(path, root) else { return false };
    match way.split_last().and_then(|(last, way)| Some((value_at(into, way)?, last))) {
        Some((Value::Seq(items), Step::Item { index, .. })) if *index < items.len() => {
            items.insert(index + 1, new.clone());
            true
        }
        _ => false,
    }
}

/// Removes a key or an element below the value at `root`; false if it is missing.
pub(super) fn remove(from: &mut Value, root: &Path, path: &Path) -> bool {
    let Some(way) = below(path, root) else { return false };
    let Some((last, way)) = way.split_last() else { return false };
    match (value_at(from, way), last) {
        (Some(Value::Seq(items)), Step::Item { index, .. }) if *index < items.len() => {
            items.remove(*index);
            true
        }
        (Some(Value::Map(entries)), Step::Key(key)) => {
            let before = entries.len();
            entries.retain(|(known, _)| known != key.as_ref());
            entries.len() < before
        }
        _ => false,
    }
}
