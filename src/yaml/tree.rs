//! A text as a tree of nodes with byte spans.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StructureStyle};

use super::path::{Path, Step};

/// How many collections may be inside each other; more is a parse error, never a stack overflow.
const NESTING_LIMIT: usize = 1000;

/// Why a text is no YAML, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// Byte offset in the parsed text.
    pub offset: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
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

/// The number of "no node" in links.
const NONE: usize = usize::MAX;

#[derive(Debug)]
struct Node<'s> {
    kind: Kind,
    /// Without anchor and tag. Block scalars from their `|` or `>` to the last break that belongs to them.
    span: Range<usize>,
    /// Where the anchor or tag starts; the start of the span when there is neither.
    start: usize,
    value: Cow<'s, str>,
    tagged: bool,
    anchored: bool,
    /// Of an alias.
    target: usize,
    parent: usize,
    first_child: usize,
    next_sibling: usize,
}

/// A text (one or several documents) and its nodes.
#[derive(Debug)]
pub struct Tree<'s> {
    text: &'s str,
    nodes: Vec<Node<'s>>,
    roots: Vec<usize>,
}

impl<'s> Tree<'s> {
    /// Parses all documents of a text.
    pub fn parse(text: &'s str) -> Result<Self, ParseError> {
        Builder::new(text).run()
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

    fn node(&self, id: usize) -> Option<&Node<'s>> {
        self.nodes.get(id)
    }
}

/// A node of a [`Tree`], to read.
#[derive(Debug, Clone, Copy)]
pub struct NodeRef<'t, 's> {
    tree: &'t Tree<'s>,
    id: usize,
}

impl PartialEq for NodeRef<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.id == other.id
    }
}

impl<'t, 's> NodeRef<'t, 's> {
    fn node(self) -> &'t Node<'s> {
        // An id is only ever made by this module, for this tree.
        #[allow(clippy::indexing_slicing)]
        &self.tree.nodes[self.id]
    }

    fn link(self, id: usize) -> Option<Self> {
        self.tree.node(id).map(|_| Self { tree: self.tree, id })
    }

