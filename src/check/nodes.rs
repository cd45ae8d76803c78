//! On how many nodes the pods of a template may run.

use super::facts::node::Node;
use super::facts::pods::PodFacts;
use super::facts::subset::Subset;
use crate::api;
use crate::model::pod::{Placement, PodTemplate};

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

    /// On how many nodes pods may run, at most; none when that is not known.
    #[must_use]
    pub fn eligible(&self, asked: Asked<'_>) -> Option<u32> {
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
        let open = seen.iter().filter(move |node| !node.unschedulable && asked.allows(node));
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

/// What pods ask of their nodes.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Their template.
    pub template: &'a PodTemplate,
    /// What their spec says besides.
    pub pods: &'a PodFacts,
    /// The subset that they are of, where an object has such.
    pub subset: Option<&'a Subset>,
}

impl Asked<'_> {
    fn places(&self) -> impl Iterator<Item = &Placement> {
        let of_subset = self.subset.and_then(|subset| subset.placement.as_deref());
        self.template.placement.as_deref().into_iter().chain(of_subset)
    }

    /// Whether labels and taints of a node let them onto it.
    fn allows(&self, node: &Node) -> bool {
        let label = |key: &str| node.labels.get(key).map(str::to_owned);
        let more = self.subset.map_or(&[][..], |subset| &subset.tolerations);
        let tolerates = |taint: &Taint| self.pods.tolerations.iter().chain(more).any(|one| one.tolerates(taint));
        self.places().all(|placement| placement.may_be_on(&label, Some(&node.name)))
            && node.taints.iter().all(tolerates)
    }

    fn allows_group(&self, group: &api::NodeGroup) -> bool {
        self.places().all(|placement| placement.may_be_on(&|key| group.labels.get(key).cloned(), None))
    }
}
