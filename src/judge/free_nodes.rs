//! Workloads whose pods use the same node port number. The scheduler puts pods with the same host port on different
//! nodes, so all run if there is a node for each of them.
//!
//! Source: kubernetes v1.37 `pkg/scheduler/framework/plugins/nodeports/node_ports.go`: a node where a pod has the port
//! is filtered out.

use std::collections::BTreeMap;

use super::nodes::{NodeRequirements, Nodes};
use super::update_strategy::UpdateStrategy;
use crate::model::pod::{Placed, Placement, PodTemplate, always_share_a_node};

/// Pods of one workload that use a port of their node.
#[derive(Debug, Clone, Copy)]
pub struct Holder<'h> {
    /// Node requirements of the pods.
    pub requirements: NodeRequirements<'h>,
    /// Number of pods; `None` if each node has one or the number is unknown.
    pub pods: Option<u32>,
    /// True if the pods declare the port; the scheduler considers only declared ports.
    pub is_declared: bool,
    /// Placement of the pods relative to other pods.
    pub placed: Placed<'h>,
}

impl Holder<'_> {
    /// True if the scheduler can keep the pods of both workloads on different nodes.
    pub fn is_kept_apart(&self, other: &Self, nodes: &Nodes<'_>) -> bool {
        let has_room = |each: &Self, pods: u32, few: &Self| {
            nodes.nodes_only_for_first(few.requirements, each.requirements).is_some_and(|free| free >= pods)
        };
        self.is_declared
            && other.is_declared
            && !always_share_a_node(self.placed, other.placed)
            && match (self.pods, other.pods) {
                (Some(_), Some(_)) => !self.requirements.requires_same_node(&other.requirements),
                (None, Some(pods)) => has_room(self, pods, other),
                (Some(pods), None) => has_room(other, pods, self),
                (None, None) => false,
            }
    }
}

/// Number of nodes assumed when it is unknown: a cluster that tolerates the loss of a node has three.
pub const ASSUMED_NODE_COUNT: u32 = 3;

/// Tracks the nodes that are still free for pods with a given port.
#[derive(Debug)]
pub struct FreeNodes<'r> {
    nodes: &'r Nodes<'r>,
    /// Number of pods already placed.
    pods: u32,
    is_empty: bool,
    /// The sets of nodes that pods may run on.
    sets: Vec<NodeSet>,
    /// For each node or group of nodes: true if one of the pods may run there, and the number of nodes.
    any: Vec<(bool, u32)>,
}

/// A set of nodes that is too small for the pods that may run only on them: for each node or group of nodes, true if it
/// is in the set, and the number of nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shortage(Vec<(bool, u32)>);

impl Shortage {
    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        count_open_nodes(&self.0)
    }

    /// True if the set has all known nodes.
    pub fn includes_all_nodes(&self) -> bool {
        self.0.iter().all(|(is_open, _)| *is_open)
    }
}

/// A set of nodes on which pods of some workloads may run.
#[derive(Debug)]
struct NodeSet {
    open: Vec<(bool, u32)>,
    /// Number of pods that may run on exactly these nodes.
    own: u32,
    /// Number of pods that may run only on nodes of this set.
    pods: u32,
}

/// Number of nodes in the groups that are marked true.
fn count_open_nodes(open: &[(bool, u32)]) -> u32 {
    open.iter().filter(|(is_open, _)| *is_open).fold(0, |all, (_, count)| all.saturating_add(*count))
}

/// True if `one` is a subset of `other`.
fn is_within(one: &[(bool, u32)], other: &[(bool, u32)]) -> bool {
    one.iter().zip(other).all(|((one, _), (other, _))| !one || *other)
}

/// Union of two sets of node groups.
fn union(one: &[(bool, u32)], other: &[(bool, u32)]) -> Vec<(bool, u32)> {
    one.iter().zip(other).map(|((one, count), (other, _))| (*one || *other, *count)).collect()
}

impl<'r> FreeNodes<'r> {
    /// Starts with all nodes free.
    pub fn new(nodes: &'r Nodes<'r>) -> Self {
        Self { nodes, pods: 0, is_empty: true, sets: Vec::new(), any: Vec::new() }
    }

    /// True if there are nodes for the pods of one more workload. The first workload competes with no other.
    pub fn has_nodes_for(&self, holder: &Holder<'_>) -> bool {
        if self.nodes.open(holder.requirements).is_some() {
            return self.shortage(holder).is_none();
        }
        let pods = holder.pods.unwrap_or(u32::MAX);
        self.is_empty || self.pods.saturating_add(pods) <= ASSUMED_NODE_COUNT
    }

    /// Finds a set of nodes that is too small for the placed pods that may run only there, together with the pods of
    /// one more workload; `None` if there are enough nodes, or if nodes are unknown.
    pub fn shortage(&self, holder: &Holder<'_>) -> Option<Shortage> {
        let open = self.nodes.open(holder.requirements)?;
        let pods = holder.pods.unwrap_or_else(|| count_open_nodes(&open));
        // Pods without any eligible node occupy no node.
        if self.is_empty || pods == 0 || count_open_nodes(&open) == 0 {
            return None;
        }
        let any = if self.any.is_empty() { open.clone() } else { union(&self.any, &open) };
        let is_short = |(taken, of): &(u32, &[(bool, u32)])| taken.saturating_add(pods) > count_open_nodes(of);
        let within = self.sets.iter().filter(|set| is_within(&open, &set.open));
        let within = within.map(|set| (set.pods, set.open.as_slice()));
        let own = (self.pods_placed_within(&open), open.as_slice());
        let short = [own].into_iter().chain(within).chain([(self.pods, any.as_slice())]).find(is_short);
        short.map(|(_, of)| Shortage(of.to_vec()))
    }