    /// What the node is, aliases as such.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// The bytes of the value, without anchor and tag.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        self.node().span.clone()
    }

    /// Where the node starts, anchor and tag included.
    #[must_use]
    pub fn start(self) -> usize {
        self.node().start
    }

    /// Whether the node carries an anchor (`&name`).
    #[must_use]
    pub fn is_anchored(self) -> bool {
        self.node().anchored
    }

    /// Whether the node carries a tag (`!name`).
    #[must_use]
    pub fn is_tagged(self) -> bool {
        self.node().tagged
    }

    /// The source text of [`Self::span`].
    #[must_use]
    pub fn raw(self) -> &'s str {
        self.tree.text.get(self.span()).unwrap_or_default()
    }

    /// The node an alias stands for; every other node itself.
    #[must_use]
    pub fn resolved(self) -> Self {
        match self.kind() {
            // An alias to an alias does not exist in YAML.
            Kind::Alias => self.link(self.node().target).unwrap_or(self),
            _ => self,
        }
    }

    /// The text of a scalar, escapes resolved, aliases followed; none for collections.
    #[must_use]
    pub fn text(self) -> Option<&'t str> {
        let node = self.resolved().node();
        matches!(node.kind, Kind::Scalar(_)).then_some(node.value.as_ref())
    }

    /// The text of a scalar which every reader takes for a string or, being a plain scalar, for a number or the like.
    /// `null` is none.
    #[must_use]
    pub fn non_null_text(self) -> Option<&'t str> {
        if self.is_null() { None } else { self.text() }
    }

    /// A plain decimal whole number. `${VAR}`, quoted text, octal and hexadecimal are none.
    #[must_use]
    pub fn as_int(self) -> Option<i64> {
        let node = self.resolved().node();
        if node.kind != Kind::Scalar(Style::Plain) || node.tagged {
            return None;
        }
        let digits = node.value.strip_prefix('-').unwrap_or(&node.value);
        let decimal = !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
            && (digits.len() == 1 || !digits.starts_with('0'));
        if decimal { node.value.parse().ok() } else { None }
    }

    /// A plain `true` or `false`.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        let node = self.resolved().node();
        if node.kind != Kind::Scalar(Style::Plain) {
            return None;
        }
        match node.value.as_ref() {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }

    /// `null`, `~` or nothing at all.
    #[must_use]
    pub fn is_null(self) -> bool {
        let node = self.resolved().node();
        node.kind == Kind::Scalar(Style::Plain) && matches!(node.value.as_ref(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// Whether the node is a mapping (aliases followed).
    #[must_use]
    pub fn is_mapping(self) -> bool {
        matches!(self.resolved().kind(), Kind::Mapping { .. })
    }

    /// Whether the node is a sequence (aliases followed).
    #[must_use]
    pub fn is_sequence(self) -> bool {
        matches!(self.resolved().kind(), Kind::Sequence { .. })
    }

    /// The collection that holds this node.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        self.link(self.node().parent)
    }

    /// All nodes directly inside, keys and values in turn for a mapping. Aliases are not followed.
    pub fn children(self) -> impl Iterator<Item = Self> {
        let mut next = self.link(self.node().first_child);
        std::iter::from_fn(move || {
            let child = next?;
            next = child.link(child.node().next_sibling);
            Some(child)
        })
    }

    /// The elements of a sequence, aliases followed; nothing for every other node.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let node = self.resolved();
        let sequence = node.is_sequence().then_some(node);
        sequence.into_iter().flat_map(Self::children)
    }

    /// The key and value nodes that are written in a mapping, aliases followed; nothing for every other node.
    pub fn entries(self) -> impl Iterator<Item = (Self, Self)> {
        let node = self.resolved();
        let mapping = node.is_mapping().then_some(node);
        let mut children = mapping.into_iter().flat_map(Self::children);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// The value that is written under a key of a mapping, aliases followed, merge keys (`<<`) not.
    #[must_use]
    pub fn get_own(self, key: &str) -> Option<Self> {
        self.entries().find(|(k, _)| k.text() == Some(key)).map(|(_, value)| value)
    }

    /// The value under a key of a mapping, aliases and merge keys (`<<`) followed.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        self.get_own(key).or_else(|| self.merged().find_map(|source| source.get_own(key)))
    }

    /// The mappings that `<<` brings into a mapping, first one first.
    pub fn merged(self) -> impl Iterator<Item = Self> {
        let value = self.entries().find(|(k, _)| k.kind() == Kind::Scalar(Style::Plain) && k.text() == Some("<<"));
        value.into_iter().flat_map(|(_, value)| {
            let single = value.is_mapping().then_some(value);
            single.into_iter().chain(value.items())
        })
    }

    /// Follows a path from this node.
    #[must_use]
    pub fn lookup(self, path: &Path) -> Option<Self> {
        path.steps().iter().try_fold(self, |node, step| match step {
            Step::Key(key) => node.get(key),
            Step::Item { index, .. } => node.items().nth(*index),
        })
    }
}

struct Builder<'s> {
    text: &'s str,
    nodes: Vec<Node<'s>>,
    roots: Vec<usize>,
    /// The collections that are open, each with its last child.
    open: Vec<(usize, usize)>,
    anchors: HashMap<usize, usize>,
    /// The end of the last thing read: where the search for a block scalar's header starts.
    cursor: usize,
}

impl<'s> Builder<'s> {
    fn new(text: &'s str) -> Self {
        Self {
            text,
            nodes: Vec::with_capacity(text.len() / 16),
            roots: Vec::new(),
            open: Vec::new(),
            anchors: HashMap::new(),
            cursor: 0,
        }
    }

