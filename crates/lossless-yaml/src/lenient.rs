//! Parsing of text that Go's YAML parser accepts and YAML 1.2 rejects: quoted text with continuation lines at the
//! indentation of its key.

use std::ops::Range;

use super::builder::{Builder, Stop};
use super::fast;
use super::lines;
use super::tree::{Kind, ParseError, ParseErrorKind, Style, Tree};

/// Maximum number of repairs of a text.
const ROUNDS: usize = 64;

/// Maximum number of bytes that all repairs of a text may parse.
const MOST_BYTES: usize = 256 << 20;

/// Parses a text and passes the tree to `look`. Some generators write quoted text whose lines continue at or before the
/// indentation of its key; YAML 1.2 rejects that, Go's parser accepts it. Such a text is parsed from a copy with
/// indented continuation lines, because blanks at the start of these lines have no meaning. The tree is then read-only
/// ([`Tree::read_only`]) and its text is the copy: lines are the same, columns and offsets differ.
///
/// ```
/// use lossless_yaml::{NodeRef, Tree, parse_lenient};
/// let text = "spec:\n  description: 'one\n  two'\n";
/// assert!(Tree::parse(text).is_err());
/// let (description, why) = parse_lenient(text, |tree| {
///     let description = tree.root(0).and_then(|root| root.get("spec")?.get("description")).and_then(NodeRef::text);
///     (description.map(str::to_owned), tree.read_only().map(ToString::to_string))
/// })?;
/// assert_eq!(description.as_deref(), Some("one two"));
/// assert_eq!(why.unwrap(), "line 3, column 3: quoted text has to be indented deeper than its key: indent this line");
/// # Ok::<(), lossless_yaml::ParseError>(())
/// ```
pub fn parse_lenient<R>(text: &str, look: impl FnOnce(&Tree<'_>) -> R) -> Result<R, ParseError> {
    if let Some(tree) = fast::read(text) {
        return Ok(look(&tree));
    }
    let stop = match Builder::new(text).run() {
        Ok(tree) => return Ok(look(&tree)),
        Err(stop) => stop,
    };
    let why = "quoted text has to be indented deeper than its key: indent this line";
    let read_only = ParseError { message: why.to_owned(), ..stop.error.clone() };
    // Repairing all similar scalars at once saves parsing a long text again for each of them.
    for ahead in [true, false] {
        if let Some(copy) = repaired(text, &stop, ahead)
            && let Ok(mut tree) = Tree::parse(&copy.text)
            && copy.is_confirmed(&tree)
        {
            tree.read_only = Some(read_only);
            return Ok(look(&tree));
        }
    }
    Err(stop.error)
}

/// A text with indented continuation lines.
#[derive(Default)]
struct Repaired {
    text: String,
    /// Offsets of the repaired scalars.
    scalars: Vec<usize>,
}

impl Repaired {
    /// True if all repaired scalars are quoted scalars in the tree.
    fn is_confirmed(&self, tree: &Tree<'_>) -> bool {
        let mut quoted = tree.all_nodes().filter_map(|node| {
            let quoted = matches!(node.kind(), Kind::Scalar(Style::SingleQuoted | Style::DoubleQuoted));
            quoted.then(|| node.span().start)
        });
        self.scalars.iter().all(|&start| quoted.any(|found| found == start))
    }

    /// Appends a part of an older repaired text, with its repaired scalars.
    fn copy(&mut self, old: &Self, range: Range<usize>) -> Option<()> {
        let moved = old.scalars.iter().filter(|start| range.contains(start));
        self.scalars.extend(moved.map(|start| start - range.start + self.text.len()));
        self.text.push_str(old.text.get(range)?);
        Some(())
    }

    /// Appends the repaired form of the scalar whose quote is at `open`, and returns the offset after the scalar.
    /// `None` if the quote is not closed, or if a line in it separates documents.
    fn repair(&mut self, text: &str, open: usize) -> Option<usize> {
        let close = closing_quote(text, open)?;
        let indent = " ".repeat(lines::column(text, open) + 1);
        let mut at = lines::next_line(text, open);
        self.scalars.push(self.text.len());
        self.text.push_str(text.get(open..at.min(close + 1))?);
        while at <= close {
            let next = lines::next_line(text, at).min(close + 1);
            let line = text.get(at..next)?;
            if line.starts_with("---") || line.starts_with("...") {
                return None;
            }
            if !line.trim().is_empty() {
                self.text.push_str(&indent);
            }
            self.text.push_str(line);
            at = next;
        }
        Some(close + 1)
    }
}

fn repaired(text: &str, stop: &Stop, ahead: bool) -> Option<Repaired> {
    let mut current = Repaired { text: text.to_owned(), scalars: Vec::new() };
    let mut stop = Stop { error: stop.error.clone(), read: stop.read };
    for _ in 0..ROUNDS.min(MOST_BYTES / text.len().max(1)) {
        if stop.error.kind != ParseErrorKind::QuotedIndent {
            return None;
        }
        let old = std::mem::take(&mut current);
        let open = quote_around(&old.text, stop.read, stop.error.offset)?;
        current.copy(&old, 0..open)?;
        let mut at = current.repair(&old.text, open)?;
        while let Some(next) = ahead.then(|| next_candidate(&old.text, at)).flatten() {
            current.copy(&old, at..next)?;
            at = current.repair(&old.text, next)?;
        }
        current.copy(&old, at..old.text.len())?;
        match Builder::new(&current.text).run() {
            Ok(_) => return Some(current),
            Err(next) => stop = next,
        }
    }
    None
}

/// Returns the quote that is open at an offset. `from` is the end of the preceding node.
fn quote_around(text: &str, from: usize, offset: usize) -> Option<usize> {
    let mut from = from;
    loop {
        let open = lines::find_outside_comments(text, from, offset, b"\"'")?;
        match closing_quote(text, open) {
            Some(close) if close < offset => from = close + 1,
            Some(_) => return Some(open),
            None => return None,
        }
    }
}

fn closing_quote(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.get(open)?;
    let mut at = open + 1;
    loop {
        at += bytes.get(at..)?.iter().position(|&b| b == quote || b == b'\\')?;
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'\\'), _) if quote == b'"' => at += 2,
            (Some(b'\\'), _) => at += 1,
            (_, Some(b'\'')) if quote == b'\'' => at += 2,
            _ => return Some(at),
        }
    }
}

