//! Lines and columns of byte offsets, for messages. A line ends with LF, CRLF or CR; a byte order
//! mark precedes the first line.

use std::borrow::Cow;

use super::lines::{self, line_breaks};

/// Interval in bytes at which characters are counted in advance, so that columns in very long lines are fast.
const STRIDE: usize = 1024;

/// Line index of a text. Built in one pass; each lookup then takes the same time at every offset.
///
/// ```
/// use lossless_yaml::LineIndex;
/// let text = "a: é b\r\nc: d\n";
/// let index = LineIndex::new(text);
/// assert_eq!(index.position(text.find('b').unwrap()), (1, 6));
/// assert_eq!(index.position(text.find('d').unwrap()), (2, 4));
/// ```
#[derive(Debug, Clone)]
pub struct LineIndex<'t> {
    text: &'t str,
    table: Cow<'t, LineTable>,
}

/// Counts for a text, separate from the text so that the owner of the text can store them too.
#[derive(Debug, Clone)]
pub(super) struct LineTable {
    /// Offset of each line.
    starts: Vec<usize>,
    /// Number of characters before each multiple of [`STRIDE`]. Empty for an ASCII text.
    characters: Vec<usize>,
}

impl LineTable {
    /// Scans a text once.
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes
            .iter()
            .enumerate()
            .filter(|&(at, &byte)| byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        let first = if text.starts_with(lines::BOM) { lines::BOM.len() } else { 0 };
        let starts = std::iter::once(first).chain(ends.map(|(at, _)| at + 1)).collect();
        let mut characters = Vec::new();
        if !text.is_ascii() {
            let mut before = 0;
            for chunk in bytes.chunks(STRIDE) {
                characters.push(before);
                before += count(chunk);
            }
        }
        Self { starts, characters }
    }
}

impl<'t> LineIndex<'t> {
    /// Scans a text once.
    pub fn new(text: &'t str) -> Self {
        Self { text, table: Cow::Owned(LineTable::new(text)) }
    }

    /// Combines a text with the table of an earlier scan.
    pub(super) fn known(text: &'t str, table: &'t LineTable) -> Self {
        Self { text, table: Cow::Borrowed(table) }
    }

    /// Returns line and column (in characters) of a byte offset, counted from 1. An offset inside of
    /// a character has the position of that character, an offset after the text the position of the
    /// end.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line(offset);
        (line, self.characters(offset) - self.characters(self.start(line).min(offset)) + 1)
    }

    /// Returns the line of a byte offset, counted from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.table.starts.partition_point(|&start| start <= offset).max(1)
    }

    /// Returns the offset of a line, counted from 1; the end of the text for a line that does not exist.
    pub fn start(&self, line: usize) -> usize {
        self.table.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    /// Counts the characters that start before an offset.
    fn characters(&self, offset: usize) -> usize {
        if self.table.characters.is_empty() {
            return offset;
        }
        let stride = (offset / STRIDE).min(self.table.characters.len() - 1);
        let rest = self.text.as_bytes().get(stride * STRIDE..offset).unwrap_or_default();
        self.table.characters.get(stride).copied().unwrap_or_default() + count(rest)
    }
}

/// Counts lines for ascending offsets and scans each byte once; for texts too long for a [`LineIndex`].
#[derive(Debug, Clone)]
pub struct LineCounter<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    /// Starts at the first byte of a text, which is on line `first`.
    pub fn new(text: &'t str, first: usize) -> Self {
        Self { text, offset: 0, line: first }
    }

    /// Returns the line of an offset. Offsets must ascend: an offset before the previous one gets the previous line.
    pub fn line(&mut self, offset: usize) -> usize {
        self.line += line_breaks(self.text, self.offset..offset);
        self.offset = self.offset.max(offset);
        self.line
    }
}

/// Counts the characters that start in UTF-8 bytes.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{LineCounter, LineIndex, STRIDE};
    use crate::lines;

    /// Computes line and column by counting from the start.
    fn counted(text: &str, offset: usize) -> (usize, usize) {
        let before = text.get(..offset).unwrap();
        let line = 1 + before.replace("\r\n", "\n").matches(['\n', '\r']).count();
        let last = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        (line, 1 + last.chars().count() - usize::from(line == 1 && last.starts_with('\u{feff}')))
    }

    #[test]
    fn every_offset_has_the_position_that_counting_gives() {
        let long = format!("[{}]\né: {}", "ab, ".repeat(STRIDE), "ü".repeat(2 * STRIDE));
        let texts =
            ["", "a", "\u{feff}a: b\n\u{feff}c: d", "a: é\r\nb:\n  - x: ü y\rc: d\n\n\nlast: 1", "\n\r\n\r", &long];
        for text in texts {
            let (index, mut counter) = (LineIndex::new(text), LineCounter::new(text, 1));
            for (offset, c) in text.char_indices().filter(|(_, c)| *c != '\n').chain([(text.len(), ' ')]) {
                let position = index.position(offset);
                assert_eq!(position, counted(text, offset), "{offset} {c:?} of {:?}", text.get(..40));
                assert_eq!((index.line(offset), counter.line(offset)), (position.0, position.0), "{offset} {c:?}");
                assert_eq!(index.start(position.0), lines::line_start(text, offset).max(index.start(1)), "{offset}");
            }
        }
    }

    #[test]
    fn an_offset_outside_of_the_text_has_the_nearest_position_before() {
        let index = LineIndex::new("a\né");
        assert_eq!((index.position(3), index.position(9)), ((2, 1), (2, 2)));
        assert_eq!((index.start(2), index.start(3), index.start(0)), (2, 4, 0));
    }
}
