//! State of the fast parser: the text, the current offset and the nodes so far. Every method returns `None` where
//! granit has to parse the text.

use std::borrow::Cow;

use super::search;
use crate::node_list::NodeList;
use crate::tree::{Style, Tree};

/// Maximum number of nested collections; granit parses deeper ones, and has a limit too.
const MAX_DEPTH: usize = 200;

/// Maximum length of a key in bytes. granit rejects a key with more than 1,024 characters up to its colon.
pub(super) const MAX_KEY_LENGTH: usize = 1000;

/// A text with the current state of the parser.
pub(super) struct Reader<'s> {
    pub(super) text: &'s str,
    /// Offset of the next byte.
    pub(super) at: usize,
    /// Start of the line of the next byte.
    pub(super) line_start: usize,
    pub(super) list: NodeList<'s>,
    /// Open block collections, outermost first. Flow collections are open only while they are read.
    pub(super) blocks: Vec<Block>,
    /// True if the text contains a tab.
    pub(super) has_tabs: bool,
}

/// A block collection whose end is not reached yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// Column of the keys or dashes.
    pub(super) column: usize,
    pub(super) sequence: bool,
    /// Offset after the colon or dash of an entry whose value is still missing.
    pub(super) waits: Option<usize>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        let has_tabs = search::one(b'\t', text.as_bytes()).is_some();
        Self { text, at: 0, line_start: 0, list: NodeList::for_text(text.len()), blocks: Vec::new(), has_tabs }
    }

    /// Parses the whole text.
    pub(super) fn tree(mut self) -> Option<Tree<'s>> {
        self.head()?;
        loop {
            self.next_line()?;
            if self.peek().is_none() {
                break;
            }
            self.line(self.column())?;
        }
        if self.list.nodes.is_empty() {
            return None;
        }
        while !self.blocks.is_empty() {
            self.close_block()?;
        }
        Some(self.list.into_tree(self.text, Vec::new(), false))
    }

    /// Skips the marker `---` at the start of the document.
    fn head(&mut self) -> Option<()> {
        self.next_line()?;
        if self.column() == 0 && self.rest().starts_with(b"---") {
            self.at += 3;
            self.line_ends()?;
        }
        Some(())
    }

    /// Returns the remaining bytes.
    pub(super) fn rest(&self) -> &'s [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Returns the next byte; `None` at the end.
    pub(super) fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// True if a separator is at an offset: a space, or the end of a line or of the text.
    pub(super) fn separates(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b'\n'))
    }

    /// Counts the spaces at an offset.
    pub(super) fn blanks_at(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let mut blanks = 0;
        // Most indentation is long enough to compare eight spaces at once.
        while rest.get(blanks..).is_some_and(|rest| rest.starts_with(b"        ")) {
            blanks += 8;
        }
        blanks + rest.iter().skip(blanks).take_while(|&&byte| byte == b' ').count()
    }

    pub(super) fn skip_spaces(&mut self) {
        self.at += self.blanks_at(self.at);
    }

    /// Moves to the start of the next line.
    pub(super) fn skip_line(&mut self) {
        self.at = search::one(b'\n', self.rest()).map_or(self.text.len(), |found| self.at + found + 1);
        self.line_start = self.at;
    }

    /// Returns the column of the next byte. Correct only after spaces and dashes, because it counts bytes.
    pub(super) fn column(&self) -> usize {
        self.at - self.line_start
    }

    /// Moves to the first character of the next line that is neither blank nor a comment, or to the end.
    pub(super) fn next_line(&mut self) -> Option<()> {
        loop {
            self.skip_spaces();
            match self.peek() {
                Some(b'\n' | b'#') => self.skip_line(),
                Some(b'\t') => return None,
                _ => return Some(()),
            }
        }
    }

    /// Skips the rest of the line after a node; `None` if the line has more than a comment.
    pub(super) fn line_ends(&mut self) -> Option<()> {
        if self.at_line_end() {
            self.skip_line();
            return Some(());
        }
        None
    }

    /// Skips spaces; true if only a comment or nothing follows on the line.
    pub(super) fn at_line_end(&mut self) -> bool {
        let start = self.at;
        self.skip_spaces();
        match self.peek() {
            None | Some(b'\n') => true,
            Some(b'#') => self.at > start,
            _ => false,
        }
    }

    /// `Some` if one more collection may be opened.
    pub(super) fn may_open(&self) -> Option<()> {
        (self.list.open().len() < MAX_DEPTH).then_some(())
    }

    /// `Some` if a key that starts at an offset may end at the current offset.
    pub(super) fn may_end_key(&self, start: usize) -> Option<()> {
        (self.at - start <= MAX_KEY_LENGTH).then_some(())
    }

    /// Closes the innermost block collection.
    pub(super) fn close_block(&mut self) -> Option<()> {
        self.fill();
        self.blocks.pop()?;
        self.list.close(None);
        Some(())
    }

    /// Adds an empty value for an entry that still waits for its value.
    pub(super) fn fill(&mut self) {
        if let Some(at) = self.blocks.last_mut().and_then(|block| block.waits.take()) {
            self.list.push_scalar(Style::Plain, at..at, Cow::Borrowed(""));
        }
    }
}
