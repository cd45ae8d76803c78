//! Splits a text into pieces that can be parsed independently. Only lines are examined here; parsing
//! each piece later shows whether the split was right.

use std::ops::Range;

use memchr::memmem;

use lossless_yaml::LineCounter;

/// Length in bytes from which SIMD search is used; for shorter texts, detecting the CPU features
/// takes longer than the search.
const SIMD_SEARCH_MIN_BYTES: usize = 64 * 1024;

/// One document of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Range of the document, including the `---` line.
    pub range: Range<usize>,
    /// First line of the document, counted from 1.
    pub line: usize,
}

/// Splits a stream at its `---` lines. Comments before the first `---` are not a separate piece.
///
/// A line `---` is a marker everywhere, even in a quoted scalar, so other lines need not be
/// examined. `None` for a stream with directives (which belong to the document after them) or with
/// lone CRs (which are line breaks too).
pub(super) fn documents(text: &str) -> Option<Vec<Piece>> {
    let bytes = text.as_bytes();
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    if !can_cut(text) {
        return None;
    }
    let mut pieces = Vec::new();
    let mut lines = LineCounter::new(text, 1);
    let mut add = |range: Range<usize>| {
        let line = lines.line(range.start);
        if !is_blank(text.get(range.clone()).unwrap_or_default()) {
            pieces.push(Piece { range, line });
        }
    };
    let mut from = 0;
    let mut markers = lines_with(text, "\n---").filter(|&at| is_marker(bytes, at));
    let first = is_marker(bytes, start).then_some(start);
    for marker in first.into_iter().chain(&mut markers) {
        // A byte order mark stays with the first document.
        if marker > start {
            add(from..marker);
            from = marker;
        }
    }
    add(from..text.len());
    Some(pieces)
}

/// True if the documents and items of a text can be found by lines.
pub(super) fn can_cut(text: &str) -> bool {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    !has_directive(text, start) && !has_lone_cr(text)
}

/// True if the `---` at this offset is a whole word.
pub(super) fn is_marker(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.starts_with(b"---") && matches!(rest.get(3), None | Some(b' ' | b'\t' | b'\r' | b'\n'))
}

fn has_directive(text: &str, start: usize) -> bool {
    text.get(start..).unwrap_or_default().starts_with('%') || lines_with(text, "\n%").next().is_some()
}

fn has_lone_cr(text: &str) -> bool {
    if text.len() >= SIMD_SEARCH_MIN_BYTES && memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return false;
    }
    text.match_indices('\r').any(|(at, _)| text.as_bytes().get(at + 1) != Some(&b'\n'))
}

/// Returns the offsets of lines that start with a word, except the first line; `start` includes the
/// preceding line break.
fn lines_with<'t>(text: &'t str, start: &'static str) -> impl Iterator<Item = usize> + 't {
    found(text, start).map(|at| at + 1)
}

/// Returns the offsets of a word in a text.
pub(super) fn found<'t>(text: &'t str, word: &'static str) -> Box<dyn Iterator<Item = usize> + 't> {
    if text.len() < SIMD_SEARCH_MIN_BYTES {
        return Box::new(text.match_indices(word).map(|(at, _)| at));
    }
    Box::new(memmem::find_iter(text.as_bytes(), word))
}

/// True if a text holds only white space and comments.
fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').lines().all(|line| matches!(line.trim_start().chars().next(), None | Some('#')))
}

/// Returns the items of a document whose root has a list `items` at column 0. Each item extends from
/// its dash to the next one, including comments after the item. `None` in case of doubt.
pub(super) fn items(text: &str) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let key = items_key(text)?;
    let mut lines = Lines { bytes, next: key + b"items:".len() };
    if !matches!(lines.next()?.first, None | Some(b'#')) {
        return None;
    }
    let mut ranges = Vec::new();
    // Column of the dashes, and start of the current item.
    let mut open: Option<(usize, usize)> = None;
    for line in lines {
        let Some(first) = line.first else { continue };
        let indent = line.text - line.start;
        let is_dash = first == b'-' && matches!(bytes.get(line.text + 1), None | Some(b' ' | b'\r' | b'\n'));
        match open {
            Some((column, _)) if indent > column => {}
            _ if first == b'#' => {}
            // YAML allows tabs as indentation only inside of scalars; do not split.
            _ if first == b'\t' => return None,
            None if is_dash => open = Some((indent, line.start)),
            None => return None,
            Some((column, start)) if is_dash && indent == column => {
                ranges.push(start..line.start);
                open = Some((column, line.start));
            }
            Some((column, start)) if indent < column || indent == 0 => {
                ranges.push(start..line.start);
                return Some(ranges);
            }
            Some(_) => {}
        }
    }
    let (_, start) = open?;
    ranges.push(start..text.len());
    Some(ranges)
}

/// True if a line of a text starts with `items:`.
pub(super) fn has_items(text: &str) -> bool {
    text.starts_with("items:") || lines_with(text, "\nitems:").next().is_some()
}

/// Returns the offset of the only line that starts with `items:`.
fn items_key(text: &str) -> Option<usize> {
    let first = text.starts_with("items:").then_some(0);
    let mut keys = first.into_iter().chain(lines_with(text, "\nitems:"));
    let key = keys.next()?;
    keys.next().is_none().then_some(key)
}

/// Iterator over the rest of the line at `next` and all later lines.
struct Lines<'t> {
    bytes: &'t [u8],
    next: usize,
}

struct Line {
    start: usize,
    /// Offset of the first byte after the indentation (spaces only).
    text: usize,
    /// First byte after the indentation; `None` for a blank line.
    first: Option<u8>,
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let start = self.next;
        let rest = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
        let line_break = match self.bytes.len() {
            SIMD_SEARCH_MIN_BYTES.. => memchr::memchr(b'\n', rest),
            _ => rest.iter().position(|&b| b == b'\n'),
        };
        let length = line_break.map_or(rest.len(), |at| at + 1);
        self.next = start + length;
        let line = rest.get(..length)?;
        let indent = line.iter().take_while(|&&b| b == b' ').count();
        let blank = line.iter().skip(indent).all(u8::is_ascii_whitespace);
        let first = if blank { None } else { line.get(indent).copied() };
        Some(Line { start, text: start + indent, first })
    }
}
