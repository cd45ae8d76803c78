//! A scalar with another text, in the style it has, with the fewest bytes changed.

use std::ops::Range;

use super::decode::{self, Block, Chomp, Decoded};
use super::resolve;
use super::scalar::{self, Quote, Surroundings};
use super::tree::Style;

/// The new source of a scalar of some style. `column` is where a block scalar's lines go when the old ones do not say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scalar<'a> {
    pub(super) raw: &'a str,
    pub(super) style: Style,
    pub(super) value: &'a str,
    pub(super) around: Surroundings,
    pub(super) line_break: &'a str,
}

impl Scalar<'_> {
    /// The range of the old source that changes, and what takes its place. The end of a block scalar is the end of its
    /// last line, not the breaks behind it.
    pub(super) fn replace(&self, new: &str) -> (Range<usize>, String) {
        if self.value == new && (self.style != Style::Plain || scalar::is_plain(new, self.around)) {
            return (0..0, String::new());
        }
        let kept = match self.style {
            Style::Plain => self.plain(new),
            Style::SingleQuoted => self.single(new),
            Style::DoubleQuoted => self.double(new),
            Style::Literal | Style::Folded => self.block(new),
        };
        let whole = || format!("{}{}", scalar::string(new, self.around, Quote::Double), self.header_comment());
        kept.unwrap_or_else(|| (0..self.end(), whole()))
    }

    /// The comment behind a block scalar's header, with the blanks before it: it stays when the block goes.
    pub(super) fn header_comment(&self) -> &str {
        match self.style {
            Style::Literal | Style::Folded => {
                let header = self.raw.get(..super::lines::line_end(self.raw, 0)).unwrap_or_default();
                header.find([' ', '\t']).and_then(|at| header.get(at..)).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// The end of the source that a whole new scalar replaces.
    pub(super) fn end(&self) -> usize {
        match self.style {
            Style::Literal | Style::Folded => decode::block_text_end(self.raw, self.value),
            _ => self.raw.len(),
        }
    }

    fn plain(&self, new: &str) -> Option<(Range<usize>, String)> {
        // In JSON only numbers and words stand without quotes.
        if self.around == Surroundings::Json && !resolve::is_string(self.raw) {
            return None;
        }
        // Line breaks that are there may stay.
        if !scalar::is_plain(&new.replace('\n', " "), self.around) {
            return None;
        }
        let decode = |raw: &str| super::decode::flow_scalar(raw, Style::Plain);
        let encode = |middle: &str| (!middle.contains('\n')).then(|| middle.to_owned());
        let whole = || scalar::is_plain(new, self.around).then(|| (0..self.raw.len(), new.to_owned()));
        self.part(new, &decode(self.raw)?, encode, decode).or_else(whole)
    }

    fn single(&self, new: &str) -> Option<(Range<usize>, String)> {
        let decode = |raw: &str| super::decode::flow_scalar(raw, Style::SingleQuoted);
        let encode = |middle: &str| scalar::is_single(middle).then(|| middle.replace('\'', "''"));
        let whole = || (0..self.raw.len(), scalar::string(new, self.around, Quote::Single));
        Some(self.part(new, &decode(self.raw)?, encode, decode).unwrap_or_else(whole))
    }

    fn double(&self, new: &str) -> Option<(Range<usize>, String)> {
        let decode = |raw: &str| super::decode::flow_scalar(raw, Style::DoubleQuoted);
        let encode = |middle: &str| {
            let mut text = String::new();
            scalar::escape_into(&mut text, middle);
            Some(text)
        };
        self.part(new, &decode(self.raw)?, encode, decode)
    }

    fn block(&self, new: &str) -> Option<(Range<usize>, String)> {
        let layout = decode::block_layout(self.raw, self.value)?;
        if !fits_block(new, &layout) {
            return None;
        }
        let decode = |raw: &str| Some(decode::block_scalar(raw, &layout));
        let line = format!("{}{}", self.line_break, " ".repeat(layout.indent));
        let encode = |middle: &str| (!layout.folded || !middle.contains('\n')).then(|| middle.replace('\n', &line));
        let old = decode(self.raw)?;
        self.part(new, &old, encode, decode).or_else(|| self.whole_block(new, &layout, &line))
    }

    /// All lines anew below the old header (its comment included), with another chomping when that is what it takes.
    fn whole_block(&self, new: &str, layout: &Block, line: &str) -> Option<(Range<usize>, String)> {
        let text = new.strip_suffix('\n').unwrap_or(new);
        let chomp = match new.len() - text.len() {
            0 => Chomp::Strip,
            _ => Chomp::Clip,
        };
        if text.is_empty() || text.ends_with('\n') || layout.chomp == Chomp::Keep {
            return None;
        }
        let header = self.raw.get(..super::lines::line_end(self.raw, 0))?;
        let header = if chomp == layout.chomp {
            header.to_owned()
        } else {
            let rest = header.get(1..)?.replacen('-', "", 1);
            format!("{}{}{rest}", header.get(..1)?, if chomp == Chomp::Strip { "-" } else { "" })
        };
        let body = if layout.folded {
            text.replace('\n', &format!("{}{line}", self.line_break))
        } else {
            text.replace('\n', line)
        };
        let mut source = format!("{header}{line}{body}");
        let check = decode::block_layout(&source, new).map(|layout| decode::block_scalar(&source, &layout));
        // Some readers take a last line without a break as it is.
        if chomp == Chomp::Clip && self.end() == self.raw.len() {
            source.push_str(self.line_break);
        }
        (check?.text == new).then(|| (0..self.end(), source))
    }

    /// Only the bytes of what differs between the old and the new text.
    fn part(
        &self,
        new: &str,
        old: &Decoded,
        encode: impl Fn(&str) -> Option<String>,
        decode: impl Fn(&str) -> Option<Decoded>,
    ) -> Option<(Range<usize>, String)> {
        if old.text != self.value {
            return None;
        }
        let (raw, text) = difference(old, new);
        let text = encode(new.get(text)?)?;
        let source = format!("{}{text}{}", self.raw.get(..raw.start)?, self.raw.get(raw.end..)?);
        (decode(&source)?.text == new).then_some((raw, text))
    }
}

/// Whether a text can be a block scalar at all: printable, and its first line shows the indentation.
fn fits_block(text: &str, layout: &Block) -> bool {
    let first = text.trim_start_matches('\n');
    let shows = layout.explicit || !first.starts_with([' ', '\t']);
    // Go refuses a tab at the start of a block scalar's text.
    shows && !first.is_empty() && !first.starts_with('\t') && text.chars().all(|c| c == '\n' || scalar::is_printable(c))
}

/// Where the source of the old text and the new text differ: a range of each.
fn difference(old: &Decoded, new: &str) -> (Range<usize>, Range<usize>) {
    let text = old.text.as_str();
    let mut start = text.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    while !text.is_char_boundary(start) || !new.is_char_boundary(start) {
        start -= 1;
    }
    let most = text.len().min(new.len()) - start;
    let mut tail = text.bytes().rev().zip(new.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
    while !text.is_char_boundary(text.len() - tail) || !new.is_char_boundary(new.len() - tail) {
        tail -= 1;
    }
    let end = text.len() - tail;
    let (raw_start, start) = source_start(old, start);
    let (raw_end, end) = source_end(old, end.max(start), raw_start);
    (raw_start..raw_end.max(raw_start), start..new.len() - (text.len() - end))
}

/// The source of the text from `at` on; `at` moves back to the start of a piece that cannot be cut.
fn source_start(old: &Decoded, at: usize) -> (usize, usize) {
    let index = old.pieces.partition_point(|piece| piece.decoded.end <= at);
    match old.pieces.get(index) {
        Some(piece) if piece.same => (piece.raw.start + (at - piece.decoded.start), at),
        Some(piece) => (piece.raw.start, piece.decoded.start),
        // Behind all text: before what became nothing (a quote, the breaks that `-` strips).
        None => {
            let last = old.pieces.iter().rev().find(|piece| !piece.decoded.is_empty());
            (last.or(old.pieces.last()).map_or(0, |piece| piece.raw.end), at)
        }
    }
}

/// The source of the text up to `at`; `at` moves on to the end of a piece that cannot be cut.
fn source_end(old: &Decoded, at: usize, raw_start: usize) -> (usize, usize) {
    let index = old.pieces.partition_point(|piece| piece.decoded.start < at);
    match index.checked_sub(1).and_then(|index| old.pieces.get(index)) {
        Some(piece) if piece.raw.end <= raw_start => (raw_start, at),
        Some(piece) if piece.same => (piece.raw.start + (at - piece.decoded.start), at),
        Some(piece) => (piece.raw.end, piece.decoded.end),
        None => (raw_start, at),
    }
}
