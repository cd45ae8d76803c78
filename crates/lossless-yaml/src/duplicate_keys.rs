//! Duplicate keys of mappings.

use super::node::NodeRef;
use super::tree::{Kind, Tree};

impl<'s> Tree<'s> {
    /// Returns the duplicate keys of all mappings below `root`, with line and column (from 1) of two occurrences. Merge
    /// keys (`<<`) may be repeated.
    pub fn duplicate_keys(&self, root: NodeRef<'_, 's>) -> Vec<(String, [(usize, usize); 2])> {
        let mut found = Vec::new();
        let mut seen = Vec::new();
        for id in root.id..root.end_id() {
            let node = NodeRef { tree: self, id };
            if !matches!(node.kind(), Kind::Mapping { .. }) {
                continue;
            }
            seen.clear();
            for (key, _) in node.entries_without_merge_keys() {
                seen.extend(key.text().filter(|&text| text != "<<").map(|text| (text, key.start())));
            }
            // Sorting finds duplicates faster than hashing every key.
            seen.sort_unstable();
            let twice = seen.iter().zip(seen.iter().skip(1)).filter(|(one, other)| one.0 == other.0);
            found.extend(twice.map(|(one, other)| (one.0.to_owned(), [one, other].map(|key| self.position(key.1)))));
        }
        found
    }
}