    fn run(mut self) -> Result<Tree<'s>, ParseError> {
        let mut options = Options::default();
        options.set_emit_comments(false);
        options.max_buffered_comment_events = usize::MAX;
        options.flow_nesting_limit = NESTING_LIMIT;
        options.block_nesting_limit = NESTING_LIMIT;
        let mut parser = Parser::new_from_str_with_options(self.text, options);
        while let Some(next) = parser.next_event() {
            let (event, span) = next.map_err(|error| self.error(&error))?;
            self.event(event, span);
        }
        Ok(Tree { text: self.text, nodes: self.nodes, roots: self.roots })
    }

    fn error(&self, error: &granit_parser::ScanError) -> ParseError {
        let mark = error.marker();
        ParseError {
            offset: mark.byte_offset().unwrap_or(self.text.len()).min(self.text.len()),
            line: mark.line(),
            column: mark.col() + 1,
            message: error.info(),
        }
    }

    fn event(&mut self, event: Event<'s>, span: Span) {
        let range = span.byte_range().unwrap_or(self.cursor..self.cursor);
        match event {
            Event::Scalar(value, style, anchor, tag) => {
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::SingleQuoted,
                    ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                };
                // An empty scalar's value is "~" in granit's events; its bytes say which it was.
                let value = if range.is_empty() && style == Style::Plain { Cow::Borrowed("") } else { value };
                let span = match style {
                    Style::Literal | Style::Folded => self.block_header(range.start)..range.end,
                    _ => range,
                };
                self.push(Kind::Scalar(style), span, value, anchor, tag.is_some());
            }
            Event::Alias(target) => {
                let id = self.push(Kind::Alias, range, Cow::Borrowed(""), 0, false);
                let target = self.anchors.get(&target).copied().unwrap_or(NONE);
                if let Some(node) = self.nodes.get_mut(id) {
                    node.target = target;
                }
            }
            Event::SequenceStart(style, anchor, tag) => {
                let flow = style == StructureStyle::Flow;
                let id = self.push(Kind::Sequence { flow }, range, Cow::Borrowed(""), anchor, tag.is_some());
                self.open.push((id, NONE));
            }
            Event::MappingStart(style, anchor, tag) => {
                let flow = style == StructureStyle::Flow;
                let id = self.push(Kind::Mapping { flow }, range, Cow::Borrowed(""), anchor, tag.is_some());
                self.open.push((id, NONE));
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(range),
            Event::DocumentStart(..) => self.cursor = self.cursor.max(range.end),
            _ => {}
        }
    }

    fn push(&mut self, kind: Kind, span: Range<usize>, value: Cow<'s, str>, anchor: usize, tagged: bool) -> usize {
        let id = self.nodes.len();
        let parent = match self.open.last_mut() {
            Some((parent, last)) => {
                let (parent, before) = (*parent, std::mem::replace(last, id));
                let link = if before == NONE {
                    self.nodes.get_mut(parent).map(|node| &mut node.first_child)
                } else {
                    self.nodes.get_mut(before).map(|node| &mut node.next_sibling)
                };
                if let Some(link) = link {
                    *link = id;
                }
                parent
            }
            None => {
                self.roots.push(id);
                NONE
            }
        };
        if anchor > 0 {
            self.anchors.insert(anchor, id);
        }
        self.cursor = self.cursor.max(span.end);
        self.nodes.push(Node {
            kind,
            start: span.start,
            span,
            value,
            tagged,
            anchored: anchor > 0,
            target: NONE,
            parent,
            first_child: NONE,
            next_sibling: NONE,
        });
        id
    }

    fn close(&mut self, end: Range<usize>) {
        let Some((id, last)) = self.open.pop() else { return };
        let last_end = self.nodes.get(last).map(|node| node.span.end);
        if let Some(node) = self.nodes.get_mut(id) {
            let flow = matches!(node.kind, Kind::Sequence { flow: true } | Kind::Mapping { flow: true });
            node.span.end = if flow { end.end } else { last_end.unwrap_or(node.span.end) };
            self.cursor = self.cursor.max(node.span.end);
        }
    }

    /// granit's span of a block scalar starts at its text; the `|` or `>` stands somewhere between the thing before
    /// and that text, with only punctuation, properties and comments around it.
    fn block_header(&self, content: usize) -> usize {
        let between = self.text.get(self.cursor..content).unwrap_or_default();
        let mut chars = between.char_indices().peekable();
        let mut blank_before = true;
        while let Some((at, c)) = chars.next() {
            match c {
                '|' | '>' => return self.cursor + at,
                '#' if blank_before => while chars.next_if(|&(_, c)| c != '\n').is_some() {},
                '&' | '!' => while chars.next_if(|&(_, c)| !c.is_whitespace()).is_some() {},
                _ => {}
            }
            blank_before = c.is_whitespace();
        }
        content
    }
}