    /// True if pods may run only on nodes of the set `shortage`.
    pub fn is_limited_to_shortage_nodes(&self, holder: &Holder<'_>, shortage: &Shortage) -> bool {
        self.nodes.open(holder.requirements).is_some_and(|open| is_within(&open, &shortage.0))
    }

    /// Places the pods of a workload.
    pub fn place_pods(&mut self, holder: &Holder<'_>) {
        // A workload without pods occupies no node.
        if holder.pods == Some(0) {
            return;
        }
        self.is_empty = false;
        let Some(open) = self.nodes.open(holder.requirements) else {
            self.pods = self.pods.saturating_add(holder.pods.unwrap_or(u32::MAX));
            return;
        };
        // Each node runs at most one of the pods.
        let pods = holder.pods.unwrap_or(u32::MAX).min(count_open_nodes(&open));
        self.pods = self.pods.saturating_add(pods);
        self.any = if self.any.is_empty() { open.clone() } else { union(&self.any, &open) };
        if !self.sets.iter().any(|set| set.open == open) {
            let taken = self.pods_placed_within(&open);
            self.sets.push(NodeSet { open: open.clone(), own: 0, pods: taken });
        }
        if let Some(set) = self.sets.iter_mut().find(|set| set.open == open) {
            set.own = set.own.saturating_add(pods);
        }
        for set in self.sets.iter_mut().filter(|set| is_within(&open, &set.open)) {
            set.pods = set.pods.saturating_add(pods);
        }
    }

    /// True if the nodes are in the input, and not only described by a config.
    pub fn nodes_are_from_input(&self) -> bool {
        matches!(self.nodes, Nodes::Seen(_))
    }

    /// Number of nodes that may run any of the placed pods; `None` if nodes are unknown.
    pub fn nodes(&self) -> Option<u32> {
        (!self.any.is_empty()).then(|| count_open_nodes(&self.any))
    }

    /// Number of placed pods that may run only on these nodes.
    fn pods_placed_within(&self, open: &[(bool, u32)]) -> u32 {
        let within = self.sets.iter().filter(|set| is_within(&set.open, open));
        within.fold(0, |all, set| all.saturating_add(set.own))
    }
}

/// Number of pods, over several workloads, that each need their own node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demand {
    /// Number of pods without a rollout in progress.
    pub pods: u32,
    /// Number of pods while all workloads roll out at the same time.
    pub updating: u32,
}

impl Demand {
    /// Adds the pods of a workload. `surges` is false if a rollout never starts a new pod before an old one stops.
    pub fn add(&mut self, template: &PodTemplate, pods: u32, surges: bool) {
        let strategy = template.rollout.as_deref().filter(|_| surges).and_then(UpdateStrategy::from_rollout);
        let more = match strategy {
            Some(UpdateStrategy::Rolling { surge, .. }) => surge.up(pods).min(pods),
            Some(UpdateStrategy::NewFirst(_)) => pods,
            Some(UpdateStrategy::OldFirst | UpdateStrategy::PerNode { .. }) | None => 0,
        };
        self.pods = self.pods.saturating_add(pods);
        self.updating = self.updating.saturating_add(pods).saturating_add(more);
    }

    /// Number of nodes that the pods need, for messages: `3 pods need at least 3 nodes`.
    pub fn needed_nodes_text(&self) -> String {
        format!("{0} pods need at least {0} nodes", self.pods)
    }

    /// Number of nodes that the pods need, with and without rollouts, for messages.
    pub fn nodes(&self) -> String {
        let Self { pods, updating } = *self;
        let most = match updating.saturating_sub(pods) {
            0 => String::new(),
            _ => format!(
                "; a rollout that starts new pods first needs one more, and {updating} if all workloads roll out at the same time"
            ),
        };
        format!("{}{most}", self.needed_nodes_text())
    }
}

/// Groups positions that are related, directly or through other positions; only groups of two or more.
pub fn groups(count: usize, related: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut open: Vec<usize> = (0..count).collect();
    let mut found = Vec::new();
    while let Some(first) = open.pop() {
        let mut group = vec![first];
        let mut done = 0;
        while let Some(&one) = group.get(done) {
            group.extend(open.extract_if(.., |other| related(one, *other)));
            done += 1;
        }
        group.sort_unstable();
        found.extend(Some(group).filter(|group| group.len() > 1));
    }
    found.reverse();
    found
}

/// Values that pods require of one node label, by position. Pods with different values never share a node.
#[derive(Debug)]
pub struct RequiredValues<'a>(pub Vec<Option<&'a str>>);

impl RequiredValues<'_> {
    /// True if two pods require different values.
    pub fn differ(&self, one: usize, other: usize) -> bool {
        let value = |index: usize| self.0.get(index).copied().flatten();
        value(one).zip(value(other)).is_some_and(|(one, other)| one != other)
    }
}

/// Returns the required values of the label that most of these pods require.
pub fn required_values<'a>(templates: impl Iterator<Item = &'a PodTemplate>) -> RequiredValues<'a> {
    let node_labels =
        templates.map(|template| template.placement.as_deref().map(Placement::node_labels).unwrap_or_default());
    let labels: Vec<BTreeMap<&str, &str>> = node_labels.collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    labels.iter().flat_map(BTreeMap::keys).for_each(|key| *counts.entry(key).or_default() += 1);
    let key = counts.into_iter().max_by_key(|(_, count)| *count).map(|(key, _)| key);
    RequiredValues(labels.iter().map(|labels| labels.get(key?).copied()).collect())
}

/// Joins names: `a and b`; `a, b and c`.
pub fn join_names(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}
