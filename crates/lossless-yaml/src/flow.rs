//! Insertion and removal of entries in flow collections.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::draft::Drafts;
use super::gap;
use super::lines;
use super::node::NodeRef;
use super::op::{EditError, KeyPosition};
use super::path::Path;
use super::scalar::Quote;
use super::shape::{self, Entry};
use super::tree::{Kind, Style};
use super::value::Value;
use super::write::{self, FlowLayout};

/// A flow collection with its pending changes.
pub(super) struct Flow<'d, 't, 's> {
    drafts: &'d mut Drafts<'t, 's>,
    text: &'s str,
    entries: Vec<Entry<'t, 's>>,
    collection: NodeRef<'t, 's>,
    layout: FlowLayout,
    /// Indexes of the removed entries, in ascending order.
    removed: &'d [usize],
    /// New entries by the index of the entry that they follow (`after`) or precede (`above`).
    after: BTreeMap<usize, Vec<String>>,
    above: BTreeMap<usize, Vec<String>>,
}

impl<'d, 't, 's> Flow<'d, 't, 's> {
    pub(super) fn new(
        drafts: &'d mut Drafts<'t, 's>,
        collection: NodeRef<'t, 's>,
        entries: Vec<Entry<'t, 's>>,
        removed: &'d [usize],
        path: &Path,
    ) -> Result<Self, EditError> {
        let text = drafts.text;
        if shape::is_single_pair(collection) {
            let line = drafts.tree.line(collection.start());
            let why = "it is a single pair inside of a flow sequence; put it in braces";
            return Err(EditError::Unsupported { path: path.clone(), line, why });
        }
        let layout = shape::flow_layout(collection);
        let (after, above) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { drafts, text, entries, collection, layout, removed, after, above })
    }

    /// Inserts a key; several keys at the same position keep their order.
    pub(super) fn add(&mut self, key: &str, value: &Value, place: &KeyPosition) {
        let text = write::flow_entry(key, value, self.layout);
        let (list, index) = match self.spot(place) {
            (index, true) => (&mut self.above, index),
            (index, false) => (&mut self.after, index),
        };
        list.entry(index).or_default().push(text);
    }

    /// Appends an element.
    pub(super) fn append(&mut self, value: &Value) {
        let last = self.kept().next_back().unwrap_or_default();
        self.insert(last, value);
    }

    /// Inserts an element after another element that is kept.
    pub(super) fn insert(&mut self, after: usize, value: &Value) {
        let quote = match value {
            Value::Str(_) => shape::quote_of_elements(self.collection),
            _ => Quote::Needed,
        };
        let text = write::flow(value, quote, self.layout);
        self.after.entry(after).or_default().push(text);
    }

    /// Iterates over the indexes of the entries that are kept.
    fn kept(&self) -> impl DoubleEndedIterator<Item = usize> + use<'d> {
        let removed = self.removed;
        (0..self.entries.len()).filter(|index| removed.binary_search(index).is_err())
    }

    /// Returns the index of the entry next to a new one; true if the new entry goes before that entry.
    fn spot(&self, place: &KeyPosition) -> (usize, bool) {
        let there = |wanted: &Cow<'static, str>| {
            let is = |entry: &Entry<'_, '_>| entry.key.and_then(NodeRef::text) == Some(wanted);
            self.entries.iter().position(is).filter(|index| self.removed.binary_search(index).is_err())
        };
        let single = |index: usize| self.entries.get(index).is_some_and(|entry| entry.is_single_line(self.text));
        if let Some(index) = place.after.iter().filter_map(there).find(|&index| single(index)) {
            return (index, false);
        }
        if let Some(index) = place.before.iter().find_map(there) {
            return (index, true);
        }
        let last = self.kept().next_back().unwrap_or_default();
        (self.kept().rev().find(|&index| single(index)).unwrap_or(last), false)
    }

    /// Writes the gaps between the entries that are kept. At least one entry must be kept.
    pub(super) fn finish(mut self) {
        let leads = self.has_leading_commas();
        let mut from: Option<usize> = None;
        for next in self.kept().map(Some).chain([None]) {
            let after = from.and_then(|from| self.after.remove(&from)).unwrap_or_default();
            let above = next.and_then(|next| self.above.remove(&next)).unwrap_or_default();
            let first_removed = from.map_or(0, |from| from + 1);
            let removed = first_removed..next.unwrap_or(self.entries.len());
            if !(removed.is_empty() && after.is_empty() && above.is_empty()) {
                self.between(from, &removed, next, leads, &after, &above);
            }
            from = next;
        }
    }

    /// Writes the gap between two neighbors; `None` stands for the bracket.
    fn between(
        &mut self,
        from: Option<usize>,
        removed: &Range<usize>,
        next: Option<usize>,
        leads: bool,
        after: &[String],
        above: &[String],
    ) {
        // The space in `a: # c` is part of the entry, so the comment needs another space when it moves.
        let padded = |index| match lines::part(self.text, self.gap(index)) {
            gap if gap.starts_with('#') => Cow::Owned(format!(" {gap}")),
            gap => Cow::Borrowed(gap),
        };
        let gaps: Vec<Cow<'_, str>> = (removed.start..=removed.end).map(padded).collect();
        let gaps: Vec<&str> = gaps.iter().map(AsRef::as_ref).collect();
        let mut new = gap::joined(&gaps, from.is_some(), next.is_some());
        // On one line all entries use the same separator.
        let copied = next.map(|_| new.clone()).filter(|gap| gap::comma(gap).is_some() && !gap.contains(['\n', '\r']));
        let comma = copied.as_deref().unwrap_or(self.layout.comma());
        let near = from.or(next).and_then(|index| self.entries.get(index)).map_or(0, |entry| entry.start);
        let line_break = || lines::break_around(self.text, near);
        if let Some(entry) = from.and_then(|from| self.entries.get(from)).filter(|_| !after.is_empty()) {
            let lead = gap::blanks_before(self.text, entry.start);
            let own_line = lead.map(|line| format!("{}{}", line_break(), gap::blanks(line)));
            new = gap::after(&new, after, own_line.as_deref(), leads, comma);
        }
        if next.is_some() && !above.is_empty() {
            new = gap::above(&new, above, leads && from.is_none(), line_break, comma);
        }
        let range = self.gap(removed.start).start..self.gap(removed.end).end;
        // A comment directly after the space of its key needs no second space.
        if new.starts_with(" #") && lines::part(self.text, range.clone()).starts_with('#') {
            new.remove(0);
        }
        let own_comma = gaps.first().is_some_and(|old| old.starts_with(','));
        self.keep_apart(&mut new, range.start, from.filter(|_| !own_comma), next);
        self.drafts.replace_between(range, new);
    }

    /// Adds spaces that keep the new text at an offset apart from the text before and after it.
    fn keep_apart(&self, new: &mut String, at: usize, from: Option<usize>, next: Option<usize>) {
        let before = lines::part(self.text, 0..at);
        // Not every parser reads `a:` as a key without a space after the colon, unless the key is in quotes.
        let from = from.and_then(|from| self.entries.get(from));
        let key = from.and_then(|entry| entry.key.or_else(|| pair_key(entry.value)));
        let plain = key.is_some_and(|key| key.kind() == Kind::Scalar(Style::Plain));
        if plain && before.ends_with(':') && (new.is_empty() || new.starts_with(',')) {
            new.insert(0, ' ');
        }
        // At the start of a line these markers would end the document.
        let next = next.and_then(|next| self.entries.get(next));
        let next = next.map_or("", |next| lines::part(self.text, next.start..next.end));
        if ["---", "..."].iter().any(|marker| next.starts_with(marker)) && new.ends_with(['\n', '\r']) {
            new.push(' ');
        }
    }

    /// Returns the gap between an entry and the previous entry. A bracket limits the gap before the first and after the
    /// last entry.
    fn gap(&self, index: usize) -> Range<usize> {
        let Range { start, end } = self.collection.span();
        let before = index.checked_sub(1).and_then(|before| self.entries.get(before));
        let from = before.map_or(start + 1, |before| before.end);
        from..self.entries.get(index).map_or(end.saturating_sub(1), |entry| entry.start)
    }

    /// True if commas are at the start of lines, before their entries.
    fn has_leading_commas(&self) -> bool {
        (1..self.entries.len()).any(|index| {
            let gap = lines::part(self.text, self.gap(index));
            gap::comma(gap).is_some_and(|comma| lines::part(gap, 0..comma).contains(['\n', '\r']))
        })
    }
}

/// Returns the key of an element that is a single pair without braces.
fn pair_key<'t, 's>(element: NodeRef<'t, 's>) -> Option<NodeRef<'t, 's>> {
    element.entries().next().map(|(key, _)| key).filter(|_| shape::is_single_pair(element))
}
