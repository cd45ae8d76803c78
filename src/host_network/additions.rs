//! Elements added to lists of a pod template so far.

use std::collections::{BTreeMap, BTreeSet};

use lossless_yaml::Path;

/// Counts the arguments, variables and ports that a run adds to each list; each addition gets the next position.
#[derive(Default)]
pub(super) struct Additions {
    counts: BTreeMap<Path, usize>,
    /// Flags and variables by container path: one flag may set the numbers of two listeners, and is added once.
    added: BTreeSet<(Path, String)>,
    /// Lists that did not exist: each is created by a separate edit.
    pub(super) created: Vec<Path>,
}

impl Additions {
    /// Records a flag or variable; true if it is the first addition of this name to the container.
    pub(super) fn is_first(&mut self, container: &Path, name: &str) -> bool {
        self.added.insert((container.clone(), name.to_owned()))
    }

    /// Path of the next element of a list with `existing` elements; a missing list is added to `created`.
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
