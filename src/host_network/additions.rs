//! What was added to lists of a pod template so far.

use std::collections::{BTreeMap, BTreeSet};

use lossless_yaml::Path;

/// Arguments, variables and ports that were added to lists so far: later ones come after them.
#[derive(Default)]
pub(super) struct Additions {
    counts: BTreeMap<Path, usize>,
    /// Flags and variables, by the path of their container: one may set the numbers of two listeners, and is added once.
    added: BTreeSet<(Path, String)>,
    /// Lists that did not exist: each is an edit of its own.
    pub(super) created: Vec<Path>,
}

impl Additions {
    /// Whether a flag or variable is the first of its name that is added to a container.
    pub(super) fn is_first(&mut self, container: &Path, name: &str) -> bool {
        self.added.insert((container.clone(), name.to_owned()))
    }

    /// The path of the next element of a list that has `existing` ones; the list itself is added when there is none.
    pub(super) fn next(&mut self, list: &Path, existing: Option<usize>, name: Option<&str>) -> Path {
        if existing.is_none() && !self.counts.contains_key(list) {
            self.created.push(list.clone());
        }
        let added = self.counts.entry(list.clone()).or_default();
        let index = existing.unwrap_or_default() + *added;
        *added += 1;
        list.named_item(index, name)
    }
}
