//! Replacement of the text of a scalar, with the same style and minimal byte changes.

use std::ops::Range;

use super::decode::{self, Block, Chomp, Decoded};
use super::resolve;
use super::scalar::{self, Quote, Surroundings};
use super::tree::Style;

/// A scalar to be rewritten.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scalar<'a> {
    pub(super) raw: &'a str,
    pub(super) style: Style,
    pub(super) value: &'a str,
    pub(super) surroundings: Surroundings,
    pub(super) line_break: &'a str,
}

impl Scalar<'_> {
    /// Returns the range of the old source that changes, and its replacement. The line breaks at the end of a block
    /// scalar are not part of the range.
    pub(super) fn replace(&self, new: &str) -> (Range<usize>, String) {
        if self.value == new && (self.style != Style::Plain || scalar::is_plain(new, self.surroundings)) {
            return (0..0, String::new());
        }
        let kept = match self.style {
            Style::Plain => self.plain(new),
            Style::SingleQuoted => self.single(new),
            Style::DoubleQuoted => self.double(new),
            Style::Literal | Style::Folded => self.block(new),
        };
        let whole = || format!("{}{}", scalar::string(new, self.surroundings, Quote::Double), self.header_comment());
        kept.unwrap_or_else(|| (0..self.end(), whole()))
    }

    /// Returns the comment in the header of a block scalar, with the blanks before it. The comment is kept if the block
    /// scalar becomes another style.
    pub(super) fn header_comment(&self) -> &str {
        match self.style {
            Style::Literal | Style::Folded => {
                let header = self.raw.get(..super::lines::line_end(self.raw, 0)).unwrap_or_default();
                header.find([' ', '\t']).and_then(|at| header.get(at..)).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// Returns the end of the source that a new scalar replaces.
    pub(super) fn end(&self) -> usize {
        match self.style {
            Style::Literal | Style::Folded => decode::block_text_end(self.raw, self.value),
            _ => self.raw.len(),
        }
    }

    /// Replacement of a plain scalar.
    fn plain(&self, new: &str) -> Option<(Range<usize>, String)> {
        // In JSON only numbers and keywords have no quotes.
        if self.surroundings == Surroundings::Json && !resolve::is_string(self.raw) {
            return None;
        }
        // Existing line breaks may stay in a plain scalar.
        if !scalar::is_plain(&new.replace('\n', " "), self.surroundings) {
            return None;
        }
        let decode = |raw: &str| super::decode::flow_scalar(raw, Style::Plain);
        let encode = |middle: &str| (!middle.contains('\n')).then(|| middle.to_owned());
        let whole = || scalar::is_plain(new, self.surroundings).then(|| (0..self.raw.len(), new.to_owned()));
        self.part(new, &decode(self.raw)?, encode, decode).or_else(whole)
    }

    /// Replacement of a scalar in single quotes.
    fn single(&self, new: &str) -> Option<(Range<usize>, String)> {
        let decode = |raw: &str| super::decode::flow_scalar(raw, Style::SingleQuoted);
        let encode = |middle: &str| scalar::is_single(middle).then(|| middle.replace('\'', "''"));
        let whole = || (0..self.raw.len(), scalar::string(new, self.surroundings, Quote::Single));
        Some(self.part(new, &decode(self.raw)?, encode, decode).unwrap_or_else(whole))
    }

    /// Replacement of a scalar in double quotes.
    fn double(&self, new: &str) -> Option<(Range<usize>, String)> {
        let decode = |raw: &str| super::decode::flow_scalar(raw, Style::DoubleQuoted);
        let encode = |middle: &str| {
            let mut text = String::new();
            scalar::escape_into(&mut text, middle);
            Some(text)
        };
        self.part(new, &decode(self.raw)?, encode, decode)
    }

    /// Replacement of a block scalar.
    fn block(&self, new: &str) -> Option<(Range<usize>, String)> {
        let layout = decode::block_layout(self.raw, self.value)?;
        if !fits_block(new, &layout) {
            return None;
        }
        let decode = |raw: &str| Some(decode::block_scalar(raw, &layout));
        let line = format!("{}{}", self.line_break, " ".repeat(layout.indent));
        let encode_line = |middle: &str| (!middle.contains('\n')).then(|| middle.to_owned());
        let encode = |middle: &str| (!layout.folded).then(|| self.indented(middle, &line));
        let old = decode(self.raw)?;
        let part = self.part(new, &old, encode_line, decode).or_else(|| self.changed_lines(new, &layout));
        let lines = || self.part(new, &old, encode, decode).map(|part| self.without_indentation(part, &layout));
        part.or_else(lines).or_else(|| self.whole_block(new, &layout, &line))
    }

    /// Extends a replaced part over the indentation of its first line if that line becomes blank.
    fn without_indentation(&self, (range, source): (Range<usize>, String), layout: &Block) -> (Range<usize>, String) {
        let start = range.start.saturating_sub(layout.indent);
        let before = self.raw.get(start..range.start).unwrap_or_default();
        let is_indentation = before.len() == layout.indent && before.bytes().all(|byte| byte == b' ');
        let is_line = self.raw.get(..start).is_some_and(|above| above.ends_with('\n'));
        let is_blank = source.starts_with(self.line_break);
        (if is_blank && is_indentation && is_line { start..range.end } else { range }, source)
    }

    /// Replaces the changed lines of a literal block scalar; the lines between them keep their bytes. `None` if the text
    /// gets more or fewer lines.
    fn changed_lines(&self, new: &str, layout: &Block) -> Option<(Range<usize>, String)> {
        if layout.folded || self.value.matches('\n').count() != new.matches('\n').count() {
            return None;
        }
        let texts = self.value.split('\n').zip(new.split('\n'));
        let (mut range, mut source): (Option<Range<usize>>, _) = (None, String::new());
        for ((start, text), (old, new)) in decode::block_lines(self.raw, layout).into_iter().zip(texts) {
            if old == new {
                continue;
            }
            if text != old || old.is_empty() || new.is_empty() {
                return None;
            }
            let (from, to) = range.map_or((start, start), |range| (range.start, range.end));
            source.push_str(self.raw.get(to..start)?);
            source.push_str(new);
            range = Some(from..start + text.len());
        }
        let range = range?;
        let whole = format!("{}{source}{}", self.raw.get(..range.start)?, self.raw.get(range.end..)?);
        (decode::block_scalar(&whole, layout).text == new).then_some((range, source))
    }

    /// Indents the lines of a text after the first line. Blank lines get no indentation.
    fn indented(&self, text: &str, line: &str) -> String {
        let mut lines = text.split('\n').peekable();
        let mut source = lines.next().unwrap_or_default().to_owned();
        while let Some(text) = lines.next() {
            let is_blank = text.is_empty() && lines.peek().is_some();
            source.push_str(if is_blank { self.line_break } else { line });
            source.push_str(text);
        }
        source
    }

    /// Rewrites all lines below the old header with its comment, and adapts the chomping indicator.
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
            self.indented(text, line)
        };
        let mut source = format!("{header}{line}{body}");
        let check = decode::block_layout(&source, new).map(|layout| decode::block_scalar(&source, &layout));
        // Some parsers do not add a line break to a last line without one.
        if chomp == Chomp::Clip && self.end() == self.raw.len() {
            source.push_str(self.line_break);
        }
        (check?.text == new).then(|| (0..self.end(), source))
    }

    /// Rewrites only the bytes of the part of the text that differs.
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

/// True if a text can be a block scalar: it is printable, and its first line shows the indentation.
fn fits_block(text: &str, layout: &Block) -> bool {
    let first = text.trim_start_matches('\n');
    let shows = layout.explicit || !first.starts_with([' ', '\t']);
    // Go's parser rejects a tab at the start of the text of a block scalar.
    shows && !first.is_empty() && !first.starts_with('\t') && text.chars().all(|c| c == '\n' || scalar::is_printable(c))
}

/// Returns the range of the old source and the range of the new text that differ.
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

/// Returns the source offset for the text offset `at`, moved back to the start of a piece that cannot be split.
fn source_start(old: &Decoded, at: usize) -> (usize, usize) {
    let index = old.pieces.partition_point(|piece| piece.decoded.end <= at);
    match old.pieces.get(index) {
        Some(piece) if piece.same => (piece.raw.start + (at - piece.decoded.start), at),
        Some(piece) => (piece.raw.start, piece.decoded.start),
        // At the end of the text, return the offset before source that is not part of the text,
        // such as a closing quote, or line breaks that `-` removes.
        None => {
            let last = old.pieces.iter().rev().find(|piece| !piece.decoded.is_empty());
            (last.or(old.pieces.last()).map_or(0, |piece| piece.raw.end), at)
        }
    }
}

/// Returns the source offset for the end `at` of a text range, moved on to the end of a piece that cannot be split.
fn source_end(old: &Decoded, at: usize, raw_start: usize) -> (usize, usize) {
    let index = old.pieces.partition_point(|piece| piece.decoded.start < at);
    match index.checked_sub(1).and_then(|index| old.pieces.get(index)) {
        Some(piece) if piece.raw.end <= raw_start => (raw_start, at),
        Some(piece) if piece.same => (piece.raw.start + (at - piece.decoded.start), at),
        Some(piece) => (piece.raw.end, piece.decoded.end),
        None => (raw_start, at),
    }
}
