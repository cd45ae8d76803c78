//! On how many nodes the pods of a template may run.

use crate::api;
use crate::model::Model;
use crate::model::facts::Node;
use crate::model::pod::{PodTemplate, Taint};
use crate::model::text::Labels;

/// The nodes of a cluster, as far as they are known.
#[derive(Debug, Clone)]
pub enum Nodes<'n> {
    /// Those of the input.
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
    pub fn of(model: &'n Model, config: Option<&'n api::Nodes>) -> Self {
        let seen: Vec<&Node> = model.nodes().collect();
        match config {
            _ if !seen.is_empty() => Self::Seen(seen),
            Some(api::Nodes::Count(count)) => Self::Count(*count),
            Some(api::Nodes::Groups(groups)) => Self::Groups(groups),
            None => Self::Unknown,
        }
    }

    /// On how many nodes the pods of a template may run, at most; none when that is not known.
    #[must_use]
    pub fn eligible(&self, template: &PodTemplate) -> Option<u32> {
        let placement = template.placement.as_deref();
        let allows = |labels: &dyn Fn(&str) -> Option<String>, name: Option<&str>| {
            placement.is_none_or(|placement| placement.may_be_on(labels, name))
        };
        match self {
            Self::Seen(nodes) => {
                let open = nodes.iter().filter(|node| !node.unschedulable);
                let tolerated = |node: &&&&Node| {
                    let tolerates = |taint: &Taint| placement.is_some_and(|placement| placement.tolerates(taint));
                    node.taints.iter().all(tolerates)
                };
                let fit = open.filter(|node| allows(&|key| label(&node.labels, key), Some(&node.name)));
                u32::try_from(fit.filter(|node| tolerated(&node)).count()).ok()
            }
            Self::Count(count) => Some(*count),
            Self::Groups(groups) => {
                let fit = groups.iter().filter(|group| allows(&|key| group.labels.get(key).cloned(), None));
                Some(fit.map(|group| group.count).fold(0, u32::saturating_add))
            }
            Self::Unknown => None,
        }
    }
}

fn label(labels: &Labels, key: &str) -> Option<String> {
    labels.get(key).map(str::to_owned)
}
