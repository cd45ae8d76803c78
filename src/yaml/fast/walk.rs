//! Lines of an entry that is left out, walked without a node, a value, or a second look.
//!
//! Only the shapes that most lines have are known here: `key: text`, `- text`, `- key: text`, with plain or quoted text on that line, an empty
//! value, or a block scalar. Any other line is left to the reader as it is. What is accepted is what the reader accepts.

use super::characters::{Class, class};
use super::reader::{Block, LONGEST_KEY, Reader};
use super::search;
use crate::yaml::tree::Kind;

/// How many collections one line may start here.
const OPENS: usize = 3;

/// What is at the end of a line.
#[derive(Debug, Clone, Copy)]
enum End {
    /// The line break behind a text, which the next line might go on with.
    Text(usize),
    /// The line break behind something else.
    Closed(usize),
    /// The line break behind a colon or a dash whose value is not on this line.
    Empty(usize),
    /// The `|` or `>` of a block scalar.
    BlockScalar(usize),
}

/// The collections that a line starts: column, and whether it is a sequence.
struct Opens {
    all: [(usize, bool); OPENS],
    count: usize,
}

impl Opens {
    fn push(&mut self, column: usize, sequence: bool) -> Option<()> {
        *self.all.get_mut(self.count)? = (column, sequence);
        self.count += 1;
        Some(())
    }
}

impl Reader<'_> {
    /// Walks lines up to one that is not of a known shape, or that the entry does not hold. None where granit has to decide.
    pub(super) fn walk_lines(&mut self) -> Option<()> {
        if self.has_tabs {
            return Some(());
        }
        while self.at == self.line_start {
            let start = self.at + self.blanks_at(self.at);
            match self.byte(start) {
                Some(b'\n' | b'#') => self.skip_line(),
                Some(_) => {
                    self.close_deeper(start - self.at);
                    let Some((opens, end)) = self.shape(start) else { break };
                    self.take(&opens, end)?;
                }
                None => break,
            }
        }
        Some(())
    }

    /// The blocks end that are deeper than a line, as far as they are left out.
    fn close_deeper(&mut self, column: usize) {
        let Some(left) = self.object.left() else { return };
        while self.blocks.len() > left && self.blocks.last().is_some_and(|block| block.column > column) {
            self.blocks.pop();
            self.list.close(None);
        }
    }

    /// What the line is whose text starts at an offset, if its shape is known and it is a part of what is left out.
    fn shape(&self, start: usize) -> Option<(Opens, End)> {
        let column = start - self.at;
        let block = self.blocks.last()?;
        let (mut at, is_dash) = (start, self.is_dash_at(start));
        let mut opens = Opens { all: [(0, false); OPENS], count: 0 };
        let is_inside = self.blocks.len() > self.object.left()?;
        let mut is_key = match (block.sequence, is_dash) {
            (true, true) if block.column == column && is_inside => false,
            (false, false) if block.column == column && is_inside => true,
            // Where the value of an entry starts. A sequence may be at the column of its key.
            _ if block.waits.is_some()
                && (block.column < column || is_dash && block.column == column && !block.sequence) =>
            {
                if is_dash {
                    opens.push(column, true)?;
                }
                false
            }
            _ => return None,
        };
        if is_dash {
            at += 1;
            loop {
                let blanks = self.blanks_at(at);
                if self.byte(at + blanks)? == b'\n' {
                    return Some((opens, End::Empty(at + blanks)));
                }
                at += blanks;
                if !self.is_dash_at(at) {
                    break;
                }
                opens.push(at - self.at, true)?;
                at += 1;
            }
            is_key = false;
        }
        let from = at;
        let (mut is_entry, mut end) = self.text_at(at)?;
        if is_entry {
            if !is_key {
                opens.push(from - self.at, false)?;
            }
            if end - from > LONGEST_KEY {
                return None;
            }
            at = end + 1;
            at += self.blanks_at(at);
            match self.byte(at)? {
                b'\n' => return Some((opens, End::Empty(at))),
                b'|' | b'>' => return Some((opens, End::BlockScalar(at))),
                b'{' | b'[' => {
                    let is_empty = matches!(self.text.as_bytes().get(at..at + 3)?, b"{}\n" | b"[]\n");
                    return is_empty.then_some((opens, End::Closed(at + 2)));
                }
                _ => (is_entry, end) = self.text_at(at)?,
            }
        } else if is_key {
            return None;
        }
        if is_entry { None } else { Some((opens, self.end_of(at, end))) }
    }

    /// A quoted text ends with its quote, a plain one may go on.
    fn end_of(&self, start: usize, end: usize) -> End {
        if matches!(self.byte(start), Some(b'"' | b'\'')) { End::Closed(end) } else { End::Text(end) }
    }

    /// The plain or quoted text at an offset: whether a colon behind it makes a key of it, and where that is; else where the line ends,
    /// which holds nothing more.
    fn text_at(&self, start: usize) -> Option<(bool, usize)> {
        let bytes = self.text.as_bytes();
        match self.byte(start)? {
            quote @ (b'"' | b'\'') => {
                let escape = if quote == b'"' { b'\\' } else { quote };
                let end = start + 1 + search::three((quote, escape, b'\n'), bytes.get(start + 1..)?)?;
                let behind = end + 1 + self.blanks_at(end + 1);
                match (self.byte(end)? == quote, self.byte(behind)?) {
                    (true, b':') if self.separates(behind + 1) => Some((true, behind)),
                    (true, b'\n') => Some((false, behind)),
                    _ => None,
                }
            }
            first => {
                if class(first) != Class::Text && (first != b'-' || self.separates(start + 1)) {
                    return None;
                }
                let mut at = start + 1;
                loop {
                    at += search::three((b':', b'#', b'\n'), bytes.get(at..)?)?;
                    match self.byte(at)? {
                        b':' if self.separates(at + 1) => return Some((true, at)),
                        b'\n' => return Some((false, at)),
                        b'#' if self.byte(at - 1) == Some(b' ') => return None,
                        _ => at += 1,
                    }
                }
            }
        }
    }

    /// Goes behind a line that is known, if the next one cannot go on with its text; else it is left to the reader.
    fn take(&mut self, opens: &Opens, end: End) -> Option<()> {
        let innermost = opens.count.checked_sub(1).and_then(|last| opens.all.get(last)).map(|(column, _)| *column);
        let column = innermost.or(self.blocks.last().map(|block| block.column))?;
        if let End::Text(end) = end {
            let next = self.blanks_at(end + 1);
            if next > column || self.byte(end + 1 + next).is_none_or(|byte| byte <= b' ') {
                let text = self.at + self.blanks_at(self.at);
                let column = text - self.at;
                self.at = text;
                return self.line(column);
            }
        }
        if let Some(block) = self.blocks.last_mut() {
            block.waits = None;
        }
        for &(column, sequence) in opens.all.iter().take(opens.count) {
            self.may_open()?;
            let kind = if sequence { Kind::Sequence { flow: false } } else { Kind::Mapping { flow: false } };
            self.list.open_collection(kind, self.at..self.at);
            self.blocks.push(Block { column, sequence, waits: None });
        }
        let (End::Text(at) | End::Closed(at) | End::Empty(at) | End::BlockScalar(at)) = end;
        self.at = at;
        match end {
            End::BlockScalar(_) => return self.block_scalar(column),
            End::Empty(at) => {
                if let Some(block) = self.blocks.last_mut() {
                    block.waits = Some(at);
                }
            }
            End::Text(_) | End::Closed(_) => {}
        }
        self.at += 1;
        self.line_start = self.at;
        Some(())
    }
}
