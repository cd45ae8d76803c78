//! Limits for aliases. Like Go's `sigs.k8s.io/yaml`, the parser rejects an anchor that contains its own alias, and
//! aliases that expand to far more nodes than the text has. Code that follows aliases therefore always ends, and needs
//! no deeper recursion than for a text without aliases.

use super::tree::{Id, Kind, NESTING_LIMIT, NONE, ParseError, Tree};

/// Minimum limit for the number of nodes that all aliases expand to; a large manifest has a tenth of this number.
const MIN_EXPANDED_NODE_LIMIT: usize = 100_000;

/// A node whose end is not reached yet, with its extent so far.
struct OpenNode {
    id: Id,
    extent: Extent,
}

/// Size of a node with all aliases expanded.
#[derive(Debug, Clone, Copy)]
struct Extent {
    nodes: usize,
    /// Depth of nested collections, including the node itself if it is a collection.
    levels: usize,
}

/// Returns an error at the first alias that refers to a node around it, that expands to too many nodes (more than the
/// text has, and more than 100,000), or that nests collections too deeply.
pub(super) fn bound(tree: &Tree<'_>) -> Result<(), ParseError> {
    if tree.aliases.is_empty() {
        return Ok(());
    }
    let most = tree.nodes.len().max(MIN_EXPANDED_NODE_LIMIT);
    let mut extents: Vec<Extent> = Vec::with_capacity(tree.nodes.len());
    let mut open: Vec<OpenNode> = Vec::new();
    let mut aliased = 0;
    for node in tree.all_nodes() {
        let parent = tree.node(node.id).map_or(NONE, |node| node.parent);
        close(&mut open, &mut extents, parent);
        let mut extent =
            Extent { nodes: 1, levels: usize::from(!matches!(node.kind(), Kind::Scalar(_) | Kind::Alias)) };
        if node.kind() == Kind::Alias {
            let target = node.resolved();
            let refused = |message: &str| Err(ParseError::refused(tree.text, node.start(), message));
            let name = node.raw();
            if open.iter().any(|open| open.id == target.id) {
                return refused(&format!(
                    "`{name}` is used inside of its own anchor, which never ends: write out the value"
                ));
            }
            extent = extents.get(target.id as usize).copied().unwrap_or(extent);
            aliased += extent.nodes;
            if aliased > most {
                return refused(&format!(
                    "aliases up to here expand to more than {most} values: write out the value of `{name}`"
                ));
            }
            if open.len() + extent.levels > NESTING_LIMIT {
                let deep =
                    format!("more than {NESTING_LIMIT} lists and mappings inside each other, with those of `{name}`");
                return refused(&deep);
            }
        }
        extents.push(extent);
        open.push(OpenNode { id: node.id, extent });
    }
    Ok(())
}

/// Closes the open nodes up to `parent`, and adds their extents to the nodes that contain them.
fn close(open: &mut Vec<OpenNode>, extents: &mut [Extent], parent: Id) {
    while let Some(ended) = open.pop_if(|open| open.id != parent) {
        if let Some(extent) = extents.get_mut(ended.id as usize) {
            *extent = ended.extent;
        }
        if let Some(outer) = open.last_mut() {
            outer.extent.nodes += ended.extent.nodes;
            outer.extent.levels = outer.extent.levels.max(ended.extent.levels + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;

    fn result(text: &str) -> String {
        Tree::parse(text).map_or_else(|error| error.to_string(), |_| "read".to_owned())
    }

    /// Returns levels of lists; each list contains the list of the level below `times` times.
    fn bomb(levels: usize, times: usize) -> String {
        let level = |n: usize| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); times].join(", "));
        format!("a0: &a0 [x]\n{}", (1..=levels).map(level).collect::<String>())
    }

    #[test]
    fn an_alias_in_its_own_anchor_is_refused() {
        for text in ["a: &s {x: *s}\n", "a: &s\n- b: [*s]\n", "&s {x: {y: *s}}\n", "a: &s\n  ? *s\n"] {
            assert!(result(text).contains("which never ends"), "{text}: {}", result(text));
        }
        assert_eq!(result("a: &s {x: 1}\nb: {x: *s, y: &s {z: 2}, z: *s}\n"), "read");
    }

    #[test]
    fn aliases_expand_to_at_most_a_hundred_thousand_values() {
        assert_eq!(result(&bomb(4, 9)), "read");
        assert!(result(&bomb(11, 9)).starts_with("line 6, column "), "{}", result(&bomb(11, 9)));
        assert!(result(&bomb(1_000, 2)).contains("expand to more than 100000 values"));
        // The limit of a long text is its own number of nodes.
        let used = format!("a: &a [{}]\nb:\n{}", "x, ".repeat(99), "- *a\n".repeat(2_000));
        assert!(result(&used).contains("expand to more than 100000 values"));
        assert_eq!(result(&format!("{used}c: [{}]\n", "x, ".repeat(300_000))), "read");
    }

    #[test]
    fn aliases_do_not_exceed_the_maximum_depth() {
        let levels = |count: usize, inner: &str| format!("{}{inner}{}", "[".repeat(count), "]".repeat(count));
        let chain = |count: usize| format!("a: &a {}\nb: &b {}\nc: *b\n", levels(400, "x"), levels(count, "*a"));
        assert_eq!(result(&chain(590)), "read");
        assert!(result(&chain(600)).contains("more than 1000 lists and mappings"), "{}", result(&chain(600)));
    }
}
