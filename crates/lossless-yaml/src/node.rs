//! Read access to a node of a tree.

use std::collections::HashSet;
use std::ops::Range;

use super::go_number::go_int;
use super::path::{Path, Step};
use super::tree::{Id, Kind, NONE, Node, Style, Tree};

/// A node of a [`Tree`], for reading.
#[derive(Debug, Clone, Copy)]
pub struct NodeRef<'t, 's> {
    pub(super) tree: &'t Tree<'s>,
    pub(super) id: Id,
}

impl<'s> Tree<'s> {
    /// Iterates over the root nodes of the documents.
    pub fn roots(&self) -> impl Iterator<Item = NodeRef<'_, 's>> {
        self.roots.iter().map(|&id| NodeRef { tree: self, id })
    }

    /// Returns the root node of document `index`, counted from 0.
    pub fn root(&self, index: usize) -> Option<NodeRef<'_, 's>> {
        self.roots.get(index).map(|&id| NodeRef { tree: self, id })
    }

    /// Iterates over all nodes in the order of the text.
    pub(super) fn all_nodes(&self) -> impl Iterator<Item = NodeRef<'_, 's>> {
        (0..self.nodes.len()).filter_map(|id| Some(NodeRef { tree: self, id: Id::try_from(id).ok()? }))
    }
}

impl PartialEq for NodeRef<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.id == other.id
    }
}

