//! Construction of a tree: nodes are added in the order of the text and linked to the nodes before them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use super::tree::{Id, Kind, NONE, Node, Style, Tree};

/// Nodes in the order of the text, and the open collections.
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
    /// True if the next child of a mapping is a key.
    pub(super) at_key: bool,
}

impl<'s> NodeList<'s> {
    /// Creates an empty list with capacity for the usual number of nodes in a text of this length.
    pub(super) fn for_text(bytes: usize) -> Self {
        Self { nodes: Vec::with_capacity(bytes / 16), roots: Vec::new(), open: Vec::new() }
    }

    /// Returns the open collections, outermost first.
    pub(super) fn open(&self) -> &[Open] {
        &self.open
    }

    /// Adds a scalar or an alias, without anchor and tag.
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

    /// Adds a scalar without anchor and tag.
    pub(super) fn push_scalar(&mut self, style: Style, span: Range<usize>, value: Cow<'s, str>) {
        self.push(Kind::Scalar(style), span, value);
    }

    /// Adds a collection; following nodes are added inside of it until [`Self::close`].
    pub(super) fn open_collection(&mut self, kind: Kind, span: Range<usize>) -> Id {
        let id = self.push(kind, span, Cow::Borrowed(""));
        let mapping = matches!(kind, Kind::Mapping { .. });
        self.open.push(Open { id, last_child: NONE, mapping, at_key: true });
        id
    }

    /// Closes the innermost collection: after its bracket, or after its last child. Returns the end of the collection.
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
            refused_by_go: OnceLock::new(),
            lines: OnceLock::new(),
        }
    }
}

/// Converts an offset or node count. Both fit: the length of the text was checked, and there are fewer nodes than
/// bytes, because an empty node has an indicator.
#[allow(clippy::cast_possible_truncation)]
pub(super) fn offset(at: usize) -> u32 {
    at as u32
}

#[cfg(test)]
mod tests {
    use crate::tree::Node;

    /// A text of many short nodes needs several times its size in memory; the size of a node determines the factor.
    #[test]
    fn a_node_fits_one_cache_line() {
        assert_eq!(size_of::<Node<'_>>(), 64);
    }
}
