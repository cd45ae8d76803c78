//! Insertion and removal of entries in block collections.

use std::borrow::Cow;

use super::decode;
use super::draft::Drafts;
use super::lines;
use super::node::NodeRef;
use super::op::KeyPosition;
use super::scalar::Quote;
use super::shape::{self, Entry};
use super::value::Value;
use super::write::{self, Layout};

/// Position of a new entry in a block mapping.
enum InsertPosition {
    /// Start of the line at this offset.
    Line(usize),
    /// Before the first key, at this offset; a dash precedes the key on its line.
    Inline(usize),
}

/// A block collection with its pending changes.
pub(super) struct Block<'d, 't, 's> {
    drafts: &'d mut Drafts<'t, 's>,
    text: &'s str,
    entries: Vec<Entry<'t, 's>>,
    /// Column of the keys or dashes.
    column: usize,
    depth: usize,
    collection: NodeRef<'t, 's>,
    layout: Layout,
}

impl<'d, 't, 's> Block<'d, 't, 's> {
    pub(super) fn new(
        drafts: &'d mut Drafts<'t, 's>,
        collection: NodeRef<'t, 's>,
        entries: Vec<Entry<'t, 's>>,
    ) -> Self {
        let text = drafts.text;
        let column = lines::column(text, collection.span().start);
        let depth = std::iter::successors(collection.parent(), |node| node.parent()).count();
        let layout = shape::layout(collection);
        Self { drafts, text, entries, column, depth, collection, layout }
    }

    /// Inserts a key. `removed` are the indexes of the entries that the same set of edits removes; the new key is not
    /// placed next to them.
    pub(super) fn add(&mut self, key: &str, value: &Value, place: &KeyPosition, removed: &[usize]) {
        let text = write::entry(key, value, self.column, &self.layout);
        match self.position(place, removed) {
            InsertPosition::Line(at) => {
                let text = format!("{}{text}{}", " ".repeat(self.column), self.layout.line_break);
                self.drafts.insert_lines(at, text, self.depth);
            }
            InsertPosition::Inline(at) => {
                let text = format!("{text}{}", self.layout.new_line(self.column));
                self.drafts.replace(at..at, text);
            }
        }
    }

