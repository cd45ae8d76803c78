//! Decoding of scalars with a map from source bytes to text, so that a changed scalar changes only the source bytes of
//! the changed text.

use std::ops::Range;

use super::tree::Style;

/// A range of the source and the text that it decodes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) raw: Range<usize>,
    pub(super) decoded: Range<usize>,
    /// True if source and text have the same bytes.
    pub(super) same: bool,
}

/// Text of a scalar and the source of each part. The pieces are contiguous.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) pieces: Vec<Piece>,
}

impl Decoded {
    /// Adds a piece of decoded text; `same` is true if it equals the source.
    fn push(&mut self, raw: Range<usize>, text: &str, same: bool) {
        let start = self.text.len();
        self.text.push_str(text);
        let decoded = start..self.text.len();
        match self.pieces.last_mut() {
            Some(last) if same && last.same => {
                last.raw.end = raw.end;
                last.decoded.end = decoded.end;
            }
            _ => self.pieces.push(Piece { raw, decoded, same }),
        }
    }
}

/// Decodes a plain or quoted scalar, including the quotes. `None` if the source is not a scalar of this style.
pub(super) fn flow_scalar(raw: &str, style: Style) -> Option<Decoded> {
    let quote = match style {
        Style::Plain => None,
        Style::SingleQuoted => Some('\''),
        Style::DoubleQuoted => Some('"'),
        Style::Literal | Style::Folded => return None,
    };
    let inner = match quote {
        Some(quote) if raw.len() >= 2 => 1..raw.strip_prefix(quote)?.strip_suffix(quote)?.len() + 1,
        Some(_) => return None,
        None => 0..raw.len(),
    };
    let mut decoded = Decoded::default();
    let mut at = inner.start;
    while at < inner.end {
        let rest = raw.get(at..inner.end)?;
        let same = verbatim(rest, style);
        if !same.is_empty() {
            decoded.push(at..at + same.len(), same, true);
            at += same.len();
        }
        let rest = raw.get(at..inner.end)?;
        at += match rest.chars().next() {
            None => break,
            Some('\'') => {
                decoded.push(at..at + 2, rest.starts_with("''").then_some("'")?, false);
                2
            }
            Some('\\') => escape(rest, at, &mut decoded)?,
            Some(_) => {
                let (length, breaks) = fold(rest);
                decoded.push(at..at + length, &folded(breaks), false);
                length
            }
        };
    }
    Some(decoded)
}

/// Returns the start of a text that decodes to itself: up to an escape, or to a line break and the blanks before it.
fn verbatim(text: &str, style: Style) -> &str {
    let bytes = text.as_bytes();
    let end = match style {
        Style::SingleQuoted => memchr::memchr3(b'\n', b'\r', b'\'', bytes),
        Style::DoubleQuoted => memchr::memchr3(b'\n', b'\r', b'\\', bytes),
        _ => memchr::memchr2(b'\n', b'\r', bytes),
    };
    let Some((same, rest)) = end.and_then(|end| text.split_at_checked(end)) else { return text };
    if rest.starts_with(['\n', '\r']) { same.trim_end_matches([' ', '\t']) } else { same }
}

/// Returns the length of the white space at the start of a text, and the number of line breaks in it.
fn fold(text: &str) -> (usize, usize) {
    let length = text.len() - text.trim_start_matches([' ', '\t', '\n', '\r']).len();
    let white = text.get(..length).unwrap_or_default();
    let feeds = white.matches('\n').count() + white.matches('\r').count() - white.matches("\r\n").count();
    (length, feeds)
}

/// Returns the text of folded line breaks: one break is a space, each further break a newline.
fn folded(breaks: usize) -> String {
    if breaks == 1 { " ".to_owned() } else { "\n".repeat(breaks.saturating_sub(1)) }
}

