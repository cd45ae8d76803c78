//! Number of nodes on which the pods of a template may run.

use std::collections::{BTreeMap, BTreeSet};

use crate::api;
use crate::catalog::KUBELET;
use crate::model::Model;
use crate::model::facts::Node;
use crate::model::pod::{Placement, PodTemplate, Taint};

/// Known nodes of a cluster.
#[derive(Debug, Clone)]
pub enum Nodes<'n> {
    /// Nodes of the input, by name.
    Seen(Vec<&'n Node>),
    /// Number of nodes, with unknown labels.
    Count(u32),
    /// Groups of nodes with their labels.
    Groups(&'n [api::NodeGroup]),
    /// Nodes are unknown.
    Unknown,
}

/// Node requirements of pods.
#[derive(Debug, Clone, Copy)]
pub struct NodeRequirements<'a> {
    /// Pod template.
    pub template: &'a PodTemplate,
    /// Additional requirements of the subset that the pods belong to.
    pub subset_placement: Option<&'a Placement>,
}

/// Reason why no node may run the pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoNode {
    /// No node has the required labels or name, given here as text.
    Selector(String),
    /// Matching nodes have taints that the pods do not tolerate.
    Taints,
    /// Matching nodes are unschedulable.
    Closed,
}

impl<'a> From<&'a PodTemplate> for NodeRequirements<'a> {
    fn from(template: &'a PodTemplate) -> Self {
        Self { template, subset_placement: None }
    }
}

impl<'n> Nodes<'n> {
    /// Uses the nodes of the input, or the nodes of the config if the input has no nodes.
    pub fn new(model: &'n Model, config: Option<&'n api::Nodes>) -> Self {
        let mut seen: Vec<&Node> = model.nodes().collect();
        seen.sort_by(|a, b| a.name.cmp(&b.name));
        match config {
            _ if !seen.is_empty() => Self::Seen(seen),
            Some(api::Nodes::Count(count)) => Self::Count(*count),
            Some(api::Nodes::Groups(groups)) => Self::Groups(groups),
            None => Self::Unknown,
        }
    }

    /// Maximum number of nodes on which the pods may run; `None` if unknown.
    pub fn eligible<'a>(&self, required: impl Into<NodeRequirements<'a>>) -> Option<u32> {
        let required = required.into();
        let open = self.open(required).map(|open| {
            open.into_iter().fold(0_u32, |all, (is_open, count)| all.saturating_add(if is_open { count } else { 0 }))
        });
        // The manifest alone may limit the pods to a few nodes.
        [open, required.most_nodes()].into_iter().flatten().min()
    }

    /// For each node or group of nodes: true if new pods may run there, and the number of nodes. `None` if nodes are
    /// unknown.
    pub fn open(&self, required: NodeRequirements<'_>) -> Option<Vec<(bool, u32)>> {
        let is_open =
            |node: &Node| (!node.unschedulable || required.tolerates(&unschedulable())) && required.allows(node);
        match self {
            Self::Seen(nodes) => Some(nodes.iter().map(|node| (is_open(node), 1)).collect()),
            Self::Count(count) => Some(vec![(true, *count)]),
            Self::Groups(groups) => {
                Some(groups.iter().map(|group| (required.allows_group(group), group.count)).collect())
            }
            Self::Unknown => None,
        }
    }

    /// Number of nodes that may run pods with the requirements `one` but not pods with the
    /// requirements `other`; `None` if nodes are unknown.
    pub fn nodes_only_for_first(&self, one: NodeRequirements<'_>, other: NodeRequirements<'_>) -> Option<u32> {
        let both = self.open(one)?.into_iter().zip(self.open(other)?);
        let alone = both.filter(|((open, _), (taken, _))| *open && !*taken).map(|((_, count), _)| count);
        Some(alone.fold(0, u32::saturating_add))
    }

    /// True if the kubelet of a node of the input has this port.
    pub fn has_kubelet_at(&self, number: u16) -> bool {
        matches!(self, Self::Seen(nodes) if nodes.iter().any(|node| node.kubelet.unwrap_or(KUBELET) == number))
    }

    /// Nodes of the input by the port of their kubelet; empty without nodes in the input.
    pub fn kubelets(&self) -> BTreeMap<u16, BTreeSet<&'n str>> {
        let mut kubelets: BTreeMap<u16, BTreeSet<&str>> = BTreeMap::new();
        for node in if let Self::Seen(nodes) = self { nodes.as_slice() } else { &[] } {
            kubelets.entry(node.kubelet.unwrap_or(KUBELET)).or_default().insert(&node.name);
        }
        kubelets
    }

    /// Names of the input nodes on which the pods may run.
    pub fn possible_node_names<'s>(&'s self, required: NodeRequirements<'s>) -> impl Iterator<Item = &'s str> {
        let seen = if let Self::Seen(nodes) = self { nodes.as_slice() } else { &[] };
        let open = self.open(required).unwrap_or_default();
        seen.iter().zip(open).filter(|(_, (is_open, _))| *is_open).map(|(node, _)| node.name.as_str())
    }

    /// True if pods with the requirements `one` and pods with the requirements `other` may run on the same node. Also
    /// true if the `nodeName` of either names a node that is not in the input, because the input then lacks nodes.
    pub fn have_common_node(&self, one: NodeRequirements<'_>, other: NodeRequirements<'_>) -> bool {
        match self {
            Self::Seen(nodes) => {
                let is_elsewhere =
                    |required: NodeRequirements<'_>| required.bound().is_some_and(|name| self.find(name).is_none());
                is_elsewhere(one)
                    || is_elsewhere(other)
                    || nodes.iter().any(|node| one.allows(node) && other.allows(node))
            }
            Self::Groups(groups) => groups.iter().any(|group| one.allows_group(group) && other.allows_group(group)),
            Self::Count(_) | Self::Unknown => true,
        }
    }

    /// Reason why no node may run the pods; `None` if a node may, or if there are no nodes.
    pub fn why_no_node(&self, required: NodeRequirements<'_>) -> Option<NoNode> {
        if self.eligible(required) != Some(0) {
            return None;
        }
        let selector = || Some(NoNode::Selector(required.description()));
        match self {
            Self::Seen(nodes) if !nodes.iter().any(|node| required.has_labels(node)) => selector(),
            Self::Seen(nodes) if nodes.iter().any(|node| required.allows(node)) => Some(NoNode::Closed),
            Self::Seen(_) => Some(NoNode::Taints),
            Self::Groups(groups) if groups.iter().any(|group| group.count > 0) => selector(),
            Self::Groups(_) | Self::Count(_) | Self::Unknown => None,
        }
    }

    /// True if every node that may run pods with the requirements `one` may also run pods with the requirements
    /// `other`.
    pub fn is_within(&self, one: NodeRequirements<'_>, other: NodeRequirements<'_>) -> bool {
        match self {
            Self::Seen(nodes) => nodes.iter().all(|node| !one.allows(node) || other.allows(node)),
            Self::Count(_) => true,
            Self::Groups(groups) => groups.iter().all(|group| !one.allows_group(group) || other.allows_group(group)),
            Self::Unknown => false,
        }
    }

    /// True if the pods may run on the named node; `None` if the input has no such node.
    pub fn allows(&self, name: &str, required: NodeRequirements<'_>) -> Option<bool> {
        self.find(name).map(|node| required.allows(node))
    }

    /// Node of the input with this name.
    fn find(&self, name: &str) -> Option<&'n Node> {
        let seen = if let Self::Seen(nodes) = self { nodes.as_slice() } else { &[] };
        let index = seen.binary_search_by(|node| node.name.as_str().cmp(name)).ok()?;
        seen.get(index).copied()
    }
}

