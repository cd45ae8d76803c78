//! Lookup of many paths in one tree. Each large collection is indexed once, not searched for every path.

use std::collections::HashMap;

use super::node::NodeRef;
use super::path::{Path, Step};
use super::tree::Id;

/// Collections with more entries than this are indexed; searching a smaller one is as fast.
const MAX_UNINDEXED_ENTRIES: usize = 16;

/// A key and its value as written in a mapping.
pub(super) type Entry<'t, 's> = (NodeRef<'t, 's>, NodeRef<'t, 's>);

/// Entries of a mapping with the same key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries<'t, 's> {
    pub(super) first: Entry<'t, 's>,
    /// Second occurrence of the key, if it is duplicated.
    pub(super) second: Option<NodeRef<'t, 's>>,
}

impl<'t, 's> Entries<'t, 's> {
    /// Adds an entry of a mapping to the known entries.
    fn add(known: &mut Option<Self>, entry: Entry<'t, 's>) {
        match known {
            None => *known = Some(Self { first: entry, second: None }),
            Some(known) => known.second = known.second.or(Some(entry.0)),
        }
    }
}

/// Follows paths in one tree.
#[derive(Debug, Default)]
pub struct Finder<'t, 's> {
    items: HashMap<Id, Vec<NodeRef<'t, 's>>>,
    entries: HashMap<Id, HashMap<&'t str, Entries<'t, 's>>>,
}

impl<'t, 's> Finder<'t, 's> {
    /// Follows a path from a node, as [`NodeRef::lookup`] does.
    pub fn lookup(&mut self, node: NodeRef<'t, 's>, path: &Path) -> Option<NodeRef<'t, 's>> {
        path.steps().into_iter().try_fold(node, |node, step| match step {
            Step::Key(key) => {
                let own = self.entries(node, key).map(|entries| entries.first.1);
                own.or_else(|| node.merged().find_map(|source| source.get_without_merge_keys(key)))
            }
            Step::Item { index, .. } => self.item(node, *index),
        })
    }

    /// Returns an element of a sequence, with aliases followed.
    pub(super) fn item(&mut self, sequence: NodeRef<'t, 's>, index: usize) -> Option<NodeRef<'t, 's>> {
        if index < MAX_UNINDEXED_ENTRIES {
            return sequence.items().nth(index);
        }
        let id = sequence.resolved().id;
        let items = self.items.entry(id).or_insert_with(|| sequence.items().collect());
        items.get(index).copied()
    }

    /// Returns the entries with a key in a mapping, with aliases followed but without merge keys (`<<`).
    pub(super) fn entries(&mut self, mapping: NodeRef<'t, 's>, key: &str) -> Option<Entries<'t, 's>> {
        let id = mapping.resolved().id;
        if let Some(known) = self.entries.get(&id) {
            return known.get(key).copied();
        }
        let mut found = None;
        for (count, entry) in mapping.entries_without_merge_keys().enumerate() {
            if count == MAX_UNINDEXED_ENTRIES {
                let mut all: HashMap<&'t str, Option<Entries<'t, 's>>> = HashMap::new();
                for entry in mapping.entries_without_merge_keys() {
                    if let Some(text) = entry.0.text() {
                        Entries::add(all.entry(text).or_default(), entry);
                    }
                }
                let all = all.into_iter().filter_map(|(text, entries)| Some((text, entries?))).collect();
                return self.entries.entry(id).or_insert(all).get(key).copied();
            }
            if entry.0.text() == Some(key) {
                Entries::add(&mut found, entry);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::Finder;
    use crate::{NodeRef, Path, Tree};

    /// Returns the texts at some paths, and asserts that `Finder` and `NodeRef::lookup` find the same nodes.
    fn at(text: &str, paths: &[Path]) -> Vec<Option<String>> {
        let tree = Tree::parse(text).unwrap();
        let root = tree.root(0).unwrap();
        let mut finder = Finder::default();
        let found = paths.iter().map(|path| {
            let node = finder.lookup(root, path);
            assert_eq!(node, root.lookup(path), "{path}");
            node.and_then(NodeRef::text).map(str::to_owned)
        });
        found.collect()
    }

    #[test]
    fn large_collections_are_looked_up_as_small_ones_are() {
        for count in [3, 16, 17, 100] {
            let keys: String = (0..count).map(|number| format!("  k{number}: v{number}\n")).collect();
            let items: String = (0..count).map(|number| format!("- i{number}\n")).collect();
            let text = format!("map: &m\n{keys}  k1: again\nlist: &l\n{items}\nmerged: {{<<: *m, own: o}}\nsame: *l\n");
            let last = count - 1;
            let found = at(
                &text,
                &[
                    Path::dotted("map").key(format!("k{last}")),
                    Path::dotted("map.k1"),
                    Path::dotted("map.none"),
                    Path::dotted("list").item(last),
                    Path::dotted("list").item(count),
                    Path::dotted("same").item(last),
                    Path::dotted("merged").key(format!("k{last}")),
                    Path::dotted("merged.own"),
                    Path::dotted("list.none"),
                    Path::dotted("map").item(0),
                ],
            );
            let (key, item) = (Some(format!("v{last}")), Some(format!("i{last}")));
            let own = Some("o".to_owned());
            assert_eq!(
                found,
                [key.clone(), Some("v1".to_owned()), None, item.clone(), None, item, key, own, None, None]
            );
        }
    }
}
