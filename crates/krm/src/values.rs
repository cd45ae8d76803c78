//! Added and removed objects in JSON without `---` between values.

use std::collections::BTreeMap;
use std::ops::Range;

use super::documents::Documents;
use super::rows::{line_break, separated};
use super::slot::Slot;
use lossless_yaml::Splice;

/// Adds and removes objects of a sequence of JSON values, with the existing separator.
pub(super) fn several(text: &str, documents: Documents, all: &[Range<usize>]) -> Vec<Splice> {
    let position = |slot: &Slot| all.iter().position(|range| range.start == slot.range.start);
    let slots: BTreeMap<usize, Slot> =
        documents.0.into_values().filter_map(|(slot, _)| Some((position(&slot)?, slot))).collect();
    separated(text, &slots, all, line_break(text, ""), |gap| gap.trim().is_empty())
}

/// Applies additions and a removal to an input of one object; two and more resulting objects become a
/// `kind: List`. The object's edits are moved into the returned replacement.
pub(super) fn single(text: &str, documents: Documents, edits: &mut Vec<Splice>) -> Option<Splice> {
    let (slot, _) = documents.0.into_values().next()?;
    let Slot { range, is_removed, mut added } = slot;
    if !is_removed {
        let own = edits.drain(..).map(|edit| {
            let inside = edit.range.start.saturating_sub(range.start)..edit.range.end.saturating_sub(range.start);
            Splice { range: inside, text: edit.text }
        });
        added.insert(0, lossless_yaml::splice(text.get(range.clone())?, &own.collect::<Vec<_>>()));
    }
    if added.len() < 2 {
        return Some(Splice { text: added.pop().unwrap_or_default(), range });
    }
    let object = text.get(range.clone())?;
    Some(Splice { text: list(object, &added, line_break(text, "")), range })
}

/// Returns a list of these objects, indented like the first object.
fn list(first: &str, objects: &[String], line_break: &str) -> String {
    let head = [("apiVersion", "\"v1\""), ("kind", "\"List\"")];
    let blank = if first.contains("\": ") { " " } else { "" };
    let step =
        first.lines().nth(1).map_or("", |line| line.get(..line.len() - line.trim_start().len()).unwrap_or_default());
    if step.is_empty() {
        let head: String = head.iter().map(|(key, value)| format!("\"{key}\":{blank}{value},{blank}")).collect();
        return format!("{{{head}\"items\":{blank}[{}]}}", objects.join(&format!(",{blank}")));
    }
    let new_line = format!("{line_break}{step}");
    let head: String = head.iter().map(|(key, value)| format!("{new_line}\"{key}\":{blank}{value},")).collect();
    let inner = format!("{new_line}{step}");
    // JSON strings cannot span lines, so every line can be indented.
    let indented = |object: &String| object.split(line_break).collect::<Vec<_>>().join(&inner);
    let items: Vec<String> = objects.iter().map(|object| format!("{inner}{}", indented(object))).collect();
    format!("{{{head}{new_line}\"items\":{blank}[{}{new_line}]{line_break}}}", items.join(","))
}
