//! Comments of a text.

use super::tree::{Kind, Tree};

impl Tree<'_> {
    /// Whether the text has a comment.
    ///
    /// ```
    /// use hostnet::yaml::Tree;
    /// let has = |text: &str| Tree::parse(text).unwrap().has_comments();
    /// assert!(has("# one\na: 1\n") && has("a: 1 # one\nb: 2\n") && has("a: 1\n# one\n"));
    /// assert!(!has("a: '#1'\nb: |\n  # text\nc: d#e\n"));
    /// ```
    #[must_use]
    pub fn has_comments(&self) -> bool {
        let mut at = 0;
        let mut between = Vec::new();
        let mut open: Vec<_> = self.roots().collect();
        open.reverse();
        while let Some(node) = open.pop() {
            // Anchors and tags may hold the sign; nothing else around scalars does, but comments.
            if matches!(node.kind(), Kind::Scalar(_)) {
                between.push(at..node.start());
                at = at.max(node.span().end);
            }
            let mut children: Vec<_> = node.children().collect();
            children.reverse();
            open.append(&mut children);
        }
        between.push(at..self.text().len());
        between.into_iter().any(|range| self.text().get(range).is_some_and(|text| text.contains('#')))
    }
}
