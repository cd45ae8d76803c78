//! Lines, columns and the gaps between nodes. A line ends with LF, CRLF or CR; a byte order mark is before the first.

use std::ops::Range;

pub(super) const BOM: &str = "\u{feff}";

/// A part of the text; empty when the range is not a part of it.
pub(super) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

fn byte(text: &str, at: usize) -> Option<u8> {
    text.as_bytes().get(at).copied()
}

fn is_break(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Where the line of an offset starts.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    match before.iter().rposition(|&b| is_break(b)) {
        Some(found) => found + 1,
        None if text.starts_with(BOM) && at >= BOM.len() => BOM.len(),
        None => 0,
    }
}

/// Where the line of an offset ends, its break not included.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let behind = text.as_bytes().get(at..).unwrap_or_default();
    behind.iter().position(|&b| is_break(b)).map_or(text.len(), |found| at + found)
}

/// Where the next line starts; the end of the text when there is none.
pub(super) fn next_line(text: &str, at: usize) -> usize {
    let end = line_end(text, at);
    end + break_at(text, end).len()
}

/// The line break that stands at an offset.
pub(super) fn break_at(text: &str, at: usize) -> &str {
    let length = match (byte(text, at), byte(text, at + 1)) {
        (Some(b'\r'), Some(b'\n')) => 2,
        (Some(b'\n' | b'\r'), _) => 1,
        _ => 0,
    };
    part(text, at..at + length)
}

/// The line break before an offset that starts a line.
pub(super) fn break_before(text: &str, at: usize) -> &str {
    let before = part(text, 0..at);
    ["\r\n", "\n", "\r"].into_iter().find(|line_break| before.ends_with(line_break)).unwrap_or("")
}

/// The line break in use around an offset: that of its line, else the text's first one, else LF.
pub(super) fn break_around(text: &str, at: usize) -> &'static str {
    let here = break_at(text, line_end(text, at));
    let found = if here.is_empty() { break_at(text, line_end(text, 0)) } else { here };
    match found {
        "\r\n" => "\r\n",
        "\r" => "\r",
        _ => "\n",
    }
}

/// The column of an offset in characters, counted from 0.
pub(super) fn column(text: &str, at: usize) -> usize {
    part(text, line_start(text, at)..at).chars().count()
}

/// Whether only blanks stand before an offset on its line.
pub(super) fn starts_line(text: &str, at: usize) -> bool {
    part(text, line_start(text, at)..at).bytes().all(|b| b == b' ' || b == b'\t')
}

/// The first offset from `at` on that holds no blank (a line break is not a blank).
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let behind = text.as_bytes().get(at..).unwrap_or_default();
    at + behind.iter().take_while(|&&b| b == b' ' || b == b'\t').count()
}

/// How many lines end in a part of the text; a lone CR ends a line too.
pub(crate) fn line_breaks(text: &str, range: Range<usize>) -> usize {
    let bytes = text.as_bytes().get(range.clone()).unwrap_or_default();
    // As many bytes at once as a byte can count: the compiler makes it wide.
    let count = |wanted: u8| {
        let counted =
            bytes.chunks(usize::from(u8::MAX)).map(|chunk| chunk.iter().fold(0, |n, &b| n + u8::from(b == wanted)));
        counted.map(usize::from).sum::<usize>()
    };
    let feeds = count(b'\n');
    // Most texts have no CR at all.
    if count(b'\r') == 0 {
        return feeds;
    }
    let lone = |&at: &usize| byte(text, at) == Some(b'\r') && byte(text, at + 1) != Some(b'\n');
    feeds + range.filter(lone).count()
}

/// The column of a line's `#`, when the line at `start` holds a comment and nothing else.
pub(super) fn comment_column(text: &str, start: usize) -> Option<usize> {
    let at = skip_blanks(text, start);
    (byte(text, at) == Some(b'#')).then(|| column(text, at))
}

/// Whether the line at `start` holds only blanks (and is a line at all).
pub(super) fn is_blank_line(text: &str, start: usize) -> bool {
    start < text.len() && byte(text, skip_blanks(text, start)).is_none_or(is_break)
}

/// The first of some characters in the gap between two nodes, outside of comments, anchors and tags.
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
