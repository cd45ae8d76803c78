//! Decides whether policies allow a connection.

use std::net::{IpAddr, Ipv6Addr};

use super::pods::Pods;
use super::read::{Peer, Policy, PortSelector, Ports, Rule};
use crate::model::facts::Scope;
use go_no_proxy::Range;

/// An end of a connection.
#[derive(Debug, Clone)]
pub(in crate::proxy) enum Peers {
    /// Pods.
    Pods(Pods),
    /// All addresses of these ranges; unknown addresses if empty.
    Addresses(Vec<Range>),
    /// Any peer.
    AnyPeer,
}

/// Port number, and the name that the destination pod may give it.
#[derive(Debug, Clone, Copy)]
pub(in crate::proxy) struct Port {
    pub(in crate::proxy) protocol: &'static str,
    pub(in crate::proxy) number: u16,
    pub(in crate::proxy) name: &'static str,
}

/// Maximum number of policies named in a message; a namespace may have thousands.
const NAMED: usize = 5;

/// Policies that select a pod and do not allow a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::proxy) struct Blocking {
    pub(in crate::proxy) first: Vec<String>,
    /// Number of further policies.
    pub(in crate::proxy) more: usize,
}

/// Decision about a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::proxy) enum ConnectionDecision {
    /// Allowed: no policy selects the pod, or a policy allows the connection.
    Passes,
    /// Blocked by these policies, which select the pod.
    Blocked(Blocking),
    /// The input does not show the result: these policies select the pod, and a block of addresses may allow the
    /// connection.
    Unknown(Blocking),
}

impl Blocking {
    /// True for a single policy.
    pub(in crate::proxy) fn is_one(&self) -> bool {
        self.first.len() == 1 && self.more == 0
    }
}

impl ConnectionDecision {
    /// The policies of a connection that is not decidable.
    pub(in crate::proxy) fn undecided(self) -> Option<Blocking> {
        if let Self::Unknown(policies) = self { Some(policies) } else { None }
    }
}

/// Combined effect of several policies on one connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally<'p> {
    /// First policies that restrict this direction, with their positions.
    first: Vec<(usize, &'p Policy)>,
    count: usize,
    /// True if a rule certainly allows the connection. `unknown` is true if a rule is undecidable.
    pub(super) passes: bool,
    pub(super) unknown: bool,
}

impl std::fmt::Display for Blocking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let more = if self.more > 0 { format!(" and {} more", self.more) } else { String::new() };
        write!(f, "{}{more}", self.first.join(", "))
    }
}

impl<'p> Tally<'p> {
    /// Counts a policy that restricts this direction.
    pub(super) fn count(&mut self, position: usize, policy: &'p Policy) {
        self.count += 1;
        self.name(position, policy);
    }

    /// Adds a policy that a message may name; keeps the first few.
    fn name(&mut self, position: usize, policy: &'p Policy) {
        let at = self.first.partition_point(|(known, _)| *known < position);
        if at < NAMED {
            self.first.truncate(NAMED - 1);
            self.first.insert(at, (position, policy));
        }
    }

    /// Adds the effect of other policies.
    pub(super) fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.passes |= other.passes;
        self.unknown |= other.unknown;
        other.first.iter().for_each(|(position, policy)| self.name(*position, policy));
    }

    /// Adds the result of one rule; `None` is undecidable.
    pub(super) fn allow(&mut self, allowed: Option<bool>) {
        self.passes |= allowed == Some(true);
        self.unknown |= allowed.is_none();
    }

    /// Decision of all policies that were added.
    pub(super) fn decision(&self) -> ConnectionDecision {
        if self.count == 0 || self.passes {
            return ConnectionDecision::Passes;
        }
        let policies = Blocking {
            first: self.first.iter().map(|(_, policy)| policy.meta.to_string()).collect(),
            more: self.count - self.first.len(),
        };
        if self.unknown { ConnectionDecision::Unknown(policies) } else { ConnectionDecision::Blocked(policies) }
    }
}

