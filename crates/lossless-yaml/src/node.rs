//! A node of a tree, to read.

use std::ops::Range;

use super::go_number::go_int;
use super::path::{Path, Step};
use super::tree::{Id, Kind, NONE, Node, Style, Tree};

/// A node of a [`Tree`], to read.
#[derive(Debug, Clone, Copy)]
pub struct NodeRef<'t, 's> {
    pub(super) tree: &'t Tree<'s>,
    pub(super) id: Id,
}

impl PartialEq for NodeRef<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.id == other.id
    }
}

impl<'t, 's> NodeRef<'t, 's> {
    fn node(self) -> &'t Node<'s> {
        #[allow(
            clippy::indexing_slicing,
            reason = "every id comes from a list of this tree: its nodes, roots, aliases or links"
        )]
        &self.tree.nodes[self.id as usize]
    }

    fn link(self, id: Id) -> Option<Self> {
        self.tree.node(id).map(|_| Self { tree: self.tree, id })
    }

    /// The tree that the node is in.
    #[must_use]
    pub fn tree(self) -> &'t Tree<'s> {
        self.tree
    }

    /// The position of the node among all of its tree, in the order of the text: a key for tables of nodes.
    #[must_use]
    pub fn number(self) -> u32 {
        self.id
    }

    /// What the node is, aliases as such.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// The bytes of the value, without anchor and tag.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        let (start, end) = self.node().span;
        start as usize..end as usize
    }

    /// Where the node starts, anchor and tag included.
    #[must_use]
    pub fn start(self) -> usize {
        self.node().start as usize
    }

    /// Anchor and tag as written, with all that stands before the value: blanks, line breaks and comments. Empty when
    /// there is neither.
    #[must_use]
    pub fn properties(self) -> &'s str {
        self.tree.text.get(self.start()..self.span().start).unwrap_or_default()
    }

    /// Anchor and tag, in the order of the text.
    pub fn property_words(self) -> impl Iterator<Item = &'s str> {
        let words = |line: &'s str| line.split_whitespace().take_while(|word| !word.starts_with('#'));
        self.properties().split(['\n', '\r']).flat_map(words)
    }

    /// Where the anchor and the tag end; None when there is neither.
    pub(super) fn properties_end(self) -> Option<usize> {
        let last = self.property_words().last()?;
        Some(self.start() + last.as_ptr().addr() - self.properties().as_ptr().addr() + last.len())
    }

    /// The name of the anchor (`&name`).
    #[must_use]
    pub fn anchor(self) -> Option<&'s str> {
        let word = || self.property_words().find_map(|word| word.strip_prefix('&'));
        self.is_anchored().then(word).flatten()
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

    /// The tag (`!name`) as written; empty when there is none.
    #[must_use]
    pub fn tag(self) -> &'s str {
        let tag = || self.property_words().find(|word| word.starts_with('!'));
        self.is_tagged().then(tag).flatten().unwrap_or_default()
    }

    /// The name of a tag that YAML itself defines: `int` for `!!int`. `None` without a tag and for every other one.
    #[must_use]
    pub fn yaml_tag(self) -> Option<&'s str> {
        let tag = self.tag();
        tag.strip_prefix("!!").or_else(|| tag.strip_prefix("!<tag:yaml.org,2002:")?.strip_suffix('>'))
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
    /// `null` does not count.
    #[must_use]
    pub fn non_null_text(self) -> Option<&'t str> {
        if self.is_null() { None } else { self.text() }
    }

    /// A plain decimal whole number. `${VAR}`, quoted text, octal and hexadecimal are not.
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

    /// A whole number as the API server reads it: in any base, with a sign, underscores or a fraction of zero; also a text with the tag of
    /// whole numbers.
    #[must_use]
    pub fn as_go_int(self) -> Option<i64> {
        let own = self.resolved();
        let node = own.node();
        let is_plain = node.kind == Kind::Scalar(Style::Plain) && !node.tagged;
        let is_int = || matches!(node.kind, Kind::Scalar(_)) && own.yaml_tag() == Some("int");
        if is_plain || is_int() { go_int(&node.value) } else { None }
    }

    /// A plain `true` or `false`.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        let node = self.resolved().node();
        if node.kind != Kind::Scalar(Style::Plain) || node.tagged {
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
        node.kind == Kind::Scalar(Style::Plain)
            && !node.tagged
            && matches!(node.value.as_ref(), "" | "~" | "null" | "Null" | "NULL")
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

    /// The first id behind this node and all that is in it.
    pub(super) fn end_id(self) -> Id {
        let mut node = self;
        loop {
            if node.node().next_sibling != NONE {
                return node.node().next_sibling;
            }
            match node.parent() {
                Some(parent) => node = parent,
                None => break,
            }
        }
        let behind = self.tree.roots.partition_point(|&root| root <= self.id);
        let count = Id::try_from(self.tree.nodes.len()).unwrap_or(NONE);
        self.tree.roots.get(behind).copied().unwrap_or(count)
    }

    pub(super) fn last_child(self) -> Option<Self> {
        self.link(self.node().last_child)
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

    /// The key and value nodes of a mapping itself, aliases not followed.
    pub fn entries_written(self) -> impl Iterator<Item = (Self, Self)> {
        let mapping = matches!(self.kind(), Kind::Mapping { .. }).then_some(self);
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

    /// The value under a key of a mapping; of a key that stands several times the first value that is not empty.
    #[must_use]
    pub fn given(self, key: &str) -> Option<Self> {
        let is_given = |value: &Self| !value.is_null() && value.text() != Some("");
        let written = self.entries().filter(|(k, _)| k.text() == Some(key)).map(|(_, value)| value);
        written.chain(self.merged().filter_map(|source| source.get_own(key))).find(is_given)
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
        path.steps().into_iter().try_fold(self, |node, step| match step {
            Step::Key(key) => node.get(key),
            Step::Item { index, .. } => node.items().nth(*index),
        })
    }
}
