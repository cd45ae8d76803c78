//! On how many nodes the pods of a template may run.

use super::facts::node::Node;
use super::facts::pods::Pods;
use crate::api;
use crate::model::pod::PodTemplate;

/// What keeps pods away from a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taint {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// `NoSchedule` or `NoExecute`.
    pub effect: String,
}

/// What lets a pod onto such a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toleration {
    /// The taint's key; empty with `exists` is any.
    pub key: String,
    /// Whether any value will do.
    pub exists: bool,
    /// The taint's value.
    pub value: String,
    /// The taint's effect; empty is any.
    pub effect: String,
}

impl Toleration {
    /// Source: kubernetes v1.36 `core/v1/toleration.go`, `ToleratesTaint`.
    fn tolerates(&self, taint: &Taint) -> bool {
        (self.effect.is_empty() || self.effect == taint.effect)
            && (self.key.is_empty() && self.exists || self.key == taint.key)
            && (self.exists || self.value == taint.value)
    }
}

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

impl<'n> Nodes<'n> {
    /// The nodes of the input where it has any, else those of the config.
    #[must_use]
    pub fn of(mut seen: Vec<&'n Node>, config: Option<&'n api::Nodes>) -> Self {
        seen.sort_by(|a, b| a.name.cmp(&b.name));
        match config {
            _ if !seen.is_empty() => Self::Seen(seen),
            Some(api::Nodes::Count(count)) => Self::Count(*count),
            Some(api::Nodes::Groups(groups)) => Self::Groups(groups),
            None => Self::Unknown,
        }
    }

    /// On how many nodes the pods of a template may run, at most; none when that is not known.
    #[must_use]
    pub fn eligible(&self, template: &PodTemplate, pods: &Pods) -> Option<u32> {
        match self {
            Self::Seen(_) => u32::try_from(self.named(template, pods).count()).ok(),
            Self::Count(count) => Some(*count),
            Self::Groups(groups) => {
                let placement = template.placement.as_deref();
                let allows = |group: &&api::NodeGroup| {
                    placement.is_none_or(|placement| placement.may_be_on(&|key| group.labels.get(key).cloned(), None))
                };
                Some(groups.iter().filter(allows).map(|group| group.count).fold(0, u32::saturating_add))
            }
            Self::Unknown => None,
        }
    }

    /// The names of the nodes of the input on which the pods of a template may run.
    pub fn named(&self, template: &PodTemplate, pods: &Pods) -> impl Iterator<Item = &str> {
        let seen = if let Self::Seen(nodes) = self { nodes.as_slice() } else { &[] };
        let open = seen.iter().filter(|node| !node.unschedulable && may_be_on(node, template, pods));
        open.map(|node| node.name.as_str())
    }

    /// Whether the pods of a template may run on the node of this name; none when it is not in the input.
    #[must_use]
    pub fn allows(&self, name: &str, template: &PodTemplate, pods: &Pods) -> Option<bool> {
        let seen = if let Self::Seen(nodes) = self { nodes.as_slice() } else { &[] };
        let index = seen.binary_search_by(|node| node.name.as_str().cmp(name)).ok()?;
        seen.get(index).map(|node| may_be_on(node, template, pods))
    }
}

/// Whether labels and taints of a node let pods onto it.
fn may_be_on(node: &Node, template: &PodTemplate, pods: &Pods) -> bool {
    let label = |key: &str| node.labels.get(key).map(str::to_owned);
    let placement = template.placement.as_deref();
    placement.is_none_or(|placement| placement.may_be_on(&label, Some(&node.name)))
        && node.taints.iter().all(|taint| pods.tolerations.iter().any(|one| one.tolerates(taint)))
}
