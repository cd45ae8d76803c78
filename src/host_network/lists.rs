//! What is found once for a list of workloads that many references are about.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use crate::model::WorkloadId;
use crate::model::facts::Count;
use crate::model::reference::Others;

/// What was found for lists of workloads: many references are about the same list.
#[derive(Debug)]
pub(super) struct OfLists<T>(RefCell<HashMap<Address, (Others, T)>>);

/// Where a list is, and which of its workloads count.
type Address = (*const WorkloadId, Count);

impl<T> Default for OfLists<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> OfLists<T> {
    /// What was found for a list, or is now. The list is kept, so that its address is not that of another one.
    pub(super) fn of(&self, list: &Others, find: impl FnOnce() -> T) -> T {
        let key = (list.workloads.as_ptr(), list.count);
        if let Some((_, known)) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let found = find();
        self.0.borrow_mut().insert(key, (list.clone(), found.clone()));
        found
    }
}

/// Where workloads that have a number end.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// All of them.
    pub(super) all: BTreeSet<u16>,
    /// Those whose moves are made before.
    pub(super) earlier: BTreeSet<u16>,
}
