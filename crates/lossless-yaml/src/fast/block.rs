//! Block collections. The column of a line determines its collection.

use super::reader::{Block, Reader};
use super::scalar::Scalar;
use crate::tree::Kind;

impl<'s> Reader<'s> {
    /// Reads a line whose first character is at `column`.
    pub(super) fn line(&mut self, column: usize) -> Option<()> {
        if column == 0 && self.is_marker() {
            return None;
        }
        while self.blocks.last().is_some_and(|block| block.column > column) {
            self.close_block()?;
        }
        let Some(block) = self.blocks.last() else {
            // Open the outermost collection. A document has only one outermost collection.
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
            // The next key after a sequence that starts at the column of its key: close the
            // sequence.
            (true, false) if same => {
                self.close_block()?;
                self.blocks.last().filter(|block| block.column == column && !block.sequence)?;
                self.key()
            }
            // The value that the preceding entry still lacks: a node that is indented deeper, or a
            // sequence at the same column.
            _ if waits => {
                self.blocks.last_mut()?.waits = None;
                self.node(column)
            }
            _ => None,
        }
    }

    /// True at `---`, `...` or a directive, which are not part of a document.
    pub(super) fn is_marker(&self) -> bool {
        matches!(self.rest(), [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..] | [b'%', ..])
    }

    /// True if the next character starts an element of a sequence.
    fn is_dash(&self) -> bool {
        self.byte(self.at) == Some(b'-') && self.separates(self.at + 1)
    }

    /// Reads a node that starts a line or follows a dash, where a block collection is allowed. `column` is the column
    /// of the node.
    fn node(&mut self, column: usize) -> Option<()> {
        if self.is_dash() {
            self.open(column, true)?;
            return self.element();
        }
        self.inline(Some(column))
    }

    /// Reads a node at the current offset, at least up to the end of its line. A mapping is allowed only with a column.
    fn inline(&mut self, column: Option<usize>) -> Option<()> {
        match self.peek()? {
            // A document that is not a block collection may be JSON or unusual, so granit reads it.
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

    /// Reads the next entry of an open mapping.
    fn key(&mut self) -> Option<()> {
        let scalar = self.scalar(false)?;
        if scalar.is_key { self.entry(scalar) } else { None }
    }

    /// Reads a key with its colon, and the part of its value on the same line.
    fn entry(&mut self, key: Scalar<'s>) -> Option<()> {
        self.may_end_key(key.span.start)?;
        self.push(key);
        self.at += 1;
        if self.ends_entry() { Some(()) } else { self.inline(None) }
    }

    /// Reads a dash, and the part of the element on the same line.
    fn element(&mut self) -> Option<()> {
        self.at += 1;
        if self.ends_entry() { Some(()) } else { self.node(self.column()) }
    }

    /// True if the value of an entry is not on its line; the entry then waits for the value.
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

    /// Opens a block collection at the current offset.
    fn open(&mut self, column: usize, sequence: bool) -> Option<()> {
        self.may_open()?;
        let kind = if sequence { Kind::Sequence { flow: false } } else { Kind::Mapping { flow: false } };
        self.list.open_collection(kind, self.at..self.at);
        self.blocks.push(Block { column, sequence, waits: None });
        Some(())
    }
}
