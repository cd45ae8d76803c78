//! Finds the policies that select pods, with an index by required label: there may be thousands of both.

use std::collections::{BTreeMap, HashMap};

use super::decide::{ConnectionDecision, Peers, Port, Tally, ingress};
use super::pods::Pods;
use super::read::Policy;
use crate::model::facts::Requirements;
use crate::model::facts::package::{REVISION, package_of_revision};

/// Policies of one namespace.
#[derive(Debug, Default)]
pub(in crate::proxy) struct Policies<'p> {
    all: Vec<&'p Policy>,
    /// Positions of policies by a label that their pods require.
    by_label: HashMap<Label<'p>, Vec<usize>>,
    /// Positions of policies without a required label, by selector: many have the same one.
    others: BTreeMap<&'p Requirements, Vec<usize>>,
}

/// Label; a revision label is stored with the name of its package.
pub(super) type Label<'p> = (&'p str, &'p str);

/// Returns a label that a selector requires, if possible other than the revision label.
pub(super) fn needed(selector: &Requirements) -> Option<Label<'_>> {
    match selector.labels().min_by_key(|(key, _)| *key == REVISION)? {
        (REVISION, revision) => Some((REVISION, package_of_revision(revision).unwrap_or_default())),
        label => Some(label),
    }
}

/// Labels of pods under which selectors may be indexed.
pub(super) fn labels(pods: &Pods) -> impl Iterator<Item = Label<'_>> {
    let own = pods.labels.iter().filter(|(key, _)| *key != REVISION);
    own.chain(pods.package.as_deref().map(|package| (REVISION, package)))
}

impl<'p> Policies<'p> {
    pub(in crate::proxy) fn new(all: impl Iterator<Item = &'p Policy>) -> Self {
        let mut found = Self { all: all.collect(), ..Self::default() };
        for (position, policy) in found.all.iter().enumerate() {
            let selector = &policy.pods.selector;
            let near = match needed(selector) {
                Some(label) => found.by_label.entry(label).or_default(),
                None => found.others.entry(selector).or_default(),
            };
            near.push(position);
        }
        found
    }

    /// Policies that select these pods, in order.
    pub(in crate::proxy) fn selecting(&self, pods: &Pods) -> Vec<&'p Policy> {
        let others = self.others.iter().filter(|(selector, _)| pods.are_selected_by(selector));
        let others = others.flat_map(|(_, positions)| self.policies_at(positions));
        let mut all: Vec<(usize, &Policy)> = self.near(pods).chain(others).collect();
        all.sort_unstable_by_key(|(position, _)| *position);
        all.retain(|(_, policy)| policy.is_in(&pods.namespace));
        all.into_iter().map(|(_, policy)| policy).collect()
    }

    /// Policies that select these pods and require one of their labels.
    fn near<'s>(&'s self, pods: &'s Pods) -> impl Iterator<Item = (usize, &'p Policy)> + use<'s, 'p> {
        let near = labels(pods)
            .filter_map(|label| self.by_label.get(&label))
            .flat_map(|positions| self.policies_at(positions));
        near.filter(|(_, policy)| policy.is_in(&pods.namespace) && pods.are_selected_by(&policy.pods.selector))
    }

    /// The policies at these positions.
    fn policies_at<'s>(&'s self, positions: &'s [usize]) -> impl Iterator<Item = (usize, &'p Policy)> + use<'s, 'p> {
        positions.iter().filter_map(|position| Some((*position, *self.all.get(*position)?)))
    }
}

/// Ingress rules of the policies of one namespace, for one peer and port.
#[derive(Debug)]
pub(in crate::proxy) struct IngressRules<'a, 'p> {
    policies: &'a Policies<'p>,
    from: Peers,
    port: Port,
    /// Combined effect of the policies without a required label, by selector.
    others: Vec<(&'p Requirements, Tally<'p>)>,
}

impl<'a, 'p> IngressRules<'a, 'p> {
    pub(in crate::proxy) fn new(policies: &'a Policies<'p>, from: Peers, port: Port) -> Self {
        let others = policies.others.iter();
        let others = others.map(|(selector, at)| (*selector, ingress(policies.policies_at(at), &from, port))).collect();
        Self { policies, from, port, others }
    }

    /// Decides whether the policies allow the connection to these pods.
    pub(in crate::proxy) fn decide_connection(&self, pods: &Pods) -> ConnectionDecision {
        let mut all = ingress(self.policies.near(pods), &self.from, self.port);
        for (_, tally) in self.others.iter().filter(|(selector, _)| pods.are_selected_by(selector)) {
            all.join(tally);
        }
        all.decision()
    }
}