/// Decodes one escape of a double-quoted scalar and returns its length in the source.
fn escape(rest: &str, at: usize, decoded: &mut Decoded) -> Option<usize> {
    let code = rest.chars().nth(1)?;
    if matches!(code, '\n' | '\r') {
        let (length, breaks) = fold(rest.get(1..)?);
        decoded.push(at..at + 1 + length, &"\n".repeat(breaks - 1), false);
        return Some(1 + length);
    }
    let hex = match code {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    let digits = |from: usize| {
        let digits = rest.get(from..from + hex)?;
        // `from_str_radix` accepts a sign, but YAML does not.
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let (c, length) = match code {
        '0' => ('\0', 2),
        'a' => ('\u{7}', 2),
        'b' => ('\u{8}', 2),
        't' | '\t' => ('\t', 2),
        'n' => ('\n', 2),
        'v' => ('\u{b}', 2),
        'f' => ('\u{c}', 2),
        'r' => ('\r', 2),
        'e' => ('\u{1b}', 2),
        ' ' | '"' | '/' | '\\' => (code, 2),
        'N' => ('\u{85}', 2),
        '_' => ('\u{a0}', 2),
        'L' => ('\u{2028}', 2),
        'P' => ('\u{2029}', 2),
        'x' | 'u' | 'U' => match digits(2)? {
            high @ 0xd800..0xdc00 if rest.get(6..8)? == "\\u" => {
                let low = digits(8)?.checked_sub(0xdc00).filter(|&low| low < 0x400)?;
                (char::from_u32(0x10000 + ((high - 0xd800) << 10) + low)?, 12)
            }
            code => (char::from_u32(code)?, 2 + hex),
        },
        _ => return None,
    };
    decoded.push(at..at + length, c.encode_utf8(&mut [0; 4]), false);
    Some(length)
}

/// Layout of the header and body of a block scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) folded: bool,
    /// Number of spaces before each line of the text.
    pub(super) indent: usize,
    /// True if the header has an indentation digit.
    pub(super) explicit: bool,
    pub(super) chomp: Chomp,
    /// Offset of the first line after the header.
    pub(super) body: usize,
}

/// Handling of the line breaks at the end of a block scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chomp {
    Strip,
    Clip,
    Keep,
}

/// Returns the layout of a block scalar. `raw` starts at the `|` or `>`; `value` is the decoded text, which
/// distinguishes spaces of the text from indentation. `None` if the text contains only line breaks, because its
/// indentation is unknown.
pub(super) fn block_layout(raw: &str, value: &str) -> Option<Block> {
    let folded = raw.starts_with('>');
    let header = raw.get(..super::lines::line_end(raw, 0))?;
    let indicators = header.split([' ', '\t', '#']).next()?;
    let chomp = match () {
        () if indicators.contains('-') => Chomp::Strip,
        () if indicators.contains('+') => Chomp::Keep,
        () => Chomp::Clip,
    };
    let explicit = indicators.contains(|c: char| c.is_ascii_digit());
    let body = super::lines::next_line(raw, 0);
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_text = |line: &&str| !line.trim_start_matches(' ').is_empty();
    let body_text = raw.get(body..)?;
    let indent = if let Some(first) = body_text.split(['\n', '\r']).find(is_text) {
        let own = value.split('\n').find(is_text).map_or(0, blanks);
        blanks(first).checked_sub(own)?
    } else {
        // A text of spaces and line breaks needs an indentation digit in the header.
        let own = value.split('\n').map(blanks).max().filter(|&own| own > 0)?;
        body_text.split(['\n', '\r']).map(blanks).max()?.checked_sub(own)?
    };
    Some(Block { folded, indent, explicit, chomp, body })
}

/// Decodes a block scalar, including its header.
pub(super) fn block_scalar(raw: &str, layout: &Block) -> Decoded {
    let lines = block_lines(raw, layout);
    let mut decoded = Decoded::default();
    let mut before: Option<(usize, &str)> = None;
    let mut end = 0;
    let mut breaks = 0;
    for (start, text) in lines {
        if !text.is_empty() {
            let join = match before {
                None => "\n".repeat(breaks),
                Some((_, above)) if layout.folded && !is_spaced(above) && !is_spaced(text) => folded(breaks),
                Some(_) => "\n".repeat(breaks),
            };
            decoded.push(end..start, &join, false);
            decoded.push(start..start + text.len(), text, true);
            before = Some((start, text));
            end = start + text.len();
            breaks = 0;
        }
        breaks += 1;
    }
    let last = match layout.chomp {
        Chomp::Strip => String::new(),
        // YAML parsers add a line break to a last line without one.
        Chomp::Clip => {
            if before.is_some() {
                "\n".to_owned()
            } else {
                String::new()
            }
        }
        Chomp::Keep => "\n".repeat(breaks),
    };
    decoded.push(end..raw.len(), &last, false);
    decoded
}