/// Taint of an unschedulable node. The scheduler still uses the node for pods that tolerate the taint.
/// Source: kubernetes v1.37 `pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go`.
fn unschedulable() -> Taint {
    let key = "node.kubernetes.io/unschedulable".to_owned();
    Taint { key, value: String::new(), effect: "NoSchedule".to_owned() }
}

impl NodeRequirements<'_> {
    /// Placement rules of the template and of the subset.
    fn places(&self) -> impl Iterator<Item = &Placement> {
        self.template.placement.as_deref().into_iter().chain(self.subset_placement)
    }

    /// Required labels and node name, as text for messages.
    pub fn description(&self) -> String {
        let texts: Vec<String> = self.places().map(Placement::description).filter(|text| !text.is_empty()).collect();
        texts.join(", ")
    }

    /// `nodeName` of the pods; pods with a `nodeName` bypass the scheduler.
    pub(super) fn bound(&self) -> Option<&str> {
        self.template.placement.as_deref().and_then(Placement::node_name)
    }

    /// Largest number of nodes that the requirements allow in any cluster; `None` without a limit.
    ///
    /// Source: kubernetes v1.36 `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go` and
    /// `interpodaffinity/filtering.go`, `satisfyPodAffinity`: each required term is a filter.
    pub fn most_nodes(&self) -> Option<u32> {
        let is_together = self.places().any(|placement| placement.keeps_pods_together(&self.template.labels));
        let listed = self.places().filter_map(Placement::listed_nodes);
        listed.chain(is_together.then_some(1)).min().and_then(|nodes| u32::try_from(nodes).ok())
    }

    /// True if both pods require the same single node, by its name or its host name, so that only one of them can use a
    /// given port.
    pub(super) fn requires_same_node(&self, other: &Self) -> bool {
        let node = self.places().find_map(Placement::only_node);
        node.is_some() && node == other.places().find_map(Placement::only_node)
    }

    /// True if labels and taints of a node allow the pods. For pods with a `nodeName` only taints with the effect
    /// `NoExecute` count.
    fn allows(&self, node: &Node) -> bool {
        let puts_out = |taint: &Taint| self.bound().is_none() || taint.effect == "NoExecute";
        self.has_labels(node) && node.taints.iter().filter(|taint| puts_out(taint)).all(|taint| self.tolerates(taint))
    }

    /// True if labels and name of a node match the requirements.
    fn has_labels(&self, node: &Node) -> bool {
        let label = |key: &str| node.labels.get(key).map(str::to_owned);
        self.places().all(|placement| placement.may_be_on(&label, Some(&node.name)))
    }

    /// True if the pods tolerate a taint.
    fn tolerates(&self, taint: &Taint) -> bool {
        self.places().any(|placement| placement.tolerates(taint))
    }

    /// True if the pods may run on nodes of a group in the config.
    fn allows_group(&self, group: &api::NodeGroup) -> bool {
        self.places().all(|placement| placement.may_be_on(&|key| group.labels.get(key).cloned(), None))
    }
}
