//! Evaluates egress policies of pods toward other pods of the namespace, with an index by label.

use std::collections::{BTreeSet, HashMap};

use super::decide::{ConnectionDecision, Port, Tally, has_port, in_block, selectors_match};
use super::pods::Pods;
use super::policy_index::{Label, labels, needed};
use super::read::{Peer, Policy};
use crate::model::facts::Scope;
use go_no_proxy::Range;

/// Pod selector and namespace selector of a peer.
type Selecting<'p> = (Option<&'p Scope>, Option<&'p Scope>);

/// Egress rules of policies that select the same pods, for one port.
#[derive(Debug, Default)]
pub(in crate::proxy) struct EgressRules<'p> {
    /// Combined effect without the peers that select pods: equal for all pods of the namespace.
    all: Tally<'p>,
    /// Peers by a label that they require.
    by_label: HashMap<Label<'p>, BTreeSet<Selecting<'p>>>,
    /// Peers that require no label.
    others: BTreeSet<Selecting<'p>>,
}

impl<'p> EgressRules<'p> {
    /// Indexes the rules; `ranges` are the address ranges of pods, if known.
    pub(in crate::proxy) fn new(selecting: &[&'p Policy], ranges: &[Range], port: Port) -> Self {
        let mut out = Self::default();
        for (position, policy) in selecting.iter().enumerate() {
            let Some(rules) = &policy.egress else { continue };
            out.all.count(position, policy);
            for rule in rules.iter().filter(|rule| has_port(rule, port)) {
                out.all.passes |= rule.peers.is_empty();
                rule.peers.iter().for_each(|peer| out.peer(peer, ranges));
            }
        }
        out
    }

    /// Adds a peer of an egress rule.
    fn peer(&mut self, peer: &'p Peer, ranges: &[Range]) {
        match peer {
            Peer::Block(block, but) => self.all.allow(in_block(*block, but, ranges)),
            Peer::Pods(pods, namespaces) => {
                let near = match pods.as_ref().and_then(|scope| needed(&scope.selector)) {
                    Some(label) => self.by_label.entry(label).or_default(),
                    None => &mut self.others,
                };
                near.insert((pods.as_ref(), namespaces.as_ref()));
            }
        }
    }

    /// Decides whether the selected pods may connect to other pods.
    pub(in crate::proxy) fn decide_connection(&self, to: &Pods) -> ConnectionDecision {
        let mut near = labels(to).filter_map(|label| self.by_label.get(&label)).flatten().chain(&self.others);
        if near.any(|(pods, namespaces)| selectors_match(*pods, *namespaces, &to.namespace, to)) {
            return ConnectionDecision::Passes;
        }
        self.all.decision()
    }
}
