//! From the path of an edit to the node it changes, and to every other place that would change with it.

use std::collections::HashMap;
use std::ops::Range;

use super::node::NodeRef;
use super::op::EditError;
use super::path::{Path, Step};
use super::tree::{Id, Tree};

/// Follows a path. Duplicate keys and merged keys on the way are errors.
pub(super) fn find<'t, 's>(root: NodeRef<'t, 's>, path: &Path) -> Result<NodeRef<'t, 's>, EditError> {
    let mut node = root;
    let mut way = Path::root();
    for step in path.steps() {
        way = way.step(step.clone());
        node = match step {
            Step::Key(key) => match own(node, key, &way)? {
                Some((_, value)) => value,
                None => return Err(merged(node, key, &way).unwrap_or(EditError::NotFound { path: way })),
            },
            Step::Item { index, .. } => {
                node.items().nth(*index).ok_or_else(|| EditError::NotFound { path: way.clone() })?
            }
        };
    }
    Ok(node)
}

/// A key and its value as they are written in a mapping.
type Entry<'t, 's> = (NodeRef<'t, 's>, NodeRef<'t, 's>);

/// The entry of a mapping under a key; an error when there are two. `way` is the key's path.
pub(super) fn own<'t, 's>(mapping: NodeRef<'t, 's>, key: &str, way: &Path) -> Result<Option<Entry<'t, 's>>, EditError> {
    let mut found = mapping.entries().filter(|(k, _)| k.text() == Some(key));
    let Some(first) = found.next() else { return Ok(None) };
    if let Some((second, _)) = found.next() {
        let line = |node: NodeRef<'_, '_>| node.tree.line(node.start());
        return Err(EditError::Duplicate { path: way.clone(), first: line(first.0), second: line(second) });
    }
    Ok(Some(first))
}

/// The error for a key that a mapping has only through `<<`.
pub(super) fn merged(mapping: NodeRef<'_, '_>, key: &str, way: &Path) -> Option<EditError> {
    let source = mapping.merged().find(|source| source.get_own(key).is_some())?.resolved();
    let anchor = source.anchor().unwrap_or_default().to_owned();
    Some(EditError::Merged { path: way.clone(), anchor, line: source.tree.line(source.start()) })
}

/// Which aliases stand for a node.
pub(super) struct Sharing<'t, 's> {
    tree: &'t Tree<'s>,
    sites: HashMap<Id, Vec<Id>>,
}

impl<'t, 's> Sharing<'t, 's> {
    pub(super) fn of(tree: &'t Tree<'s>) -> Self {
        let mut sites: HashMap<Id, Vec<Id>> = HashMap::new();
        for &alias in &tree.aliases {
            if let Some(node) = tree.node(alias) {
                sites.entry(node.target).or_default().push(alias);
            }
        }
        Self { tree, sites }
    }

    /// The nearest anchored node, the node itself or one around it, that an alias stands for.
    pub(super) fn anchor(&self, node: NodeRef<'t, 's>) -> Option<NodeRef<'t, 's>> {
        if self.sites.is_empty() {
            return None;
        }
        around(node).find(|node| self.sites.contains_key(&node.id))
    }

    /// The number of ways from the top of the document to a node, aliases included; counting ends above `most`, so
    /// that neither a bomb nor an alias inside of its own anchor costs time.
    pub(super) fn ways(&self, node: NodeRef<'t, 's>, most: usize) -> usize {
        let mut count = 0;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            count += 1;
            for shared in around(node) {
                for &alias in self.sites.get(&shared.id).into_iter().flatten() {
                    open.extend(NodeRef { tree: self.tree, id: alias }.parent());
                    if count + open.len() > most {
                        return count + open.len();
                    }
                }
            }
        }
        count
    }

    /// An anchor between two nodes of the text that an alias elsewhere stands for.
    pub(super) fn needed_outside(&self, inside: &Range<Id>) -> Option<NodeRef<'t, 's>> {
        self.tree.aliases.iter().find_map(|&alias| {
            let target = NodeRef { tree: self.tree, id: alias }.resolved();
            (!inside.contains(&alias) && inside.contains(&target.id)).then_some(target)
        })
    }
}

/// A node and the collections around it, from the inside out.
fn around<'t, 's>(node: NodeRef<'t, 's>) -> impl Iterator<Item = NodeRef<'t, 's>> {
    std::iter::successors(Some(node), |node| node.parent())
}
