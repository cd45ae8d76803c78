//! Keys of listeners in `assigned`: names that do not change with a move.

use std::collections::{HashMap, HashSet};

use super::workload::Workload;
use crate::model::index::workload_key;

/// Key of each listener of a workload: workload key and port name; repeated names get `-2`, `-3`.
pub(super) fn listener_keys(workload: &Workload<'_>) -> Vec<String> {
    let prefix = workload_key(workload.pods_view());
    let mut taken: HashSet<String> = HashSet::new();
    // Next suffix to try for each name; lower suffixes are taken.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let names = workload.listeners.iter().map(|listener| listener.label.as_str());
    names
        .map(|name| {
            let mut key = format!("{prefix}/{name}");
            let count = counts.entry(name).or_insert(2);
            // A port may have a name that equals a generated name.
            while !taken.insert(key.clone()) {
                key = format!("{prefix}/{name}-{count}");
                *count += 1;
            }
            key
        })
        .collect()
}
