//! Pieces of an input that are parsed independently.

use std::ops::Range;

use super::document::{CutList, Document};
use super::list_frame::{ListFrame, ListKind};
use super::objects::UnitKind;
use super::{envelope, json, split};
use lossless_yaml::{LineCounter, LineIndex, ParseErrorKind, Tree};

/// A piece of the input that is parsed independently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunk {
    pub range: Range<usize>,
    /// First line in the input, counted from 1.
    pub line: usize,
    /// Index of the document that contains the unit.
    pub document: usize,
    pub part: UnitKind,
}

/// Splits an input into documents, and lists into items.
pub(super) fn documents(text: &str) -> Vec<Document> {
    if let Some(values) = json::values(text) {
        let mut lines = LineCounter::new(text, 1);
        let document = |range: Range<usize>| {
            let list = json_list(text, &range);
            Document { line: lines.line(range.start), list: list.map(Box::new), range }
        };
        return values.into_iter().map(document).collect();
    }
    let may_be_lists = split::has_items(text);
    let document = |piece: split::Piece| {
        let list = if may_be_lists { block_list(text, &piece.range) } else { None };
        Document { list: list.map(Box::new), line: piece.line, range: piece.range }
    };
    match split::documents(text) {
        Some(pieces) => pieces.into_iter().map(document).collect(),
        None => vec![Document { range: 0..text.len(), line: 1, list: None }],
    }
}

/// Splits a list in block style into its items.
fn block_list(text: &str, document: &Range<usize>) -> Option<CutList> {
    let ranges = split::items(text.get(document.clone())?)?;
    split_list(text, document, ranges, false)
}

/// Splits a JSON list into its items.
fn json_list(text: &str, document: &Range<usize>) -> Option<CutList> {
    let ranges = json::items(text.get(document.clone())?)?;
    split_list(text, document, ranges, true)
}

/// Builds the list; `None` if the text without the items shows that the split was wrong.
fn split_list(text: &str, document: &Range<usize>, ranges: Vec<Range<usize>>, json: bool) -> Option<CutList> {
    let whole = |range: Range<usize>| document.start + range.start..document.start + range.end;
    let items: Vec<_> = ranges.into_iter().map(whole).collect();
    let mut list = CutList { kind: ListKind::List, items, json, envelope: None };
    let shell = list.frame(text, document)?;
    let tree = Tree::parse(shell.text()).ok()?;
    list.kind = shell.list_kind(&tree)?;
    list.envelope = envelope::read_shell(text, list.kind, &shell, &tree);
    let final_item = list.items.last()?;
    // A line inside of a quoted text of the last item may look like the key that follows `items`.
    // The split is valid only if the last item is complete.
    let ends_there = json || final_item.end == document.end || is_complete(text.get(final_item.clone())?);
    ends_there.then_some(list)
}

/// False for a text that ends inside of a quoted text or of brackets, or has another syntax error.
fn is_complete(item: &str) -> bool {
    Tree::parse(item).map_or_else(|error| error.kind == ParseErrorKind::UnknownAnchor, |_| true)
}

impl CutList {
    /// Returns the list without its items.
    pub(super) fn frame(&self, text: &str, document: &Range<usize>) -> Option<ListFrame> {
        let gap = self.items.first()?.start..self.items.last()?.end;
        ListFrame::new(text, document.clone(), gap, self.json)
    }
}

/// Returns the units of all documents. A document whose `whole` flag is set is not split into items.
pub(super) fn units(text: &str, documents: &[Document], whole: &[bool]) -> Vec<Chunk> {
    let mut units = Vec::with_capacity(documents.len());
    let mut lines = LineCounter::new(text, 1);
    for (number, document) in documents.iter().enumerate() {
        let cut = document.list.as_ref().filter(|_| whole.get(number) != Some(&true));
        let Some(list) = cut else {
            let Document { range, line, .. } = document;
            units.push(Chunk { range: range.clone(), line: *line, document: number, part: UnitKind::Document });
            continue;
        };
        units.reserve(list.items.len());
        for (index, range) in list.items.iter().enumerate() {
            let (item, list_kind) = (index + 1, list.kind);
            let part = if list.json {
                UnitKind::JsonItem { number: item, list: list_kind }
            } else {
                UnitKind::Item { number: item, list: list_kind }
            };
            units.push(Chunk { range: range.clone(), line: lines.line(range.start), document: number, part });
        }
    }
    units
}

/// Returns the byte offset of a line; lines count from 1.
pub(super) fn start_of_line(text: &str, line: usize) -> usize {
    let start = LineIndex::new(text).start(line);
    let rest = text.get(start..).unwrap_or_default();
    start + rest.len() - rest.trim_start_matches([' ', '\t']).len()
}
