//! Fast comparison of two nodes with all their children.

use super::node::NodeRef;
use super::tree::{Id, Kind, NONE, Node};

/// True if two nodes have the same bytes and the same structure. False if they contain anchors or
/// aliases, whose targets may differ.
pub(super) fn is_same(one: NodeRef<'_, '_>, other: NodeRef<'_, '_>) -> bool {
    let inside = |node: NodeRef<'_, '_>| node.id as usize..node.end_id() as usize;
    let (ones, others) = (one.tree.nodes.get(inside(one)), other.tree.nodes.get(inside(other)));
    let (Some(ones), Some(others)) = (ones, others) else { return false };
    if ones.len() != others.len() || written(one) != written(other) {
        return false;
    }
    let (one, other) = (Base::read(one), Base::read(other));
    ones.iter().zip(others).enumerate().all(|(index, (node, same))| {
        let linked = index == 0 || one.number(node.parent) == other.number(same.parent);
        let placed = one.place(node) == other.place(same);
        let said = node.kind == same.kind && node.tagged == same.tagged && node.value == same.value;
        linked && placed && said && !node.anchored && !same.anchored && node.kind != Kind::Alias
    })
}

/// Returns the source text of a node, including anchor and tag.
fn written<'t>(node: NodeRef<'t, '_>) -> Option<&'t str> {
    node.tree.text.get(node.start()..node.span().end)
}

/// Start of a node: byte offset and node number.
struct Base {
    start: u32,
    id: Id,
}

impl Base {
    fn read(node: NodeRef<'_, '_>) -> Self {
        Self { start: node.tree.node(node.id).map_or(0, |node| node.start), id: node.id }
    }

    /// Returns the position of a child relative to the start of the node.
    fn place(&self, node: &Node<'_>) -> (u32, u32, u32) {
        let from = |at: u32| at.wrapping_sub(self.start);
        (from(node.start), from(node.span.0), from(node.span.1))
    }

    /// Returns the number of a child relative to the number of the node.
    fn number(&self, id: Id) -> Id {
        if id == NONE { NONE } else { id.wrapping_sub(self.id) }
    }
}

#[cfg(test)]
mod tests {
    use super::is_same;
    use crate::Tree;

    /// True if `is_same` is true for the values of `a` and `b`.
    fn same(text: &str) -> bool {
        let tree = Tree::parse(text).unwrap();
        let root = tree.root(0).unwrap();
        is_same(root.get("a").unwrap(), root.get("b").unwrap())
    }

    #[test]
    fn nodes_are_the_same_only_with_all_that_is_in_them() {
        assert!(same("a: {x: [1, 'y'], z: }\nb: {x: [1, 'y'], z: }\n"));
        assert!(same("a:\n  x: |\n    t\nb:\n  x: |\n    t\n"));
        for text in [
            "a: {x: 1}\nb: {x: 2}\n",
            "a: {x: 1}\nb: {x:  1}\n",
            "a: 'x'\nb: \"x\"\n",
            "a: !t x\nb: x\n",
            "a: &x y\nb: &z y\n",
            "c: &c d\na: *c\nb: *c\n",
        ] {
            assert!(!same(text), "{text}");
        }
    }
}
