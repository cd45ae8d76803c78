//! Comments inside a node.

use super::node::NodeRef;
use super::tree::Kind;

impl NodeRef<'_, '_> {
    /// Whether a comment stands between the first and the last byte of the node.
    ///
    /// ```
    /// use hostnet::yaml::Tree;
    /// let has = |text: &str| Tree::parse(text).unwrap().root(0).unwrap().has_comments();
    /// assert!(has("a: 1 # one\nb: 2\n"));
    /// assert!(!has("# above\na: '#1'\nb: |\n  # text\n"));
    /// ```
    #[must_use]
    pub fn has_comments(self) -> bool {
        let text = self.tree().text();
        let mut at = self.span().start;
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            if matches!(node.kind(), Kind::Scalar(_)) {
                if text.get(at..node.start()).is_some_and(|between| between.contains('#')) {
                    return true;
                }
                at = at.max(node.span().end);
            }
            let mut children: Vec<_> = node.children().collect();
            children.reverse();
            open.append(&mut children);
        }
        text.get(at..self.span().end).is_some_and(|rest| rest.contains('#'))
    }
}