impl<'t, 's> NodeRef<'t, 's> {
    /// The stored data of the node.
    fn node(self) -> &'t Node<'s> {
        #[allow(
            clippy::indexing_slicing,
            reason = "every id comes from a list of this tree: its nodes, roots, aliases or links"
        )]
        &self.tree.nodes[self.id as usize]
    }

    /// Linked node with this id.
    fn link(self, id: Id) -> Option<Self> {
        self.tree.node(id).map(|_| Self { tree: self.tree, id })
    }

    /// True for a flow collection, and for the pair in `[a: b]`.
    pub(super) fn is_flow(self) -> bool {
        matches!(self.kind(), Kind::Sequence { flow: true } | Kind::Mapping { flow: true })
    }

    /// Returns the tree that contains the node.
    pub fn tree(self) -> &'t Tree<'s> {
        self.tree
    }

    /// Returns the number of the node in its tree, in the order of the text; usable as a map key.
    pub fn number(self) -> u32 {
        self.id
    }

    /// Returns the kind of the node; aliases are not followed.
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Returns the byte range of the value, without anchor and tag.
    pub fn span(self) -> Range<usize> {
        let (start, end) = self.node().span;
        start as usize..end as usize
    }

    /// Returns the offset of the node, including anchor and tag.
    pub fn start(self) -> usize {
        self.node().start as usize
    }

    /// Returns anchor and tag as written, with white space, line breaks and comments before the
    /// value. Empty without anchor and tag.
    pub fn properties(self) -> &'s str {
        self.tree.text.get(self.start()..self.span().start).unwrap_or_default()
    }

    /// Returns anchor and tag, in the order of the text.
    pub fn property_words(self) -> impl Iterator<Item = &'s str> {
        let words = |line: &'s str| line.split_whitespace().take_while(|word| !word.starts_with('#'));
        self.properties().split(['\n', '\r']).flat_map(words)
    }

    /// Returns the end of anchor and tag; `None` if the node has neither.
    pub(super) fn properties_end(self) -> Option<usize> {
        let last = self.property_words().last()?;
        Some(self.start() + last.as_ptr().addr() - self.properties().as_ptr().addr() + last.len())
    }

    /// Returns the name of the anchor (`&name`).
    pub fn anchor(self) -> Option<&'s str> {
        let word = || self.property_words().find_map(|word| word.strip_prefix('&'));
        self.is_anchored().then(word).flatten()
    }

    /// True if the node has an anchor (`&name`).
    pub fn is_anchored(self) -> bool {
        self.node().anchored
    }

    /// True if the node has a tag (`!name`).
    pub fn is_tagged(self) -> bool {
        self.node().tagged
    }

    /// Returns the tag (`!name`) as written; empty without a tag.
    pub fn tag(self) -> &'s str {
        let tag = || self.property_words().find(|word| word.starts_with('!'));
        self.is_tagged().then(tag).flatten().unwrap_or_default()
    }

    /// Returns the name of a standard YAML tag: `int` for `!!int`. `None` without a tag and for other tags.
    pub fn yaml_tag(self) -> Option<&'s str> {
        let tag = self.tag();
        tag.strip_prefix("!!").or_else(|| tag.strip_prefix("!<tag:yaml.org,2002:")?.strip_suffix('>'))
    }

    /// Returns the source text of [`Self::span`].
    pub fn raw(self) -> &'s str {
        self.tree.text.get(self.span()).unwrap_or_default()
    }

    /// Returns the target of an alias, or the node itself if it is not an alias.
    pub fn resolved(self) -> Self {
        match self.kind() {
            // YAML does not allow an alias to an alias.
            Kind::Alias => self.link(self.node().target).unwrap_or(self),
            _ => self,
        }
    }

    /// Returns the text of a scalar with escapes resolved and aliases followed; `None` for collections.
    pub fn text(self) -> Option<&'t str> {
        let node = self.resolved().node();
        matches!(node.kind, Kind::Scalar(_)).then_some(node.value.as_ref())
    }

    /// Returns the text of a scalar, numbers and booleans included; `None` for `null` and collections.
    pub fn non_null_text(self) -> Option<&'t str> {
        if self.is_null() { None } else { self.text() }
    }

    /// Returns the text of a scalar; `None` for `null`, collections and an empty text, which Go's structs of Kubernetes
    /// treat as absent.
    pub fn non_empty_text(self) -> Option<&'t str> {
        self.non_null_text().filter(|text| !text.is_empty())
    }

    /// Returns a decimal integer, plain or with the tag `!!int`; `None` for `${VAR}`, quoted text, octal and hexadecimal
    /// numbers.
    pub fn as_int(self) -> Option<i64> {
        let node = self.resolved().node();
        let is_plain = node.kind == Kind::Scalar(Style::Plain) && !node.tagged;
        if !(is_plain || node.tagged && self.has_scalar_tag("int")) {
            return None;
        }
        let digits = node.value.strip_prefix('-').unwrap_or(&node.value);
        let decimal = !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit())
            && (digits.len() == 1 || !digits.starts_with('0'));
        if decimal { node.value.parse().ok() } else { None }
    }

    /// Returns an integer as the API server reads it: in any base, with sign, underscores or a zero
    /// fraction; also text with the tag `!!int` or `!!float`.
    pub fn as_go_int(self) -> Option<i64> {
        let node = self.resolved().node();
        let is_plain = node.kind == Kind::Scalar(Style::Plain) && !node.tagged;
        let is_number = || self.has_scalar_tag("int") || self.has_scalar_tag("float");
        if is_plain || (node.tagged && is_number()) { go_int(&node.value) } else { None }
    }

    /// True for a scalar in any style with this standard YAML tag.
    fn has_scalar_tag(self, name: &str) -> bool {
        let own = self.resolved();
        matches!(own.kind(), Kind::Scalar(_)) && own.yaml_tag() == Some(name)
    }

    /// Returns a `true` or `false`, plain or with the tag `!!bool`.
    pub fn as_bool(self) -> Option<bool> {
        let node = self.resolved().node();
        let is_plain = node.kind == Kind::Scalar(Style::Plain) && !node.tagged;
        if !(is_plain || node.tagged && self.has_scalar_tag("bool")) {
            return None;
        }
        match node.value.as_ref() {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }

    /// True for `null`, `~` and an empty value.
    pub fn is_null(self) -> bool {
        let node = self.resolved().node();
        node.kind == Kind::Scalar(Style::Plain)
            && !node.tagged
            && matches!(node.value.as_ref(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// True for a mapping (aliases followed).
    pub fn is_mapping(self) -> bool {
        matches!(self.resolved().kind(), Kind::Mapping { .. })
    }

    /// True for a sequence (aliases followed).
    pub fn is_sequence(self) -> bool {
        matches!(self.resolved().kind(), Kind::Sequence { .. })
    }

    /// Returns the first id after this node and all of its descendants.
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
        let after = self.tree.roots.partition_point(|&root| root <= self.id);
        let count = Id::try_from(self.tree.nodes.len()).unwrap_or(NONE);
        self.tree.roots.get(after).copied().unwrap_or(count)
    }

    pub(super) fn last_child(self) -> Option<Self> {
        self.link(self.node().last_child)
    }

    /// Returns the parent collection.
    pub fn parent(self) -> Option<Self> {
        self.link(self.node().parent)
    }

    /// Iterates over the direct children, alternating keys and values for a mapping. Aliases are not followed.
    pub fn children(self) -> impl Iterator<Item = Self> {
        let mut next = self.first_child();
        std::iter::from_fn(move || {
            let child = next?;
            next = child.next_sibling();
            Some(child)
        })
    }

    fn first_child(self) -> Option<Self> {
        self.link(self.node().first_child)
    }

    fn next_sibling(self) -> Option<Self> {
        self.link(self.node().next_sibling)
    }

    /// Iterates over the elements of a sequence, aliases followed; empty for any other node.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let node = self.resolved();
        let sequence = node.is_sequence().then_some(node);
        sequence.into_iter().flat_map(Self::children)
    }

    /// Iterates over the keys and values of a mapping, with aliases and merge keys (`<<`) followed: first its own
    /// entries, then the entries of merged mappings whose keys are new. Empty for any other node.
    ///
    /// ```
    /// let text = "{a: &a {x: 1, y: 1}, b: &b {<<: *a, y: 2}, c: {<<: *b, z: 3}}";
    /// let tree = lossless_yaml::Tree::parse(text).unwrap();
    /// let c = tree.root(0).unwrap().get("c").unwrap();
    /// let found: Vec<_> = c.entries().map(|(key, value)| (key.raw(), value.raw())).collect();
    /// assert_eq!(found, [("z", "3"), ("y", "2"), ("x", "1")]);
    /// ```
    pub fn entries(self) -> impl Iterator<Item = (Self, Self)> {
        let mapping = self.resolved();
        let mut next = if mapping.is_mapping() { mapping.first_child() } else { None };
        let mut merged: Option<Box<MergedEntries<'t, 's>>> = None;
        std::iter::from_fn(move || {
            while let Some(key) = next {
                let value = key.next_sibling()?;
                next = value.next_sibling();
                if !(key.is_merge_key() && value.is_collection()) {
                    return Some((key, value));
                }
                // As for `merged`, the first `<<` counts.
                merged.get_or_insert_with(|| Box::new(MergedEntries::new(mapping, value)));
            }
            merged.as_mut()?.next()
        })
    }

    /// Iterates over the keys and values written in a mapping, aliases followed, `<<` among them; empty for any other
    /// node.
    pub fn entries_without_merge_keys(self) -> impl Iterator<Item = (Self, Self)> {
        let node = self.resolved();
        let mapping = node.is_mapping().then_some(node);
        let mut children = mapping.into_iter().flat_map(Self::children);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// Iterates over the keys and values of the mapping itself, aliases not followed.
    pub fn entries_without_aliases(self) -> impl Iterator<Item = (Self, Self)> {
        let mapping = matches!(self.kind(), Kind::Mapping { .. }).then_some(self);
        let mut children = mapping.into_iter().flat_map(Self::children);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// Iterates over the node and all nodes below it; of several children the last child comes first.
    pub fn descendants(self) -> impl Iterator<Item = Self> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let node = open.pop()?;
            open.extend(node.children());
            Some(node)
        })
    }

    /// Returns the value written under a key of a mapping, with aliases followed but without merge keys (`<<`).
    pub fn get_without_merge_keys(self, key: &str) -> Option<Self> {
        self.entries_without_merge_keys().find(|(k, _)| k.text() == Some(key)).map(|(_, value)| value)
    }

    /// Returns the value under a key of a mapping, with aliases and merge keys (`<<`) followed.
    pub fn get(self, key: &str) -> Option<Self> {
        let mut merge = None;
        for (own, value) in self.entries_without_merge_keys() {
            if own.text() == Some(key) {
                return Some(value);
            }
            if merge.is_none() && own.is_merge_key() {
                merge = Some(value);
            }
        }
        Merged::new(merge?).find_map(|source| source.get_without_merge_keys(key))
    }

    /// Returns the value under a key of a mapping; for a duplicate key the first value that is not empty.
    pub fn given(self, key: &str) -> Option<Self> {
        let is_given = |value: &Self| !value.is_null() && value.text() != Some("");
        let written = self.entries_without_merge_keys().filter(|(k, _)| k.text() == Some(key)).map(|(_, value)| value);
        written.chain(self.merged().filter_map(|source| source.get_without_merge_keys(key))).find(is_given)
    }

    /// Iterates over the mappings that `<<` merges into a mapping, each once: an earlier mapping, and what is merged
    /// into it, before a later one.
    ///
    /// Source: go.yaml.in/yaml/v3@v3.0.4 `decode.go`, `merge` and `mapping`: a key that is set is kept.
    pub fn merged(self) -> impl Iterator<Item = Self> {
        self.merge_value().into_iter().flat_map(Merged::new)
    }

    /// Returns the value of the merge key (`<<`).
    fn merge_value(self) -> Option<Self> {
        self.entries_without_merge_keys().find(|(key, _)| key.is_merge_key()).map(|(_, value)| value)
    }

    fn is_merge_key(self) -> bool {
        let node = self.node();
        node.kind == Kind::Scalar(Style::Plain) && node.value == "<<"
    }

    fn is_collection(self) -> bool {
        self.is_mapping() || self.is_sequence()
    }

    /// Follows a path from this node.
    pub fn lookup(self, path: &Path) -> Option<Self> {
        path.steps().into_iter().try_fold(self, |node, step| match step {
            Step::Key(key) => node.get(key),
            Step::Item { index, .. } => node.items().nth(*index),
        })
    }
}

