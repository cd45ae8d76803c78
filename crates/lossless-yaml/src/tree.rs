//! Tree of the nodes of a text, with byte spans.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::line_index::{LineIndex, LineTable};

/// Maximum depth of nested collections, including collections that aliases refer to; a deeper text is a parse error.
pub(super) const NESTING_LIMIT: usize = 1000;

/// Reason and position at which a text is not valid YAML.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// Byte offset in the parsed text.
    pub offset: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// Kind of error, for errors that can be handled.
    pub kind: ParseErrorKind,
    /// Description of the error.
    pub message: String,
}

/// Kind of a parse error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// An alias without its anchor; the anchor may be outside of an extracted part of a text.
    UnknownAnchor,
    /// A comment of JSON with comments (`//` or `/*`).
    JsonComment,
    /// Any other error.
    Other,
}

impl ParseError {
    /// Creates an error of kind `Other` at an offset of a text.
    pub(super) fn refused(text: &str, offset: usize, message: &str) -> Self {
        let (line, column) = LineIndex::new(text).position(offset);
        Self { offset, line, column, kind: ParseErrorKind::Other, message: message.to_owned() }
    }
}

/// Style of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `text`
    Plain,
    /// `'text'`
    SingleQuoted,
    /// `"text"`
    DoubleQuoted,
    /// `|` and an indented block
    Literal,
    /// `>` and an indented block
    Folded,
}

/// Kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A single value.
    Scalar(Style),
    /// A sequence, in flow style (`[a, b]`) or as a block.
    Sequence {
        /// Written in brackets.
        flow: bool,
    },
    /// A mapping, in flow style (`{a: b}`) or as a block.
    Mapping {
        /// Written in braces.
        flow: bool,
    },
    /// `*name`: a reference to another node.
    Alias,
}

/// Index of a node in its tree, in the order of the text. 32 bits keep a node in one cache line.
pub(super) type Id = u32;

/// Null value of a link: no node.
pub(super) const NONE: Id = Id::MAX;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node<'s> {
    pub(super) value: Cow<'s, str>,
    /// Byte range without anchor and tag. For a block scalar: from its `|` or `>` to the last line break that belongs
    /// to it.
    pub(super) span: (u32, u32),
    /// Start of the anchor or tag; without both the start of the span.
    pub(super) start: u32,
    /// Target, if the node is an alias.
    pub(super) target: Id,
    pub(super) parent: Id,
    pub(super) first_child: Id,
    pub(super) last_child: Id,
    pub(super) next_sibling: Id,
    pub(super) kind: Kind,
    pub(super) tagged: bool,
    pub(super) anchored: bool,
}

/// A text of one or several documents, and its nodes.
#[derive(Debug)]
pub struct Tree<'s> {
    pub(super) text: &'s str,
    pub(super) nodes: Vec<Node<'s>>,
    pub(super) roots: Vec<Id>,
    /// Alias nodes, in the order of the text.
    pub(super) aliases: Vec<Id>,
    /// True if the text was parsed as JSON.
    pub(super) json: bool,
    /// JSON values inside of YAML, computed on demand.
    pub(super) json_values: OnceLock<Vec<Id>>,
    /// Result of [`Tree::go_parse_error`], computed on demand.
    pub(super) refused_by_go: OnceLock<Option<ParseError>>,
    /// Lines of the text, computed on demand.
    pub(super) lines: OnceLock<LineTable>,
}

impl<'s> Tree<'s> {
    /// Returns the parsed text; spans are offsets in it.
    pub fn text(&self) -> &'s str {
        self.text
    }

    /// Returns the line of a byte offset, counted from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.lines().line(offset)
    }

    /// Returns line and column (in characters) of a byte offset, both counted from 1.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        self.lines().position(offset)
    }

    /// Returns the line index of the text, computed on demand.
    pub(super) fn lines(&self) -> LineIndex<'_> {
        LineIndex::known(self.text, self.lines.get_or_init(|| LineTable::new(self.text)))
    }

    pub(super) fn node(&self, id: Id) -> Option<&Node<'s>> {
        self.nodes.get(id as usize)
    }
}