/// Evaluates ingress rules for a peer and a port.
pub(super) fn ingress<'p>(policies: impl Iterator<Item = (usize, &'p Policy)>, from: &Peers, port: Port) -> Tally<'p> {
    count_effects(policies, from, port, |policy| policy.ingress.as_deref())
}

/// Decides whether pods selected by these policies may connect to a port of a peer.
pub(in crate::proxy) fn egress(selecting: &[&Policy], to: &Peers, port: Port) -> ConnectionDecision {
    count_effects(selecting.iter().copied().enumerate(), to, port, |policy| policy.egress.as_deref()).decision()
}

/// Counts the policies that restrict the connection and the rules that allow it.
fn count_effects<'p>(
    policies: impl Iterator<Item = (usize, &'p Policy)>,
    other: &Peers,
    port: Port,
    rules: impl Fn(&'p Policy) -> Option<&'p [Rule]>,
) -> Tally<'p> {
    let mut tally = Tally::default();
    for (position, policy) in policies {
        let Some(rules) = rules(policy) else { continue };
        tally.count(position, policy);
        let own = policy.meta.namespace.as_deref().unwrap_or_default();
        for rule in rules.iter().filter(|rule| has_port(rule, port)) {
            tally.allow(has_peer(rule, own, other));
        }
        if tally.passes {
            break;
        }
    }
    tally
}

/// True if the rule includes the port.
pub(super) fn has_port(rule: &Rule, port: Port) -> bool {
    let is_match = |ports: &Ports| {
        ports.protocol == port.protocol
            && match &ports.which {
                PortSelector::All => true,
                PortSelector::Numbers(numbers) => numbers.contains(&port.number),
                PortSelector::Name(name) => name == port.name,
            }
    };
    rule.ports.is_empty() || rule.ports.iter().any(is_match)
}

/// True if a rule lists the peer; `None` if undecidable.
fn has_peer(rule: &Rule, own_namespace: &str, other: &Peers) -> Option<bool> {
    if rule.peers.is_empty() || matches!(other, Peers::AnyPeer) {
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

/// True if the peer includes the other end of the connection; `None` if unknown.
fn is_peer(peer: &Peer, own_namespace: &str, other: &Peers) -> Option<bool> {
    match (peer, other) {
        (Peer::Pods(pods, namespaces), Peers::Pods(other)) => {
            Some(selectors_match(pods.as_ref(), namespaces.as_ref(), own_namespace, other))
        }
        (Peer::Pods(..), _) => Some(false),
        (Peer::Block(range, but), Peers::Pods(Pods { ranges, .. }) | Peers::Addresses(ranges)) => {
            in_block(*range, but, ranges)
        }
        (Peer::Block(..), Peers::AnyPeer) => Some(true),
    }
}

/// True if a pod selector and a namespace selector, by default the policy's own namespace, match the pods.
pub(super) fn selectors_match(
    pods: Option<&Scope>,
    namespaces: Option<&Scope>,
    own_namespace: &str,
    other: &Pods,
) -> bool {
    let here = match namespaces {
        Some(scope) => scope.selector.matches(&other.namespace_labels),
        None => other.namespace == own_namespace,
    };
    here && pods.is_none_or(|scope| other.are_selected_by(&scope.selector))
}

/// True for `0.0.0.0/0` and `::/0`.
fn is_all(block: Range) -> bool {
    match block.ends() {
        (IpAddr::V4(first), IpAddr::V4(last)) => first.is_unspecified() && last.is_broadcast(),
        (first, last) => first.is_unspecified() && last == IpAddr::V6(Ipv6Addr::from_bits(u128::MAX)),
    }
}

/// True if an address block, without its exceptions, contains all given ranges; `None` if undecidable.
pub(super) fn in_block(block: Range, but: &[Range], ranges: &[Range]) -> Option<bool> {
    if ranges.is_empty() {
        let is_open = is_all(block) && but.is_empty();
        return is_open.then_some(true);
    }
    let has = |one: Range, other: Range| {
        let (first, last) = other.ends();
        one.contains(first) && one.contains(last)
    };
    let touches = |one: Range, other: Range| has(one, other) || has(other, one);
    Some(ranges.iter().all(|range| has(block, *range) && !but.iter().any(|but| touches(*but, *range))))
}