/// Returns the next quote that appears to start a value whose lines continue at or before the indentation of its key.
fn next_candidate(text: &str, from: usize) -> Option<usize> {
    let mut start = lines::next_line(text, from);
    while start < text.len() {
        let line = text.get(start..lines::line_end(text, start))?;
        if let Some(open) = quoted_value(line) {
            let close = closing_quote(text, start + open)?;
            let next = lines::next_line(text, start);
            if close >= next {
                let shallow = text.get(next..close + 1)?.lines().any(|inner| {
                    let blanks = inner.len() - inner.trim_start().len();
                    !inner.trim().is_empty() && blanks <= key_column(line)
                });
                if shallow {
                    return Some(start + open);
                }
            }
        }
        start = lines::next_line(text, start);
    }
    None
}

/// Returns the offset of the quote in `key: "text` or `- 'text`; `None` if the quote is closed on this line.
fn quoted_value(line: &str) -> Option<usize> {
    let separators = [": ", "- "].into_iter().filter_map(|separator| line.find(separator).map(|at| at + 2));
    let after =
        separators.filter(|&at| line.get(at..).is_some_and(|rest| rest.trim_start().starts_with(['"', '\'']))).min()?;
    let open = after + (line.get(after..)?.len() - line.get(after..)?.trim_start().len());
    closing_quote(line, open).is_none().then_some(open)
}

/// Returns the column of the key of a line, after the dashes.
fn key_column(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '-']).len()
}
