//! A copy of a text for granit, which refuses two forms that kubectl and kustomize read: a `-` alone in a flow
//! collection (`[apply, -f, -]`), and a byte order mark directly after the first `---`.
//!
//! The copy has the same offsets: a letter stands for each such `-`, and line breaks stand for the mark. The values of
//! the nodes are then taken from the text itself.

use std::borrow::Cow;

use granit_parser::ErrorKind;

use super::decode;
use super::lines::BOM;
use super::tree::{Kind, Node, Style};

/// Letter that stands for a `-`.
const LETTER: u8 = b'x';

/// A copy of a text that granit reads, and the offsets at which a letter stands for a `-`.
pub(super) struct StandIn {
    pub(super) text: String,
    dashes: Vec<usize>,
}

impl StandIn {
    /// Returns a copy of a text that granit refused; `None` if a copy would be refused for the same reason.
    pub(super) fn for_error(kind: &ErrorKind, text: &str) -> Option<Self> {
        if !matches!(kind, ErrorKind::PlainScalarStartsWithDashFlowIndicator | ErrorKind::BomInsideDocument) {
            return None;
        }
        let dashes: Vec<usize> = memchr::memchr_iter(b'-', text.as_bytes()).filter(|&at| is_alone(text, at)).collect();
        let mark = mark_after_start(text);
        if dashes.is_empty() && mark.is_none() {
            return None;
        }
        let mut bytes = text.as_bytes().to_vec();
        let mut put = |at: usize, byte: u8| {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        };
        for &at in &dashes {
            put(at, LETTER);
        }
        for at in mark.into_iter().flat_map(|at| at..at + BOM.len()) {
            put(at, b'\n');
        }
        Some(Self { text: String::from_utf8(bytes).ok()?, dashes })
    }

    /// Gives the nodes of the copy the values that they have in the text.
    pub(super) fn restore(&self, text: &str, nodes: &mut [Node<'_>]) {
        for node in nodes {
            let Kind::Scalar(style) = node.kind else { continue };
            let span = node.span.0 as usize..node.span.1 as usize;
            let first = self.dashes.partition_point(|&at| at < span.start);
            if self.dashes.get(first).is_some_and(|&at| at < span.end) {
                let raw = text.get(span).unwrap_or_default();
                let value = match style {
                    Style::Literal | Style::Folded => in_block(raw, &node.value),
                    _ => decode::flow_scalar(raw, style).map(|decoded| decoded.text),
                };
                node.value = value.map_or_else(|| std::mem::take(&mut node.value), Cow::Owned);
            }
        }
    }
}

/// True for a `-` that is a whole word before a comma or a closing bracket.
fn is_alone(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let starts = before.is_none_or(|before| b" \t\r\n,[{:".contains(before));
    starts && bytes.get(at + 1).is_some_and(|after| b",]}".contains(after))
}

/// Returns the offset of a byte order mark directly after the line `---` at the start of a text.
fn mark_after_start(text: &str) -> Option<usize> {
    let line = text.split_inclusive('\n').next().filter(|line| line.trim_end() == "---")?;
    text.get(line.len()..)?.starts_with(BOM).then_some(line.len())
}

/// The value of a block scalar with the characters of its source: folding and indentation change only white space.
fn in_block(raw: &str, value: &str) -> Option<String> {
    let (_, content) = raw.split_once('\n')?;
    let mut written = content.chars().filter(|c| !c.is_whitespace());
    Some(value.chars().map(|c| if c.is_whitespace() { c } else { written.next().unwrap_or(c) }).collect())
}
