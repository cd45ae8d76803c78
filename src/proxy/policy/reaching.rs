//! Whom some pods may connect to among others of their namespace: these, too, are found by a label that they need.

use std::collections::{BTreeSet, HashMap};

use super::decide::{Port, Tally, Verdict, are_meant, has_port, in_block};
use super::pods::Pods;
use super::read::{Peer, Policy};
use super::selecting::{Label, labels, needed};
use crate::model::facts::Scope;
use go_no_proxy::Range;

/// A peer that selects pods, and namespaces where it does not mean its own.
type Selecting<'p> = (Option<&'p Scope>, Option<&'p Scope>);

/// What policies of one namespace, all of which select the same pods, let these connect to on a port.
#[derive(Debug, Default)]
pub(in crate::proxy) struct Out<'p> {
    /// What holds for all pods of the namespace.
    all: Tally<'p>,
    /// Peers by one label that they need.
    by_label: HashMap<Label<'p>, BTreeSet<Selecting<'p>>>,
    /// Those that need none.
    others: BTreeSet<Selecting<'p>>,
}

impl<'p> Out<'p> {
    /// `ranges` are those of the addresses of pods, as far as these are known.
    pub(in crate::proxy) fn of(selecting: &[&'p Policy], ranges: &[Range], port: Port) -> Self {
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

    /// Whether they may connect to these.
    pub(in crate::proxy) fn verdict(&self, to: &Pods) -> Verdict {
        let mut near = labels(to).filter_map(|label| self.by_label.get(&label)).flatten().chain(&self.others);
        if near.any(|(pods, namespaces)| are_meant(*pods, *namespaces, &to.namespace, to)) {
            return Verdict::Passes;
        }
        self.all.verdict()
    }
}
