//! Cache of results for lists of workloads.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::model::WorkloadId;
use crate::model::facts::Count;
use crate::model::reference::AffectedWorkloads;

/// Cache of results for lists of workloads: many references use the same list.
#[derive(Debug)]
pub(super) struct WorkloadListCache<T>(RefCell<HashMap<Address, (AffectedWorkloads, T)>>);

/// Cache key: address of the list of workloads, and the workloads of the list to consider.
type Address = (*const WorkloadId, Count);

impl<T> Default for WorkloadListCache<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> WorkloadListCache<T> {
    /// Returns the cached result for a list, or computes it. Keeps the list alive, so that its address is not reused.
    pub(super) fn get_or_insert(&self, list: &AffectedWorkloads, find: impl FnOnce() -> T) -> T {
        let key = (list.workloads.as_ptr(), list.count);
        if let Some((_, known)) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let found = find();
        self.0.borrow_mut().insert(key, (list.clone(), found.clone()));
        found
    }
}
