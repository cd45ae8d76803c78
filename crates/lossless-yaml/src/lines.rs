//! Lines, columns and gaps between nodes. A line ends with LF, CRLF or CR; a byte order mark precedes the first line.

use std::ops::Range;

pub(super) const BOM: &str = "\u{feff}";

/// Returns a part of the text; empty for an invalid range.
pub(super) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

fn byte(text: &str, at: usize) -> Option<u8> {
    text.as_bytes().get(at).copied()
}

fn is_break(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Returns the start of the line that contains an offset.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    match before.iter().rposition(|&b| is_break(b)) {
        Some(found) => found + 1,
        None if text.starts_with(BOM) && at >= BOM.len() => BOM.len(),
        None => 0,
    }
}

/// Returns the end of the line that contains an offset, without the line break.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let after = text.as_bytes().get(at..).unwrap_or_default();
    after.iter().position(|&b| is_break(b)).map_or(text.len(), |found| at + found)
}

/// Returns the start of the next line; the end of the text after the last line.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    end + break_at(text, end).len()
}

/// Returns the line break at an offset.
pub(super) fn break_at(text: &str, at: usize) -> &str {
    let length = match (byte(text, at), byte(text, at + 1)) {
        (Some(b'\r'), Some(b'\n')) => 2,
        (Some(b'\n' | b'\r'), _) => 1,
        _ => 0,
    };
    part(text, at..at + length)
}

/// Returns the line break before an offset that starts a line.
pub(super) fn break_before(text: &str, at: usize) -> &str {
    let before = part(text, 0..at);
    ["\r\n", "\n", "\r"].into_iter().find(|line_break| before.ends_with(line_break)).unwrap_or("")
}

/// Returns the line break style around an offset: the break of its line, else the first one in the text, else LF.
pub(super) fn break_around(text: &str, at: usize) -> &'static str {
    let here = break_at(text, line_end(text, at));
    let found = if here.is_empty() { break_at(text, line_end(text, 0)) } else { here };
    match found {
        "\r\n" => "\r\n",
        "\r" => "\r",
        _ => "\n",
    }
}

/// Returns the column of an offset in characters, counted from 0.
pub(super) fn column(text: &str, at: usize) -> usize {
    part(text, line_start(text, at)..at).chars().count()
}

/// True if only white space precedes an offset on its line.
pub(super) fn starts_line(text: &str, at: usize) -> bool {
    part(text, line_start(text, at)..at).bytes().all(|b| b == b' ' || b == b'\t')
}

/// Returns the first offset from `at` that is not a space or tab; stops at a line break.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let after = text.as_bytes().get(at..).unwrap_or_default();
    at + after.iter().take_while(|&&b| b == b' ' || b == b'\t').count()
}

/// Counts the line breaks in a part of the text, including lone CRs.
pub(crate) fn line_breaks(text: &str, range: Range<usize>) -> usize {
    let bytes = text.as_bytes().get(range.clone()).unwrap_or_default();
    let feeds = memchr::memchr_iter(b'\n', bytes).count();
    // Most texts have no CR.
    if memchr::memchr(b'\r', bytes).is_none() {
        return feeds;
    }
    let lone = |&at: &usize| byte(text, at) == Some(b'\r') && byte(text, at + 1) != Some(b'\n');
    feeds + range.filter(lone).count()
}

/// Returns the column of `#` if the line at `start` holds only a comment.
pub(super) fn comment_column(text: &str, start: usize) -> Option<usize> {
    let at = skip_blanks(text, start);
    (byte(text, at) == Some(b'#')).then(|| column(text, at))
}

/// True if the line at `start` exists and holds only spaces and tabs.
pub(super) fn is_blank_line(text: &str, start: usize) -> bool {
    start < text.len() && byte(text, skip_blanks(text, start)).is_none_or(is_break)
}

/// Returns the first of some characters in the gap between two nodes, outside of comments, anchors and tags.
pub(super) fn find_outside_comments(text: &str, from: usize, to: usize, wanted: &[u8]) -> Option<usize> {
    let gap = text.as_bytes().get(from..to)?;
    let mut at = 0;
    while let Some(&b) = gap.get(at) {
        let rest = gap.get(at..).unwrap_or_default();
        match b {
            _ if wanted.contains(&b) => return Some(from + at),
            b'#' => at += rest.iter().position(|&b| is_break(b)).unwrap_or(rest.len()),
            b'&' | b'!' => at += rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()),
            _ => at += 1,
        }
    }
    None
}
