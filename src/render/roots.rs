//! Index of added values by path.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use lossless_yaml::{Path, Step, Value};

/// Added values by path, to find the value that contains a path without a search.
#[derive(Default)]
pub(super) struct Roots(HashMap<ByPosition, usize>);

impl Roots {
    pub(super) fn new(added: &[(Path, Value)]) -> Self {
        let mut roots = Self::default();
        added.iter().enumerate().for_each(|(index, (path, _))| roots.insert(path, index));
        roots
    }

    /// Adds a folder with the index of its root.
    pub(super) fn insert(&mut self, path: &Path, root: usize) {
        self.0.entry(ByPosition(path.clone())).or_insert(root);
    }

    /// Index of the innermost added value at or above `path`.
    pub(super) fn enclosing(&self, path: &Path) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        std::iter::successors(Some(path.clone()), Path::parent).find_map(|path| self.0.get(&ByPosition(path)).copied())
    }
}

/// A path compared by list positions only, not by element names.
struct ByPosition(Path);

impl PartialEq for ByPosition {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same_place(&other.0)
    }
}

impl Eq for ByPosition {}

impl Hash for ByPosition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for path in std::iter::successors(Some(self.0.clone()), Path::parent) {
            match path.last() {
                Some(Step::Key(key)) => key.hash(state),
                Some(Step::Item { index, .. }) => index.hash(state),
                None => {}
            }
        }
    }
}
