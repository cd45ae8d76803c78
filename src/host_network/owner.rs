//! What listeners are called in `assigned`: names that a move does not change.

use std::collections::{HashMap, HashSet};

use super::workload::Workload;
use crate::model::index::workload_key;

/// The key of each listener of a workload: the workload's and the port's name; equal names get `-2`, `-3`.
pub(super) fn listener_keys(workload: &Workload<'_>) -> Vec<String> {
    let prefix = workload_key(workload.pods_view());
    let mut taken: HashSet<String> = HashSet::new();
    // From where on to count for each name: what is below is taken.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let names = workload.listeners.iter().map(|listener| listener.label.as_str());
    names
        .map(|name| {
            let mut key = format!("{prefix}/{name}");
            let count = counts.entry(name).or_insert(2);
            // A port may have a name that counting gives as well.
            while !taken.insert(key.clone()) {
                key = format!("{prefix}/{name}-{count}");
                *count += 1;
            }
            key
        })
        .collect()
}