/// Mappings that a merge key leads to; see [`NodeRef::merged`].
struct Merged<'t, 's> {
    /// Mappings still to return, the next one last.
    open: Vec<NodeRef<'t, 's>>,
    seen: HashSet<Id>,
}

impl<'t, 's> Merged<'t, 's> {
    /// `value` is the value of the merge key.
    fn new(value: NodeRef<'t, 's>) -> Self {
        let mut merged = Self { open: Vec::new(), seen: HashSet::new() };
        merged.open(value);
        merged
    }

    /// Adds the mapping, or the list of mappings, in the value of a merge key.
    fn open(&mut self, value: NodeRef<'t, 's>) {
        if value.is_mapping() {
            self.open.push(value);
        }
        let start = self.open.len();
        self.open.extend(value.items());
        self.open.get_mut(start..).unwrap_or_default().reverse();
    }
}

impl<'t, 's> Iterator for Merged<'t, 's> {
    type Item = NodeRef<'t, 's>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let source = self.open.pop()?;
            if self.seen.insert(source.resolved().id) {
                if let Some(value) = source.merge_value() {
                    self.open(value);
                }
                return Some(source);
            }
        }
    }
}

/// Entries that a merge key adds to a mapping; see [`NodeRef::entries`].
struct MergedEntries<'t, 's> {
    sources: Merged<'t, 's>,
    /// Children of the current source.
    children: Option<NodeRef<'t, 's>>,
    known: HashSet<&'t str>,
}

impl<'t, 's> MergedEntries<'t, 's> {
    /// `value` is the value of the merge key of `mapping`.
    fn new(mapping: NodeRef<'t, 's>, value: NodeRef<'t, 's>) -> Self {
        let known = mapping.entries_without_merge_keys().filter_map(|(key, _)| key.text()).collect();
        Self { sources: Merged::new(value), children: None, known }
    }
}

impl<'t, 's> Iterator for MergedEntries<'t, 's> {
    type Item = (NodeRef<'t, 's>, NodeRef<'t, 's>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(key) = self.children else {
                let source = self.sources.next()?.resolved();
                self.children = source.is_mapping().then(|| source.first_child()).flatten();
                continue;
            };
            let value = key.next_sibling()?;
            self.children = value.next_sibling();
            let is_new = key.text().is_none_or(|text| self.known.insert(text));
            if is_new && !key.is_merge_key() {
                return Some((key, value));
            }
        }
    }
}
