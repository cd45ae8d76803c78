//! Added and removed list elements, with separators and the form of an emptied list.

use std::collections::BTreeMap;
use std::ops::Range;

use super::slot::Slot;
use lossless_yaml::Splice;

/// A list with added or removed elements.
#[derive(Debug)]
pub(super) enum ChangedList {
    /// Elements on separate lines.
    Lines {
        /// Number of elements.
        count: usize,
        /// Offset at which `[]` is written if no element is left; `None` if the list is the whole document.
        emptied: Option<usize>,
    },
    /// Elements between brackets, separated by commas.
    Flow {
        /// Ranges of all elements.
        elements: Vec<Range<usize>>,
        /// Range between the brackets.
        inside: Range<usize>,
    },
}

impl ChangedList {
    /// Returns the items of a JSON list.
    pub(super) fn json(text: &str, items: Vec<Range<usize>>) -> Self {
        let start = items.first().map_or(0, |first| first.start);
        let end = items.last().map_or(0, |last| last.end);
        // JSON has only white space between a bracket and the adjacent item.
        let start = text.get(..start).map_or(start, |before| before.trim_ascii_end().len());
        let end = text.get(end..).map_or(end, |after| text.len() - after.trim_ascii_start().len());
        Self::Flow { elements: items, inside: start..end }
    }
}

/// All lists with added or removed elements, keyed by an offset of the input that is unique per list.
#[derive(Debug, Default)]
pub(super) struct Rows(BTreeMap<usize, (ChangedList, BTreeMap<usize, Slot>)>);

impl Rows {
    /// Records the changes at the element `index` of the list `id`.
    pub(super) fn insert(&mut self, id: usize, index: usize, slot: Slot, row: impl FnOnce() -> ChangedList) {
        let (_, slots) = self.0.entry(id).or_insert_with(|| (row(), BTreeMap::new()));
        slots.insert(index, slot);
    }

    /// Replacements for the rows.
    pub(super) fn splices(self, text: &str) -> Vec<Splice> {
        let of_row = |(row, slots)| match row {
            ChangedList::Lines { count, emptied } => lines(text, &slots, count, emptied),
            ChangedList::Flow { elements, inside } => flow(text, &slots, &elements, inside),
        };
        self.0.into_values().flat_map(of_row).collect()
    }
}

/// Returns the final line break of a part of the input, or else the first line break of the input.
pub(super) fn line_break(text: &str, part: &str) -> &'static str {
    let has = if part.ends_with('\n') { part } else { text.split_inclusive('\n').next().unwrap_or_default() };
    if has.ends_with("\r\n") { "\r\n" } else { "\n" }
}

/// Replacements for the elements of a block list. `emptied` is the offset for `[]` if no element is left.
fn lines(text: &str, slots: &BTreeMap<usize, Slot>, count: usize, emptied: Option<usize>) -> Vec<Splice> {
    let mut splices = Vec::new();
    let none_left = slots.len() == count && slots.values().all(Slot::is_empty);
    splices.extend(emptied.filter(|_| none_left).map(|at| Splice { range: at..at, text: " []".to_owned() }));
    for (index, slot) in slots {
        let part = text.get(slot.range.clone()).unwrap_or_default();
        let line_break = line_break(text, part);
        let ended = part.ends_with('\n');
        let splice = if slot.is_empty() {
            let stands_for_all = none_left && emptied.is_none() && *index == 0;
            let end = if ended { line_break } else { "" };
            let rest = if stands_for_all { format!("[]{end}") } else { String::new() };
            Splice { range: slot.range.clone(), text: rest }
        } else {
            let mut new = slot.added.join(line_break);
            let range = if slot.is_removed { slot.range.clone() } else { slot.range.end..slot.range.end };
            if ended {
                new.push_str(line_break);
            } else if !slot.is_removed {
                new.insert_str(0, line_break);
            }
            Splice { range, text: new }
        };
        splices.push(splice);
    }
    splices
}

/// Replacements for the elements of a flow sequence.
fn flow(text: &str, slots: &BTreeMap<usize, Slot>, elements: &[Range<usize>], inside: Range<usize>) -> Vec<Splice> {
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    let (Some(first), Some(last)) = (elements.first(), elements.last()) else { return Vec::new() };
    if slots.len() == elements.len() && slots.values().all(Slot::is_empty) {
        let blank = part(inside.start..first.start).trim().is_empty()
            && part(last.end..inside.end).trim_matches([' ', ',', '\t', '\r', '\n']).is_empty();
        let range = if blank { inside } else { first.start..last.end };
        return vec![Splice { range, text: String::new() }];
    }
    let one_comma =
        |gap: &str| gap.matches(',').count() == 1 && gap.trim_matches([' ', ',', '\t', '\r', '\n']).is_empty();
    let head = part(inside.start..first.start);
    let alone = match head {
        head if head.contains('\n') && head.trim().is_empty() => format!(",{head}"),
        _ if part(first.clone()).contains([' ', '\n']) => ", ".to_owned(),
        _ => ",".to_owned(),
    };
    separated(text, slots, elements, &alone, one_comma)
}

/// Returns the replacements for elements with separators. Reuses an existing separator if `fits`
/// accepts it, and writes `alone` otherwise.
pub(super) fn separated(
    text: &str,
    slots: &BTreeMap<usize, Slot>,
    elements: &[Range<usize>],
    alone: &str,
    fits: impl Fn(&str) -> bool,
) -> Vec<Splice> {
    let gap = |index: Option<usize>| {
        let (one, next) = (elements.get(index?)?, elements.get(index? + 1)?);
        text.get(one.end..next.start).filter(|gap| fits(gap))
    };
    let is_dropped = |index: usize| slots.get(&index).is_some_and(Slot::is_empty);
    let mut splices = Vec::new();
    for (&index, slot) in slots {
        if !slot.is_empty() {
            let separator = gap(Some(index)).or_else(|| gap(index.checked_sub(1))).unwrap_or(alone);
            let new = slot.added.join(separator);
            splices.push(if slot.is_removed {
                Splice { range: slot.range.clone(), text: new }
            } else {
                Splice { range: slot.range.end..slot.range.end, text: format!("{separator}{new}") }
            });
            continue;
        }
        if index > 0 && is_dropped(index - 1) {
            continue;
        }
        // First of several consecutive removed elements; they are removed with the separators
        // between them and one adjacent separator.
        let last = (index..elements.len()).take_while(|&index| is_dropped(index)).last().unwrap_or(index);
        let range = |index: usize| elements.get(index).cloned().unwrap_or_default();
        let range = match index.checked_sub(1) {
            Some(before) => range(before).end..range(last).end,
            None if last + 1 < elements.len() => range(index).start..range(last + 1).start,
            None => range(index).start..range(last).end,
        };
        splices.push(Splice { range, text: String::new() });
    }
    splices
}
