//! Lookup of the node for an edit's path, and of all other places that share the node by aliases.

use std::collections::HashMap;
use std::ops::Range;

use super::finder::{Entry, Finder};
use super::node::NodeRef;
use super::op::EditError;
use super::path::{Path, Step};
use super::tree::{Id, Tree};

/// Finds the node at a path. Duplicate and merged keys on the path are errors.
pub(super) fn find<'t, 's>(
    finder: &mut Finder<'t, 's>,
    root: NodeRef<'t, 's>,
    path: &Path,
) -> Result<NodeRef<'t, 's>, EditError> {
    let mut node = root;
    for (depth, step) in path.steps().into_iter().enumerate() {
        let way = || path.steps().into_iter().take(depth + 1).fold(Path::root(), |way, step| way.step(step.clone()));
        let found = match step {
            Step::Key(key) => match own(finder, node, key, way)? {
                Some((_, value)) => Some(value),
                None => match merged(node, key, &way()) {
                    Some(error) => return Err(error),
                    None => None,
                },
            },
            Step::Item { index, .. } => finder.item(node, *index),
        };
        node = found.ok_or_else(|| EditError::NotFound { path: way() })?;
    }
    Ok(node)
}

/// Returns the value of a key in a mapping; an error for a duplicate key. `way` is the path of the key, for messages.
pub(super) fn own<'t, 's>(
    finder: &mut Finder<'t, 's>,
    mapping: NodeRef<'t, 's>,
    key: &str,
    way: impl Fn() -> Path,
) -> Result<Option<Entry<'t, 's>>, EditError> {
    let Some(found) = finder.entries(mapping, key) else { return Ok(None) };
    if let Some(second) = found.second {
        let line = |node: NodeRef<'_, '_>| node.tree.line(node.start());
        return Err(EditError::Duplicate { path: way(), first: line(found.first.0), second: line(second) });
    }
    Ok(Some(found.first))
}

/// Returns the error for a key that a mapping has only through `<<`.
pub(super) fn merged(mapping: NodeRef<'_, '_>, key: &str, way: &Path) -> Option<EditError> {
    let source = mapping.merged().find(|source| source.get_without_merge_keys(key).is_some())?.resolved();
    let anchor = source.anchor().unwrap_or_default().to_owned();
    Some(EditError::Merged { path: way.clone(), anchor, line: source.tree.line(source.start()) })
}

/// Aliases of a document by target.
pub(super) struct Sharing<'t, 's> {
    tree: &'t Tree<'s>,
    sites: HashMap<Id, Vec<Id>>,
}

impl<'t, 's> Sharing<'t, 's> {
    pub(super) fn new(tree: &'t Tree<'s>) -> Self {
        let mut sites: HashMap<Id, Vec<Id>> = HashMap::new();
        for &alias in &tree.aliases {
            if let Some(node) = tree.node(alias) {
                sites.entry(node.target).or_default().push(alias);
            }
        }
        Self { tree, sites }
    }

    /// Returns the node or its nearest ancestor that is the target of an alias.
    pub(super) fn anchor(&self, node: NodeRef<'t, 's>) -> Option<NodeRef<'t, 's>> {
        if self.sites.is_empty() {
            return None;
        }
        ancestors(node).find(|node| self.sites.contains_key(&node.id))
    }

    /// Counts the paths from the document root to a node, including those through aliases. Stops
    /// above `most`, because nested aliases multiply.
    pub(super) fn path_count(&self, node: NodeRef<'t, 's>, most: usize) -> usize {
        let mut count = 0;
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            count += 1;
            for shared in ancestors(node) {
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

    /// Returns an anchor inside of the range of nodes that an alias outside of the range refers to.
    pub(super) fn anchor_used_outside(&self, inside: &Range<Id>) -> Option<NodeRef<'t, 's>> {
        // A scalar, the usual target of an edit, has no children.
        if inside.is_empty() {
            return None;
        }
        self.tree.aliases.iter().find_map(|&alias| {
            let target = NodeRef { tree: self.tree, id: alias }.resolved();
            (!inside.contains(&alias) && inside.contains(&target.id)).then_some(target)
        })
    }
}

/// Iterates over a node and its ancestors, innermost first.
fn ancestors<'t, 's>(node: NodeRef<'t, 's>) -> impl Iterator<Item = NodeRef<'t, 's>> {
    std::iter::successors(Some(node), |node| node.parent())
}
