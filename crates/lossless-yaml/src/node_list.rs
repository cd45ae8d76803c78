//! The nodes of a tree that is being read: each is linked with those before it as it comes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use super::tree::{Id, Kind, NONE, Node, Style, Tree};

/// Nodes in the order of the text, and which collections are still open.
#[derive(Debug)]
pub(super) struct NodeList<'s> {
    pub(super) nodes: Vec<Node<'s>>,
    roots: Vec<Id>,
    open: Vec<Open>,
}

/// A collection whose end is not reached yet.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) id: Id,
    last_child: Id,
    pub(super) mapping: bool,
    /// The next child of a mapping is a key.
    pub(super) at_key: bool,
}

impl<'s> NodeList<'s> {
    /// An empty list, with room for what a text of this many bytes holds as a rule.
    pub(super) fn for_text(bytes: usize) -> Self {
        Self { nodes: Vec::with_capacity(bytes / 16), roots: Vec::new(), open: Vec::new() }
    }

    /// The collections that are open, the outermost first.
    pub(super) fn open(&self) -> &[Open] {
        &self.open
    }

    /// A scalar or an alias, without anchor and tag.
    pub(super) fn push(&mut self, kind: Kind, span: Range<usize>, value: Cow<'s, str>) -> Id {
        let id = offset(self.nodes.len());
        let parent = match self.open.last_mut() {
            Some(open) => {
                let before = std::mem::replace(&mut open.last_child, id);
                open.at_key = !open.at_key;
                let link = if before == NONE {
                    self.nodes.get_mut(open.id as usize).map(|node| &mut node.first_child)
                } else {
                    self.nodes.get_mut(before as usize).map(|node| &mut node.next_sibling)
                };
                if let Some(link) = link {
                    *link = id;
                }
                open.id
            }
            None => {
                self.roots.push(id);
                NONE
            }
        };
        let span = (offset(span.start), offset(span.end));
        self.nodes.push(Node {
            kind,
            start: span.0,
            span,
            value,
            tagged: false,
            anchored: false,
            target: NONE,
            parent,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
        });
        id
    }

    /// A scalar whose text is its bytes.
    pub(super) fn push_scalar(&mut self, style: Style, span: Range<usize>, value: Cow<'s, str>) {
        self.push(Kind::Scalar(style), span, value);
    }

    /// A collection that starts: what follows is in it, up to [`Self::close`].
    pub(super) fn open_collection(&mut self, kind: Kind, span: Range<usize>) -> Id {
        let id = self.push(kind, span, Cow::Borrowed(""));
        let mapping = matches!(kind, Kind::Mapping { .. });
        self.open.push(Open { id, last_child: NONE, mapping, at_key: true });
        id
    }

    /// The innermost collection ends: behind its bracket, or with its last child where it has none. Where that is.
    pub(super) fn close(&mut self, bracket_end: Option<usize>) -> Option<usize> {
        let Open { id, last_child, .. } = self.open.pop()?;
        let last_end = self.nodes.get(last_child as usize).map(|node| node.span.1);
        let node = self.nodes.get_mut(id as usize)?;
        node.last_child = last_child;
        node.span.1 = bracket_end.map(offset).or(last_end).unwrap_or(node.span.1);
        Some(node.span.1 as usize)
    }

    pub(super) fn into_tree(self, text: &'s str, aliases: Vec<Id>, json: bool) -> Tree<'s> {
        Tree {
            text,
            nodes: self.nodes,
            roots: self.roots,
            aliases,
            json,
            json_values: OnceLock::new(),
            read_only: None,
            refused_by_go: OnceLock::new(),
            lines: OnceLock::new(),
        }
    }
}

/// Offsets fit: the text's length was checked, and there are fewer nodes than bytes (an empty node has an indicator).
#[allow(clippy::cast_possible_truncation)]
pub(super) fn offset(at: usize) -> u32 {
    at as u32
}

#[cfg(test)]
mod tests {
    use crate::tree::Node;

    /// A text of many short nodes takes several times its size while it is looked at: this is by how much.
    #[test]
    fn a_node_is_one_cache_line() {
        assert_eq!(size_of::<Node<'_>>(), 64);
    }
}
