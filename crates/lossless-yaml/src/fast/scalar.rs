//! Plain and quoted scalars. Outside of flow collections they may have several lines.

use std::borrow::Cow;
use std::ops::Range;

use super::characters::{Class, class};
use super::reader::Reader;
use super::search;
use crate::decode;
use crate::tree::Style;

/// A scalar that was read but is not a node yet.
pub(super) struct Scalar<'s> {
    pub(super) span: Range<usize>,
    style: Style,
    pub(super) value: Cow<'s, str>,
    /// True if the scalar is a key: the current offset is its colon.
    pub(super) is_key: bool,
}

impl<'s> Reader<'s> {
    /// Adds a scalar as a node.
    pub(super) fn push(&mut self, scalar: Scalar<'s>) {
        self.list.push_scalar(scalar.style, scalar.span, scalar.value);
    }

    /// Reads the scalar at the current offset. Afterwards the current offset is the colon of a key; for other scalars
    /// an offset between the scalar and the following text.
    pub(super) fn scalar(&mut self, flow: bool) -> Option<Scalar<'s>> {
        match self.peek()? {
            b'"' => self.quoted(Style::DoubleQuoted, flow),
            b'\'' => self.quoted(Style::SingleQuoted, flow),
            first => self.plain(first, flow),
        }
    }

    /// Reads a plain scalar; `None` if granit has to parse the text.
    fn plain(&mut self, first: u8, flow: bool) -> Option<Scalar<'s>> {
        let start = self.at;
        let starts = match class(first) {
            Class::Text => true,
            Class::Dash => !self.separates(start + 1) && (!flow || !self.is_flow(start + 1)),
            Class::Colon => !flow && !self.separates(start + 1),
            _ => false,
        };
        if !starts {
            return None;
        }
        self.at += 1;
        let mut folded = false;
        let is_key = loop {
            let run = self.run(flow);
            if self.has_tabs && search::one(b'\t', self.rest().get(..run)?).is_some() {
                return None;
            }
            self.at += run;
            match self.peek() {
                None => break false,
                Some(b':') if self.separates(self.at + 1) => break true,
                Some(b':') if flow && self.is_flow(self.at + 1) => return None,
                // A comment needs a space before it.
                Some(b'#') if self.byte(self.at - 1) == Some(b' ') => break false,
                Some(b':' | b'#') => self.at += 1,
                Some(b'\n') if !flow && self.continues_on_next_line(false) => folded = true,
                Some(_) => break false,
            }
        };
        let end = self.text_end(start);
        if is_key && folded {
            return None;
        }
        // A following comment may need the space, so stop before it.
        if !is_key {
            self.at = end;
        }
        let value = self.value(start..end, Style::Plain, folded)?;
        Some(Scalar { span: start..end, style: Style::Plain, value, is_key })
    }

    /// Returns the number of bytes up to a character that may end a plain scalar.
    fn run(&self, flow: bool) -> usize {
        let rest = self.rest();
        let end = if flow {
            rest.iter().position(|&byte| matches!(byte, b':' | b'#' | b'\n' | b',' | b'[' | b']' | b'{' | b'}'))
        } else {
            search::find_any_of_three((b':', b'#', b'\n'), rest)
        };
        end.unwrap_or(rest.len())
    }

    /// Returns the end of the text between an offset and the current one, without the spaces at the end.
    fn text_end(&self, start: usize) -> usize {
        let read = self.text.as_bytes().get(start..self.at).unwrap_or_default();
        start + read.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1)
    }

    /// Returns the value of a scalar: the source without quotes, or decoded if it has escapes or line breaks.
    fn value(&self, span: Range<usize>, style: Style, decoded: bool) -> Option<Cow<'s, str>> {
        let quote = usize::from(style != Style::Plain);
        if decoded {
            return Some(Cow::Owned(decode::flow_scalar(self.text.get(span)?, style)?.text));
        }
        self.text.get(span.start + quote..span.end - quote).map(Cow::Borrowed)
    }

    /// At the end of a line, moves to the next line with text if the scalar continues there. A plain scalar ends before
    /// a comment and before a line that is not indented deeper than the block collection; a quoted one may continue at
    /// any column.
    fn continues_on_next_line(&mut self, quoted: bool) -> bool {
        let Some(column) = self.blocks.last().map(|block| block.column) else { return false };
        let here = (self.at, self.line_start);
        loop {
            self.skip_line();
            self.skip_spaces();
            match self.peek() {
                Some(b'\n') => {}
                Some(next) if next > b' ' && quoted && !self.at_marker() => return true,
                Some(next) if next > b' ' && !quoted && next != b'#' && self.column() > column => return true,
                _ => {
                    (self.at, self.line_start) = here;
                    return false;
                }
            }
        }
    }

    /// True if the line starts here with `---` or `...`, which may separate documents.
    fn at_marker(&self) -> bool {
        self.column() == 0 && (self.rest().starts_with(b"---") || self.rest().starts_with(b"..."))
    }

    /// True if a character ends a plain scalar in a flow collection.
    fn is_flow(&self, at: usize) -> bool {
        self.byte(at).is_some_and(|byte| class(byte) == Class::Flow)
    }

    /// Reads a quoted scalar; `None` if granit has to parse the text.
    fn quoted(&mut self, style: Style, flow: bool) -> Option<Scalar<'s>> {
        let start = self.at;
        let (quote, escape) = if style == Style::SingleQuoted { (b'\'', b'\'') } else { (b'"', b'\\') };
        self.at += 1;
        let (mut escaped, mut folded) = (false, false);
        loop {
            let run = search::find_any_of_three((quote, escape, b'\n'), self.rest())?;
            if self.has_tabs && search::one(b'\t', self.rest().get(..run)?).is_some() {
                return None;
            }
            self.at += run;
            let byte = self.peek()?;
            let next = self.byte(self.at + 1).unwrap_or(b'\n');
            match byte {
                b'\n' if !flow && self.continues_on_next_line(true) => folded = true,
                _ if byte < b' ' => return None,
                // A line break is handled as a line break even if it is escaped.
                _ if byte == escape && (quote != escape || next == quote) => {
                    escaped = true;
                    self.at += if next < b' ' { 1 } else { 2 };
                }
                _ => break,
            }
        }
        self.at += 1;
        let end = self.at;
        let value = self.value(start..end, style, escaped || folded)?;
        self.skip_spaces();
        let is_key = !folded && self.peek() == Some(b':') && self.separates(self.at + 1);
        if !is_key {
            self.at = end;
        }
        Some(Scalar { span: start..end, style, value, is_key })
    }
}
