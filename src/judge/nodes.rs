//! On how many nodes the pods of a template may run.

use crate::api;
use crate::model::Model;
use crate::model::facts::Node;
use crate::model::pod::{Placement, PodTemplate, Taint};

/// The nodes of a cluster, as far as they are known.
#[derive(Debug, Clone)]
pub enum Nodes<'n> {
    /// Those of the input, by name.
    Seen(Vec<&'n Node>),
    /// So many, whatever their labels.
    Count(u32),
    /// Groups with their labels.
    Groups(&'n [api::NodeGroup]),
    /// Nobody knows.
    Unknown,
}

/// What pods ask of their nodes.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Their template.
    pub template: &'a PodTemplate,
    /// What the subset that they are of asks besides.
    pub besides: Option<&'a Placement>,
}

impl<'a> From<&'a PodTemplate> for Asked<'a> {
    fn from(template: &'a PodTemplate) -> Self {
        Self { template, besides: None }
    }
}

impl<'n> Nodes<'n> {
    /// The nodes of the input where it has any, else those of the config.
    #[must_use]
    pub fn of(model: &'n Model, config: Option<&'n api::Nodes>) -> Self {
        let mut seen: Vec<&Node> = model.nodes().collect();
        seen.sort_by(|a, b| a.name.cmp(&b.name));
        match config {
            _ if !seen.is_empty() => Self::Seen(seen),
            Some(api::Nodes::Count(count)) => Self::Count(*count),
            Some(api::Nodes::Groups(groups)) => Self::Groups(groups),
            None => Self::Unknown,
        }
    }

    /// On how many nodes pods may run, at most; none when that is not known.
    #[must_use]
    pub fn eligible<'a>(&self, asked: impl Into<Asked<'a>>) -> Option<u32> {
        let asked = asked.into();
        match self {
            Self::Seen(_) => u32::try_from(self.named(asked).count()).ok(),
            Self::Count(count) => Some(*count),
            Self::Groups(groups) => {
                let counts = groups.iter().filter(|group| asked.allows_group(group)).map(|group| group.count);
                Some(counts.fold(0, u32::saturating_add))
            }
            Self::Unknown => None,
        }
    }

    /// The names of the nodes of the input on which pods may run.
    pub fn named<'s>(&'s self, asked: Asked<'s>) -> impl Iterator<Item = &'s str> {
        let seen = if let Self::Seen(nodes) = self { nodes.as_slice() } else { &[] };
        let may_be = move |node: &&&Node| !node.unschedulable || asked.tolerates(&unschedulable());
        let open = seen.iter().filter(may_be).filter(move |node| asked.allows(node));
        open.map(|node| node.name.as_str())
    }

    /// Whether all nodes on which the one may run are open to the other too.
    #[must_use]
    pub fn is_within(&self, one: Asked<'_>, other: Asked<'_>) -> bool {
        match self {
            Self::Seen(nodes) => nodes.iter().all(|node| !one.allows(node) || other.allows(node)),
            Self::Count(_) => true,
            Self::Groups(groups) => groups.iter().all(|group| !one.allows_group(group) || other.allows_group(group)),
            Self::Unknown => false,
        }
    }

    /// Whether pods may run on the node of this name; none when it is not in the input.
    #[must_use]
    pub fn allows(&self, name: &str, asked: Asked<'_>) -> Option<bool> {
        let seen = if let Self::Seen(nodes) = self { nodes.as_slice() } else { &[] };
        let index = seen.binary_search_by(|node| node.name.as_str().cmp(name)).ok()?;
        seen.get(index).map(|node| asked.allows(node))
    }
}

/// What a node that is closed for new pods stands for: a pod that tolerates it comes in all the same.
/// Source: kubernetes v1.37 `pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go`.
fn unschedulable() -> Taint {
    let key = "node.kubernetes.io/unschedulable".to_owned();
    Taint { key, value: String::new(), effect: "NoSchedule".to_owned() }
}

impl Asked<'_> {
    fn places(&self) -> impl Iterator<Item = &Placement> {
        self.template.placement.as_deref().into_iter().chain(self.besides)
    }

    /// Whether labels and taints of a node let them onto it.
    fn allows(&self, node: &Node) -> bool {
        let label = |key: &str| node.labels.get(key).map(str::to_owned);
        self.places().all(|placement| placement.may_be_on(&label, Some(&node.name)))
            && node.taints.iter().all(|taint| self.tolerates(taint))
    }

    fn tolerates(&self, taint: &Taint) -> bool {
        self.places().any(|placement| placement.tolerates(taint))
    }

    fn allows_group(&self, group: &api::NodeGroup) -> bool {
        self.places().all(|placement| placement.may_be_on(&|key| group.labels.get(key).cloned(), None))
    }
}
