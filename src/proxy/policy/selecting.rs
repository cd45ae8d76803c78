//! The policies that select some pods, found by a label that these need: there may be thousands of both.

use std::collections::HashMap;

use super::pods::Pods;
use super::read::Policy;
use crate::model::facts::package::{REVISION, package_of_revision};

/// Policies of one namespace.
#[derive(Debug, Default)]
pub(in crate::proxy) struct Policies<'p> {
    all: Vec<&'p Policy>,
    /// Positions by one label that the pods of a policy need; instead of a revision the name of its package.
    by_label: HashMap<(&'p str, &'p str), Vec<usize>>,
    /// Those of policies that need no label.
    others: Vec<usize>,
}

impl<'p> Policies<'p> {
    pub(in crate::proxy) fn of_all(all: impl Iterator<Item = &'p Policy>) -> Self {
        let mut found = Self { all: all.collect(), ..Self::default() };
        for (position, policy) in found.all.iter().enumerate() {
            match policy.pods.selector.labels().min_by_key(|(key, _)| *key == REVISION) {
                Some((REVISION, revision)) => {
                    let package = package_of_revision(revision).unwrap_or_default();
                    found.by_label.entry((REVISION, package)).or_default().push(position);
                }
                Some(label) => found.by_label.entry(label).or_default().push(position),
                None => found.others.push(position),
            }
        }
        found
    }

    /// Those that select these pods, in their order.
    pub(in crate::proxy) fn of(&self, pods: &Pods) -> Vec<&'p Policy> {
        let package = pods.package.as_deref().map(|package| (REVISION, package));
        let near = pods.labels.iter().chain(package).filter_map(|label| self.by_label.get(&label)).flatten();
        let mut positions: Vec<usize> = near.chain(&self.others).copied().collect();
        positions.sort_unstable();
        positions.dedup();
        let all = positions.into_iter().filter_map(|position| self.all.get(position).copied());
        all.filter(|policy| policy.is_in(&pods.namespace) && pods.are_selected_by(&policy.pods.selector)).collect()
    }
}
