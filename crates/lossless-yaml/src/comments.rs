//! Detection of comments around nodes.

use super::node::NodeRef;
use super::tree::Kind;

impl NodeRef<'_, '_> {
    /// True if a comment is inside of the node, or between the node and the preceding or following node.
    ///
    /// ```
    /// use lossless_yaml::Tree;
    /// let has = |text: &str| Tree::parse(text).unwrap().root(0).unwrap().has_comments();
    /// assert!(has("# one\na: 1\n") && has("a: 1 # one\nb: 2\n") && has("a: 1\n# one\n"));
    /// assert!(!has("a: '#1'\nb: |\n  # text\nc: d#e\n"));
    /// let list = Tree::parse("- a: 1\n- b: 2 # two\n- c: 3\n- d: 4\n").unwrap();
    /// let items = list.root(0).unwrap().items().map(|item| item.has_comments());
    /// assert_eq!(items.collect::<Vec<_>>(), [false, true, true, false]);
    /// ```
    pub fn has_comments(self) -> bool {
        let tree = self.tree;
        let scalar = |id: u32| tree.node(id).filter(|node| matches!(node.kind, Kind::Scalar(_)));
        let end = self.end_id();
        let mut at = (0..self.id).rev().find_map(scalar).map_or(0, |before| before.span.1 as usize);
        let sign = |range| tree.text.get(range).is_some_and(|text: &str| text.contains('#'));
        // Anchors and tags may contain `#`; otherwise `#` outside of scalars starts a comment.
        for node in (self.id..end).filter_map(scalar) {
            if sign(at..node.start as usize) {
                return true;
            }
            at = at.max(node.span.1 as usize);
        }
        sign(at..tree.node(end).map_or(tree.text.len(), |after| after.start as usize))
    }
}
