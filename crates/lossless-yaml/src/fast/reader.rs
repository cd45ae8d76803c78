//! The text, how far it is read, and what was read of it. Every step gives none where granit has to decide.

use std::borrow::Cow;

use super::search;
use crate::node_list::NodeList;
use crate::tree::{Style, Tree};

/// How many collections may be open at once; more is for granit, which counts them too.
const DEEPEST: usize = 200;

/// A key may be this long, in bytes. granit gives up at 1,024 characters from its start to its colon.
pub(super) const LONGEST_KEY: usize = 1000;

/// A text that is being read.
pub(super) struct Reader<'s> {
    pub(super) text: &'s str,
    /// The next byte.
    pub(super) at: usize,
    /// Where the line of the next byte starts.
    pub(super) line_start: usize,
    pub(super) list: NodeList<'s>,
    /// The block collections that are open, the outermost first. Those in flow style are open only while they are read.
    pub(super) blocks: Vec<Block>,
    /// Whether there is a tab anywhere.
    pub(super) has_tabs: bool,
}

/// A block collection whose end is not reached yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// The column of its keys or dashes.
    pub(super) column: usize,
    pub(super) sequence: bool,
    /// Behind the colon or the dash of an entry whose value has not come yet.
    pub(super) waits: Option<usize>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        let has_tabs = search::one(b'\t', text.as_bytes()).is_some();
        Self { text, at: 0, line_start: 0, list: NodeList::for_text(text.len()), blocks: Vec::new(), has_tabs }
    }

    /// Reads all of it.
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

    /// The `---` that may stand before the document.
    fn head(&mut self) -> Option<()> {
        self.next_line()?;
        if self.column() == 0 && self.rest().starts_with(b"---") {
            self.at += 3;
            self.line_ends()?;
        }
        Some(())
    }

    /// What is not read yet.
    pub(super) fn rest(&self) -> &'s [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next byte; none at the end.
    pub(super) fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Whether what stands at an offset separates: a space, the end of a line or of the text.
    pub(super) fn separates(&self, at: usize) -> bool {
        matches!(self.byte(at), None | Some(b' ' | b'\n'))
    }

    /// How many spaces stand at an offset.
    pub(super) fn blanks_at(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let mut blanks = 0;
        // Indentation is long enough for eight at a time.
        while rest.get(blanks..).is_some_and(|rest| rest.starts_with(b"        ")) {
            blanks += 8;
        }
        blanks + rest.iter().skip(blanks).take_while(|&&byte| byte == b' ').count()
    }

    pub(super) fn skip_spaces(&mut self) {
        self.at += self.blanks_at(self.at);
    }

    /// Goes to the start of the next line.
    pub(super) fn skip_line(&mut self) {
        self.at = search::one(b'\n', self.rest()).map_or(self.text.len(), |found| self.at + found + 1);
        self.line_start = self.at;
    }

    /// The column of the next byte, where only blanks and dashes stand before it on its line.
    pub(super) fn column(&self) -> usize {
        self.at - self.line_start
    }

    /// Goes to the first character of the next line that holds more than blanks and a comment, or to the end.
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

    /// What stands behind a node on its line: nothing, or a comment.
    pub(super) fn line_ends(&mut self) -> Option<()> {
        if self.at_line_end() {
            self.skip_line();
            return Some(());
        }
        None
    }

    /// Goes over blanks; whether nothing but a comment follows on this line.
    pub(super) fn at_line_end(&mut self) -> bool {
        let start = self.at;
        self.skip_spaces();
        match self.peek() {
            None | Some(b'\n') => true,
            Some(b'#') => self.at > start,
            _ => false,
        }
    }

    /// Whether one more collection may be opened.
    pub(super) fn may_open(&self) -> Option<()> {
        (self.list.open().len() < DEEPEST).then_some(())
    }

    /// Whether a key that starts at an offset may end here.
    pub(super) fn may_end_key(&self, start: usize) -> Option<()> {
        (self.at - start <= LONGEST_KEY).then_some(())
    }

    /// The innermost block collection ends.
    pub(super) fn close_block(&mut self) -> Option<()> {
        self.fill();
        self.blocks.pop()?;
        self.list.close(None);
        Some(())
    }

    /// Gives an entry that waits for its value an empty one.
    pub(super) fn fill(&mut self) {
        if let Some(at) = self.blocks.last_mut().and_then(|block| block.waits.take()) {
            self.list.push_scalar(Style::Plain, at..at, Cow::Borrowed(""));
        }
    }
}
