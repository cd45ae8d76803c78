//! Literal and folded block scalars without an indentation digit.

use std::borrow::Cow;

use super::reader::Reader;
use crate::decode::Chomp;
use crate::tree::Style;

/// Bytes that are reserved for a text of several lines: most texts fit.
const RESERVED: usize = 512;

/// A line of a block scalar.
enum Line<'s> {
    /// Spaces up to the indentation, and a line break.
    Empty,
    /// Text after the indentation, without the line break; true if there is a line break.
    Text(&'s str, bool),
}

/// Text of a block scalar; borrowed from the input as long as it is a single line.
#[derive(Default)]
struct Lines<'s> {
    text: Cow<'s, str>,
    folded: bool,
    /// True if the last line of text starts with a blank.
    spaced: bool,
    /// True if the last line of text ended with a line break.
    ended: bool,
    /// Number of empty lines after the last line of text.
    empty: usize,
}

impl<'s> Lines<'s> {
    /// Appends a line of text, and the line breaks before it.
    fn push(&mut self, line: &'s str, ended: bool) {
        let spaced = line.starts_with([' ', '\t']);
        if self.text.is_empty() && self.empty == 0 {
            self.text = Cow::Borrowed(line);
        } else {
            let folds = self.folded && self.ended && !self.spaced && !spaced;
            if let Cow::Borrowed(first) = self.text {
                let mut text = String::with_capacity(first.len().max(RESERVED));
                text.push_str(first);
                self.text = Cow::Owned(text);
            }
            let text = self.text.to_mut();
            if folds && self.empty == 0 {
                text.push(' ');
            } else if self.ended && !folds {
                text.push('\n');
            }
            text.extend(std::iter::repeat_n('\n', self.empty));
            text.push_str(line);
        }
        (self.empty, self.spaced, self.ended) = (0, spaced, ended);
    }

    /// The text with the line breaks at its end that `chomp` keeps.
    fn chomped(mut self, chomp: Chomp) -> Cow<'s, str> {
        if chomp != Chomp::Strip {
            self.text.to_mut().push('\n');
        }
        if chomp == Chomp::Keep {
            self.text.to_mut().extend(std::iter::repeat_n('\n', self.empty));
        }
        self.text
    }
}

impl<'s> Reader<'s> {
    /// Reads the block scalar at the current offset of the `|` or `>`, in a block collection at `column`.
    pub(super) fn block_scalar(&mut self, column: usize) -> Option<()> {
        let start = self.at;
        let style = if self.peek()? == b'|' { Style::Literal } else { Style::Folded };
        self.at += 1;
        let chomp = match self.peek()? {
            b'-' => Chomp::Strip,
            b'+' => Chomp::Keep,
            _ => Chomp::Clip,
        };
        self.at += usize::from(chomp != Chomp::Clip);
        self.line_ends()?;
        let body = self.at;
        let indent = self.indent()?;
        if indent <= column {
            return None;
        }
        self.at = body;
        let mut lines = Lines { folded: style == Style::Folded, ..Lines::default() };
        while let Some(line) = self.text_line(indent) {
            match line {
                Line::Empty => lines.empty += 1,
                Line::Text(text, ended) => lines.push(text, ended),
            }
        }
        self.list.push_scalar(style, start..self.at, lines.chomped(chomp));
        Some(())
    }

    /// Returns the indentation of the first line of text; `None` if a blank line above it is longer.
    fn indent(&mut self) -> Option<usize> {
        let mut deepest = 0;
        loop {
            self.skip_spaces();
            let indent = self.column();
            match self.peek()? {
                b'\n' => deepest = deepest.max(indent),
                b'\t' => return None,
                _ => return (deepest <= indent).then_some(indent),
            }
            self.skip_line();
        }
    }

    /// Returns the next line of a block scalar; `None` at its end. Spaces at the end of the input belong to it.
    fn text_line(&mut self, indent: usize) -> Option<Line<'s>> {
        let start = self.at;
        self.line_start = start;
        let blanks = self.blanks_at(start).min(indent);
        match self.byte(start + blanks) {
            None => {
                self.at = self.text.len();
                return None;
            }
            Some(b'\n') => {
                self.skip_line();
                return Some(Line::Empty);
            }
            Some(_) if blanks < indent => return None,
            Some(_) => {}
        }
        self.skip_line();
        let line = self.text.get(start + indent..self.at)?;
        let text = line.strip_suffix('\n');
        Some(Line::Text(text.unwrap_or(line), text.is_some()))
    }
}
