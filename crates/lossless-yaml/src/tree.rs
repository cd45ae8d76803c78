//! A text as a tree of nodes with byte spans.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::builder::Builder;
use super::fast;
use super::line_index::{LineIndex, LineTable};
use super::node::NodeRef;

/// How many collections may be inside each other; more is a parse error. What aliases stand for counts too.
pub(super) const NESTING_LIMIT: usize = 1000;

/// Why a text is not YAML, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// Byte offset in the parsed text.
    pub offset: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// Which sort of fault it is, for those that have a remedy of their own.
    pub kind: ParseErrorKind,
    /// What is wrong.
    pub message: String,
}

/// The faults of a text after which something else can be done than to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// An alias whose anchor is not in the text: it may stand outside of a part that was cut out.
    UnknownAnchor,
    /// Quoted text whose lines continue at or before its key's indentation, which Go's reader accepts.
    QuotedIndent,
    /// Everything else.
    Other,
}

impl ParseError {
    /// A fault at an offset of a text, of no sort in particular.
    pub(super) fn refused(text: &str, offset: usize, message: &str) -> Self {
        let (line, column) = LineIndex::new(text).position(offset);
        Self { offset, line, column, kind: ParseErrorKind::Other, message: message.to_owned() }
    }
}

/// How a scalar is written.
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

/// What a node is.
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
    /// `*name`: stands for another node.
    Alias,
}

/// The position of a node in its tree, in the order of the text. 32 bits keep a node in one cache line.
pub(super) type Id = u32;

/// "No node" in links.
pub(super) const NONE: Id = Id::MAX;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node<'s> {
    pub(super) value: Cow<'s, str>,
    /// Without anchor and tag. Block scalars from their `|` or `>` to the last break that belongs to them.
    pub(super) span: (u32, u32),
    /// Where the anchor or tag starts; the start of the span when there is neither.
    pub(super) start: u32,
    /// Of an alias.
    pub(super) target: Id,
    pub(super) parent: Id,
    pub(super) first_child: Id,
    pub(super) last_child: Id,
    pub(super) next_sibling: Id,
    pub(super) kind: Kind,
    pub(super) tagged: bool,
    pub(super) anchored: bool,
}

/// A text (one or several documents) and its nodes.
#[derive(Debug)]
pub struct Tree<'s> {
    pub(super) text: &'s str,
    pub(super) nodes: Vec<Node<'s>>,
    pub(super) roots: Vec<Id>,
    /// The alias nodes, in order.
    pub(super) aliases: Vec<Id>,
    /// Whether the text was read as JSON.
    pub(super) json: bool,
    /// The values in YAML that are JSON, once somebody has asked.
    pub(super) json_values: OnceLock<Vec<Id>>,
    /// Set when the text was repaired to be read; such a tree must not be edited.
    pub(super) read_only: Option<ParseError>,
    /// What [`Tree::go_refuses`] found, once it has looked.
    pub(super) refused_by_go: OnceLock<Option<ParseError>>,
    /// The lines of the text, once somebody has asked for one.
    pub(super) lines: OnceLock<LineTable>,
}

impl<'s> Tree<'s> {
    /// Parses all documents of a text.
    pub fn parse(text: &'s str) -> Result<Self, ParseError> {
        fast::read(text).map_or_else(|| Self::parse_by_granit(text), Ok)
    }

    /// The same by granit-parser alone, or as JSON: for what an edit made of a text that the fast reader may have read. It
    /// never proves its own work.
    pub fn parse_by_granit(text: &'s str) -> Result<Self, ParseError> {
        Builder::new(text).run().map_err(|stop| stop.error)
    }

    /// Why a tree of [`parse_lenient`](super::parse_lenient) must not be edited; none for what was parsed as it is.
    #[must_use]
    pub fn read_only(&self) -> Option<&ParseError> {
        self.read_only.as_ref()
    }

    /// The text that was parsed; spans are offsets in it.
    #[must_use]
    pub fn text(&self) -> &'s str {
        self.text
    }

    /// The root nodes, one a document.
    pub fn roots(&self) -> impl Iterator<Item = NodeRef<'_, 's>> {
        self.roots.iter().map(|&id| NodeRef { tree: self, id })
    }

    /// The root of document `index`.
    #[must_use]
    pub fn root(&self, index: usize) -> Option<NodeRef<'_, 's>> {
        self.roots.get(index).map(|&id| NodeRef { tree: self, id })
    }

    /// The keys that occur twice in one mapping anywhere below `root`, each with line and column (from 1) of the first and the second.
    /// Merge keys (`<<`) may be repeated.
    #[must_use]
    pub fn duplicate_keys(&self, root: NodeRef<'_, 's>) -> Vec<(String, [(usize, usize); 2])> {
        let mut found = Vec::new();
        let mut seen = Vec::new();
        for id in root.id..root.end_id() {
            let node = NodeRef { tree: self, id };
            if !matches!(node.kind(), Kind::Mapping { .. }) {
                continue;
            }
            seen.clear();
            for (key, _) in node.entries() {
                seen.extend(key.text().filter(|&text| text != "<<").map(|text| (text, key.start())));
            }
            // Sorted, equal keys are neighbours: cheaper than a hash of every key of every mapping.
            seen.sort_unstable();
            let twice = seen.iter().zip(seen.iter().skip(1)).filter(|(one, other)| one.0 == other.0);
            found.extend(twice.map(|(one, other)| (one.0.to_owned(), [one, other].map(|key| self.position(key.1)))));
        }
        found
    }

    /// The line of a byte offset, counted from 1.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.lines().line(offset)
    }

    /// Line and column, in characters, of a byte offset, both counted from 1.
    #[must_use]
    pub fn position(&self, offset: usize) -> (usize, usize) {
        self.lines().position(offset)
    }

    /// The lines of the text, found out when first asked for.
    pub(super) fn lines(&self) -> LineIndex<'_> {
        LineIndex::known(self.text, self.lines.get_or_init(|| LineTable::of(self.text)))
    }

    /// All nodes, in the order of the text.
    pub(super) fn all_nodes(&self) -> impl Iterator<Item = NodeRef<'_, 's>> {
        (0..self.nodes.len()).filter_map(|id| Some(NodeRef { tree: self, id: Id::try_from(id).ok()? }))
    }

    pub(super) fn node(&self, id: Id) -> Option<&Node<'s>> {
        self.nodes.get(id as usize)
    }
}
