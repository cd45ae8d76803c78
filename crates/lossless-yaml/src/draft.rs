//! Byte replacements before they become splices.

use std::ops::Range;

use super::decode;
use super::lines;
use super::node::NodeRef;
use super::op::{EditError, Splice};
use super::path::Path;
use super::shape;
use super::tree::{Id, Tree};

/// One replacement. If several insertions have the same offset, the deepest comes first, because
/// its collection ends before the collections around it.
#[derive(Debug)]
struct Draft {
    range: Range<usize>,
    text: String,
    depth: usize,
    /// True for whole lines with their line breaks. At the end of a text without a final line break, the break is
    /// written before these lines.
    lines: bool,
}

/// Replacements of one set of edits.
#[derive(Debug)]
pub(super) struct Drafts<'t, 's> {
    pub(super) tree: &'t Tree<'s>,
    pub(super) text: &'s str,
    drafts: Vec<Draft>,
}

impl<'t, 's> Drafts<'t, 's> {
    pub(super) fn new(tree: &'t Tree<'s>) -> Self {
        Self { tree, text: tree.text, drafts: Vec::new() }
    }

    /// Replaces bytes inside of a line, or whole nodes.
    pub(super) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.drafts.push(Draft { range, text: text.into(), depth: 1, lines: false });
    }

    /// Replaces text between two nodes, after insertions that continue the first node.
    pub(super) fn replace_between(&mut self, range: Range<usize>, text: String) {
        self.drafts.push(Draft { range, text, depth: 0, lines: false });
    }

    /// Removes whole lines.
    pub(super) fn remove_lines(&mut self, range: Range<usize>) {
        self.drafts.push(Draft { range, text: String::new(), depth: 0, lines: true });
    }

    /// Inserts whole lines at the start of a line, or at the end of the text. `text` ends with a break.
    pub(super) fn insert_lines(&mut self, at: usize, text: String, depth: usize) {
        self.drafts.push(Draft { range: at..at, text, depth, lines: true });
    }

    /// Returns the sorted splices; an error if two replacements overlap.
    pub(super) fn finish(mut self) -> Result<Vec<Splice>, EditError> {
        // Stable sort: replacements of equal depth keep the order of the edits. At one offset, insertions inside of a
        // line come before new lines, and both before removals.
        self.drafts.sort_by(|a, b| {
            let key =
                |draft: &Draft| (draft.range.start, !draft.range.is_empty(), draft.lines, usize::MAX - draft.depth);
            key(a).cmp(&key(b))
        });
        let overlap = self.drafts.iter().zip(self.drafts.iter().skip(1)).find(|(a, b)| a.range.end > b.range.start);
        if let Some((first, _)) = overlap {
            let line = self.tree.line(first.range.start);
            let why = "two edits change the same bytes";
            return Err(EditError::Unsupported { path: Path::root(), line, why });
        }
        self.keep_missing_last_break()?;
        let changed = |draft: &Draft| !draft.range.is_empty() || !draft.text.is_empty();
        let drafts = self.drafts.into_iter().filter(changed);
        Ok(drafts.map(|draft| Splice { range: draft.range, text: draft.text }).collect())
    }

    /// If the text has no final line break, makes the edited text end without one too.
    fn keep_missing_last_break(&mut self) -> Result<(), EditError> {
        let length = self.text.len();
        if length == 0 || !lines::break_before(self.text, length).is_empty() {
            return Ok(());
        }
        // Count the replacements of whole lines that are adjacent at the end of the text.
        let mut removed = length;
        let mut first = self.drafts.len();
        for draft in self.drafts.iter().rev().take_while(|draft| draft.lines) {
            if draft.range.end != removed {
                break;
            }
            removed = draft.range.start;
            first -= 1;
        }
        let Some(tail) = self.drafts.get_mut(first..).filter(|tail| !tail.is_empty()) else { return Ok(()) };
        let break_before = lines::break_before(self.text, removed);
        let line_break = lines::break_around(self.text, length);
        if removed == length {
            if ends_block_text(self.tree, length) {
                let why = "the text ends inside of a block scalar, without a line break: end the last line";
                return Err(EditError::Unsupported { path: Path::root(), line: self.tree.line(length), why });
            }
            if let Some(draft) = tail.first_mut() {
                draft.text.insert_str(0, line_break);
            }
        }
        match tail.iter_mut().rev().find(|draft| !draft.text.is_empty()) {
            Some(last) => {
                let end = last.text.len() - lines::break_before(&last.text, last.text.len()).len();
                last.text.truncate(end);
            }
            // Keep the line break here, because it is part of the block scalar above.
            None if ends_block_text(self.tree, removed) => {}
            None => {
                if let Some(draft) = tail.first_mut() {
                    draft.range.start -= break_before.len();
                }
            }
        }
        Ok(())
    }
}

/// True if a block scalar ends at an offset and its text depends on the line break there.
pub(super) fn ends_block_text(tree: &Tree<'_>, at: usize) -> bool {
    let after = tree.nodes.partition_point(|node| (node.span.0 as usize) < at);
    let last = after.checked_sub(1).and_then(|index| Id::try_from(index).ok());
    let Some(leaf) = last.map(|id| shape::last_leaf(NodeRef { tree, id })) else { return false };
    let strips = || {
        decode::block_layout(leaf.raw(), leaf.text().unwrap_or_default())
            .is_some_and(|layout| layout.chomp == decode::Chomp::Strip)
    };
    shape::is_block_text(leaf) && leaf.span().end >= at && !strips()
}
