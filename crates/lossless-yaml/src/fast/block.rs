//! Block collections: a line belongs to the one whose column it has.

use super::reader::{Block, Reader};
use super::scalar::Scalar;
use crate::tree::Kind;

impl<'s> Reader<'s> {
    /// A line whose first character stands in a column.
    pub(super) fn line(&mut self, column: usize) -> Option<()> {
        if column == 0 && self.is_marker() {
            return None;
        }
        while self.blocks.last().is_some_and(|block| block.column > column) {
            self.close_block()?;
        }
        let Some(block) = self.blocks.last() else {
            // The outermost collection; there is only one.
            return if self.list.nodes.is_empty() { self.node(column) } else { None };
        };
        let (waits, same) = (block.waits.is_some(), block.column == column);
        match (block.sequence, self.is_dash()) {
            (true, true) if same => {
                self.fill();
                self.element()
            }
            (false, false) if same => {
                self.fill();
                self.key()
            }
            // Behind a sequence at the column of its key.
            (true, false) if same => {
                self.close_block()?;
                self.blocks.last().filter(|block| block.column == column && !block.sequence)?;
                self.key()
            }
            // The value of the entry above, which has none yet: deeper than that, or a sequence at the same column.
            _ if waits => {
                self.took_value();
                self.node(column)
            }
            _ => None,
        }
    }

    /// `---`, `...` and directives: all that may stand at the start of a line and is not a part of a document.
    pub(super) fn is_marker(&self) -> bool {
        let rest = self.rest();
        rest.starts_with(b"---") || rest.starts_with(b"...") || rest.starts_with(b"%")
    }

    /// Whether the next character starts an element of a sequence.
    fn is_dash(&self) -> bool {
        self.is_dash_at(self.at)
    }

    /// The same of the character at an offset.
    pub(super) fn is_dash_at(&self, at: usize) -> bool {
        self.byte(at) == Some(b'-') && self.separates(at + 1)
    }

    /// A node that starts a line or follows a dash, where it may be a block collection. The column is its own.
    fn node(&mut self, column: usize) -> Option<()> {
        if self.is_dash() {
            self.open(column, true)?;
            return self.element();
        }
        self.inline(Some(column))
    }

    /// A node that starts where the reader is, up to the end of its line at least. It may be a mapping only with a
    /// column.
    fn inline(&mut self, column: Option<usize>) -> Option<()> {
        match self.peek()? {
            // A document that is not a block collection may be JSON, or is odd.
            b'[' | b'{' => {
                self.blocks.last()?;
                self.flow()?;
                self.line_ends()
            }
            b'|' | b'>' => self.block_scalar(self.blocks.last()?.column),
            _ => {
                let start = self.at;
                let scalar = self.scalar(false)?;
                match (scalar.is_key, column) {
                    (true, Some(column)) => {
                        let colon = std::mem::replace(&mut self.at, start);
                        self.open(column, false)?;
                        self.at = colon;
                        self.entry(scalar)
                    }
                    (false, _) => {
                        self.blocks.last()?;
                        self.push(scalar);
                        self.line_ends()
                    }
                    (true, None) => None,
                }
            }
        }
    }

    /// A line of a mapping that is open.
    fn key(&mut self) -> Option<()> {
        let scalar = self.scalar(false)?;
        if scalar.is_key { self.entry(scalar) } else { None }
    }

    /// A key, up to its colon, and its value as far as that is on the same line.
    fn entry(&mut self, key: Scalar<'s>) -> Option<()> {
        self.may_end_key(key.span.start)?;
        self.push(key);
        self.at += 1;
        if self.ends_entry() { Some(()) } else { self.inline(None) }
    }

    /// A dash, and what follows it on the same line.
    fn element(&mut self) -> Option<()> {
        self.at += 1;
        if self.ends_entry() { Some(()) } else { self.node(self.column()) }
    }

    /// Whether the value of an entry is not on its line: then the entry waits for it.
    fn ends_entry(&mut self) -> bool {
        let empty = self.at;
        let ends = self.at_line_end();
        if ends {
            self.skip_line();
            if let Some(block) = self.blocks.last_mut() {
                block.waits = Some(empty);
            }
        }
        ends
    }

    /// The entry of the innermost block collection that waited for a value gets it.
    fn took_value(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.waits = None;
        }
    }

    /// A block collection starts here.
    fn open(&mut self, column: usize, sequence: bool) -> Option<()> {
        self.may_open()?;
        let kind = if sequence { Kind::Sequence { flow: false } } else { Kind::Mapping { flow: false } };
        self.list.open_collection(kind, self.at..self.at);
        self.blocks.push(Block { column, sequence, waits: None });
        Some(())
    }
}