    /// Chooses the position of a new entry: after or before the entries that `place` names, else at the end.
    fn position(&self, place: &KeyPosition, removed: &[usize]) -> InsertPosition {
        let there = |wanted: &Cow<'static, str>| {
            let is = |entry: &Entry<'_, '_>| entry.key.and_then(NodeRef::text) == Some(wanted);
            let index = self.entries.iter().position(is).filter(|index| !removed.contains(index))?;
            Some((index, *self.entries.get(index)?))
        };
        let single = |entry: &Entry<'_, '_>| entry.is_single_line(self.text);
        let mut after = place.after.iter().filter_map(there);
        if let Some((_, entry)) = after.find(|(_, entry)| single(entry)) {
            return InsertPosition::Line(self.after(&entry));
        }
        if let Some((index, entry)) = place.before.iter().find_map(there) {
            return self.above(index, &entry, removed);
        }
        let kept: Vec<(usize, &Entry<'t, 's>)> =
            self.entries.iter().enumerate().filter(|(index, _)| !removed.contains(index)).collect();
        if let Some((_, entry)) = kept.iter().rev().find(|(_, entry)| single(entry)) {
            return InsertPosition::Line(self.after(entry));
        }
        match kept.iter().rev().find(|(_, entry)| !shape::keeps_breaks(entry.value)) {
            Some((_, entry)) => InsertPosition::Line(self.after(entry)),
            None => kept
                .first()
                .map_or(InsertPosition::Line(self.text.len()), |(index, entry)| self.above(*index, entry, removed)),
        }
    }

    /// Position above an entry.
    fn above(&self, index: usize, entry: &Entry<'t, 's>, removed: &[usize]) -> InsertPosition {
        let first = self.entries.first().map_or(entry.start, |first| first.start);
        let becomes_first = (0..index).all(|before| removed.contains(&before));
        if becomes_first && !lines::starts_line(self.text, first) {
            return InsertPosition::Inline(first);
        }
        let before = index.checked_sub(1).and_then(|index| self.entries.get(index));
        let floor = before.map_or(0, |before| self.after(before));
        InsertPosition::Line(shape::comment_block_above(self.text, entry.start, floor))
    }

    /// Returns the start of the line after an entry and its comments.
    fn after(&self, entry: &Entry<'_, '_>) -> usize {
        shape::line_after(self.text, entry.end, self.column)
    }

    /// Appends elements after the last element and its comments.
    pub(super) fn append(&mut self, values: &[&Value]) {
        self.insert(self.entries.len().saturating_sub(1), values);
    }

    /// Inserts elements after the element `after` and its comments.
    pub(super) fn insert(&mut self, after: usize, values: &[&Value]) {
        let Some(before) = self.entries.get(after).copied() else { return };
        // Same number of spaces after the dash as in the existing element if that element is on the line of its dash.
        let gap = before.value.start().saturating_sub(before.start + 1);
        let between = lines::part(self.text, before.start + 1..before.value.start());
        let gap = if gap > 0 && between.bytes().all(|b| b == b' ') { gap } else { 1 };
        let quote = shape::quote_of_elements(self.collection);
        let at = self.after(&before);
        for value in values {
            let flow = before.value.is_flow() && shape::is_filled(value);
            let text = if flow {
                let text = write::flow(value, Quote::Needed, shape::flow_layout(before.value));
                format!("-{}{text}", " ".repeat(gap))
            } else {
                write::item(value, self.column, gap, quote, &self.layout)
            };
            let text = format!("{}{text}{}", " ".repeat(self.column), self.layout.line_break);
            self.drafts.insert_lines(at, text, self.depth);
        }
    }

    /// Removes some entries, but not all. If the first entry shares its line with a dash, the next remaining entry
    /// moves up to the dash.
    pub(super) fn remove(&mut self, removed: &[usize]) {
        let inline = self.entries.first().is_some_and(|first| !lines::starts_line(self.text, first.start));
        let mut from = 0;
        if inline && removed.contains(&0) {
            while removed.contains(&(from + 1)) {
                from += 1;
            }
            let ends = (self.entries.first(), self.entries.get(from));
            if let (Some(first), Some(last)) = ends {
                let after = lines::part(self.text, self.after(last)..self.text.len());
                let white = after.len() - after.trim_start_matches([' ', '\t', '\n', '\r']).len();
                self.drafts.replace(first.start..self.after(last) + white, "");
            }
            from += 1;
        }
        for index in removed.iter().filter(|&&index| index >= from) {
            if let Some(entry) = self.entries.get(*index) {
                let lines = lines::line_start(self.text, entry.start)..self.after_with_blanks(*index, removed);
                self.drafts.remove_lines(lines);
            }
        }
    }

    /// Returns the start of the line after a removed entry. Blank lines after the entry are removed too if they would
    /// become text of the block scalar above: if that block scalar keeps trailing line breaks (`+`), or if a blank line
    /// is longer than its indentation.
    fn after_with_blanks(&self, index: usize, removed: &[usize]) -> usize {
        let Some(entry) = self.entries.get(index) else { return self.text.len() };
        let after = self.after(entry);
        let Some(above) = (0..index).rev().find(|above| !removed.contains(above)) else { return after };
        let (Some(kept), Some(first)) = (self.entries.get(above), self.entries.get(above + 1)) else { return after };
        // The entries between `above` and `index` are removed too.
        let start = lines::line_start(self.text, first.start);
        let leaf = shape::last_leaf(kept.value);
        if !shape::is_block_text(leaf) {
            return after;
        }
        if leaf.span().end < start {
            return after;
        }
        let indent =
            decode::block_layout(leaf.raw(), leaf.text().unwrap_or_default()).map_or(0, |layout| layout.indent);
        let (mut white, mut is_text) = (after, shape::keeps_breaks(leaf));
        while lines::is_blank_line(self.text, white) {
            is_text |= lines::line_end(self.text, white) - white > indent;
            white = lines::next_line(self.text, white);
        }
        if is_text { white } else { after }
    }
}