/// True for a line that starts with a blank.
fn is_spaced(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// Returns offset and text of each line of a block scalar, without the indentation.
pub(super) fn block_lines<'r>(raw: &'r str, layout: &Block) -> Vec<(usize, &'r str)> {
    let mut lines = Vec::new();
    let mut at = layout.body;
    while at < raw.len() {
        let line = raw.get(at..super::lines::line_end(raw, at)).unwrap_or_default();
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let skip = blanks.min(layout.indent);
        lines.push((at + skip, line.get(skip..).unwrap_or_default()));
        at = super::lines::next_line(raw, at);
    }
    lines
}

/// Returns the end of the last line that has text, without its line break; the end of the header if there is no text.
/// With `+` the empty lines at the end are part of the text.
pub(super) fn block_text_end(raw: &str, value: &str) -> usize {
    let header = super::lines::line_end(raw, 0);
    let Some(layout) = block_layout(raw, value) else {
        let keeps = raw.split([' ', '\t', '#', '\n', '\r']).next().is_some_and(|indicators| indicators.contains('+'));
        return if keeps { raw.len() - super::lines::break_before(raw, raw.len()).len() } else { header };
    };
    let lines = block_lines(raw, &layout);
    if layout.chomp == Chomp::Keep {
        return lines.last().map_or(header, |(start, text)| start + text.len());
    }
    let last = lines.iter().rev().find(|(_, text)| !text.is_empty());
    last.map_or(header, |(start, text)| start + text.len())
}

/// Returns the text of a quoted YAML scalar; `None` for a scalar without quotes.
pub(super) fn quoted(raw: &str) -> Option<String> {
    let style = match raw.as_bytes().first()? {
        b'"' => Style::DoubleQuoted,
        b'\'' => Style::SingleQuoted,
        _ => return None,
    };
    flow_scalar(raw, style).map(|decoded| decoded.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(raw: &str, style: Style) -> String {
        flow_scalar(raw, style).unwrap().text
    }

    #[test]
    fn quoted_and_plain_text_is_unescaped_and_folded() {
        assert_eq!(flow(r#""a\tb\x41\u00e9\U0001F980\ud83e\udd80\/\\""#, Style::DoubleQuoted), "a\tbAé🦀🦀/\\");
        assert_eq!(flow("\"a \\\n   b  \n\n  c\"", Style::DoubleQuoted), "a b\nc");
        assert_eq!(flow("'it''s\n   so'", Style::SingleQuoted), "it's so");
        assert_eq!(flow("a\r\n  b\\'", Style::Plain), "a b\\'");
        assert!(flow_scalar(r#""\ud800""#, Style::DoubleQuoted).is_none());
        assert!(flow_scalar(r#""\x+1""#, Style::DoubleQuoted).is_none());
        assert!(flow_scalar("'", Style::SingleQuoted).is_none());
    }

    fn block(raw: &str, value: &str) -> String {
        block_scalar(raw, &block_layout(raw, value).unwrap()).text
    }

    #[test]
    fn blocks_are_chomped_and_folded() {
        for (raw, value) in [
            ("|\n  a\n   b\n\n", "a\n b\n"),
            ("|-\n  a\n", "a"),
            ("|+ # c\n  a\n\n", "a\n\n"),
            ("|1\n   a\n", "  a\n"),
            (">\n a\n b\n\n c\n  d\n e\n", "a b\nc\n d\ne\n"),
            ("|\r\n\r\n  a\r\n", "\na\n"),
        ] {
            assert_eq!(block(raw, value), value, "{raw:?}");
        }
    }
}
