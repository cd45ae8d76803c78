//! Flow collections, on one line or several. Each scalar and key must be on one line.

use super::reader::Reader;
use crate::tree::Kind;

/// Position in a flow collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// After an opening bracket or a comma.
    Entry,
    /// After the colon of a key.
    Value,
    /// After an element or a value.
    Behind,
}

impl Reader<'_> {
    /// Reads the flow collection at the current offset, with a loop instead of recursion, so that depth needs no stack.
    pub(super) fn flow(&mut self) -> Option<()> {
        let outside = self.list.open().len();
        let mut next = Next::Value;
        loop {
            self.skip_white()?;
            let mapping = self.list.open().last().is_some_and(|open| open.mapping);
            next = match (self.peek()?, next) {
                (b']', Next::Entry | Next::Behind) if !mapping => self.close_flow(),
                (b'}', Next::Entry | Next::Behind) if mapping => self.close_flow(),
                (b',', Next::Behind) => {
                    self.at += 1;
                    Next::Entry
                }
                (_, Next::Behind) => return None,
                (_, Next::Entry) if mapping => {
                    let key = self.scalar(true)?;
                    if !key.is_key {
                        return None;
                    }
                    self.may_end_key(key.span.start)?;
                    self.push(key);
                    self.at += 1;
                    Next::Value
                }
                (b'[', _) => self.open_flow(Kind::Sequence { flow: true })?,
                (b'{', _) => self.open_flow(Kind::Mapping { flow: true })?,
                _ => {
                    let scalar = self.scalar(true)?;
                    if scalar.is_key {
                        return None;
                    }
                    self.push(scalar);
                    Next::Behind
                }
            };
            if self.list.open().len() == outside {
                return Some(());
            }
        }
    }

    /// Skips white space and comments; `None` at a line that separates documents.
    fn skip_white(&mut self) -> Option<()> {
        loop {
            // A comment at the start of a line needs no space before it.
            let comment = self.at == self.line_start && self.peek() == Some(b'#');
            if !comment && !self.at_line_end() {
                return Some(());
            }
            self.peek()?;
            self.skip_line();
            if self.is_marker() {
                return None;
            }
        }
    }

    fn open_flow(&mut self, kind: Kind) -> Option<Next> {
        self.may_open()?;
        self.list.open_collection(kind, self.at..self.at + 1);
        self.at += 1;
        Some(Next::Entry)
    }

    fn close_flow(&mut self) -> Next {
        self.at += 1;
        self.list.close(Some(self.at));
        Next::Behind
    }
}
