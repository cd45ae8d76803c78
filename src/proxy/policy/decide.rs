//! Whether policies let a connection pass.

use super::pods::Pods;
use super::read::{Peer, Policy, Ports, Rule, Which};
use crate::model::facts::Scope;
use crate::no_proxy::Range;

/// Who is at one end of a connection.
#[derive(Debug, Clone)]
pub(in crate::proxy) enum Peers {
    /// Pods.
    Pods(Pods),
    /// Addresses: all of these ranges; which they are is not known where there is none.
    Addresses(Vec<Range>),
    /// Anybody at all.
    Somebody,
}

/// The port that is dialled, and the name that a pod may have for it.
#[derive(Debug, Clone, Copy)]
pub(in crate::proxy) struct Port {
    pub(in crate::proxy) protocol: &'static str,
    pub(in crate::proxy) number: u16,
    pub(in crate::proxy) name: &'static str,
}

/// How many policies a message names: there may be thousands.
const NAMED: usize = 5;

/// The policies that select a pod and let something not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::proxy) struct Blocking {
    pub(in crate::proxy) first: Vec<String>,
    /// How many there are beside these.
    pub(in crate::proxy) more: usize,
}

/// Whether a connection passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::proxy) enum Verdict {
    /// It does: no policy selects the pod, or one lets it pass.
    Passes,
    /// It does not; these policies select the pod.
    Blocked(Blocking),
    /// The input does not show it.
    Unknown,
}

/// Whether pods that these policies select take what comes from a peer on a port.
pub(in crate::proxy) fn ingress(selecting: &[&Policy], from: &Peers, port: Port) -> Verdict {
    decide(selecting, from, port, |policy| policy.ingress.as_deref())
}

/// Whether pods that these policies select may connect to a peer's port.
pub(in crate::proxy) fn egress(selecting: &[&Policy], to: &Peers, port: Port) -> Verdict {
    decide(selecting, to, port, |policy| policy.egress.as_deref())
}

fn decide(policies: &[&Policy], other: &Peers, port: Port, rules: impl Fn(&Policy) -> Option<&[Rule]>) -> Verdict {
    let mut selecting: Vec<&Policy> = Vec::new();
    let mut unknown = false;
    for policy in policies {
        let Some(rules) = rules(policy) else { continue };
        selecting.push(policy);
        let own = policy.meta.namespace.as_deref().unwrap_or_default();
        for rule in rules.iter().filter(|rule| has_port(rule, port)) {
            match has_peer(rule, own, other) {
                Some(true) => return Verdict::Passes,
                Some(false) => {}
                None => unknown = true,
            }
        }
    }
    match (selecting.is_empty(), unknown) {
        (true, _) => Verdict::Passes,
        (false, true) => Verdict::Unknown,
        (false, false) => Verdict::Blocked(Blocking {
            first: selecting.iter().take(NAMED).map(|policy| policy.meta.to_string()).collect(),
            more: selecting.len().saturating_sub(NAMED),
        }),
    }
}

fn has_port(rule: &Rule, port: Port) -> bool {
    let is_it = |ports: &Ports| {
        ports.protocol == port.protocol
            && match &ports.which {
                Which::All => true,
                Which::Numbers(numbers) => numbers.contains(&port.number),
                Which::Name(name) => name == port.name,
            }
    };
    rule.ports.is_empty() || rule.ports.iter().any(is_it)
}

/// Whether a peer is among those of a rule; none when that is not known.
fn has_peer(rule: &Rule, own_namespace: &str, other: &Peers) -> Option<bool> {
    if rule.peers.is_empty() || matches!(other, Peers::Somebody) {
        return Some(true);
    }
    let mut unknown = false;
    for peer in &rule.peers {
        match is_peer(peer, own_namespace, other) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => unknown = true,
        }
    }
    (!unknown).then_some(false)
}

fn is_peer(peer: &Peer, own_namespace: &str, other: &Peers) -> Option<bool> {
    match (peer, other) {
        (Peer::Pods(pods, namespaces), Peers::Pods(other)) => {
            let here = match namespaces {
                Some(scope) => scope.selector.matches(&other.namespace_labels),
                None => other.namespace == own_namespace,
            };
            Some(here && pods.as_ref().is_none_or(|scope: &Scope| other.are_selected_by(&scope.selector)))
        }
        (Peer::Pods(..), _) => Some(false),
        (Peer::Block(range, but), Peers::Pods(Pods { ranges, .. }) | Peers::Addresses(ranges)) => {
            in_block(*range, but, ranges)
        }
        (Peer::Block(..), Peers::Somebody) => Some(true),
    }
}

/// Whether a block has all addresses of some ranges.
fn in_block(block: Range, but: &[Range], ranges: &[Range]) -> Option<bool> {
    if ranges.is_empty() {
        return None;
    }
    let has = |one: Range, other: Range| {
        let (first, last) = other.ends();
        one.contains(first) && one.contains(last)
    };
    let touches = |one: Range, other: Range| has(one, other) || has(other, one);
    Some(ranges.iter().all(|range| has(block, *range) && !but.iter().any(|but| touches(*but, *range))))
}
