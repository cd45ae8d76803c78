//! Groups of nodes that take the same pods.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::holder::OnNodes;
use crate::check::{CheckContext, Workload};
use crate::judge::nodes::{NodeRequirements, Nodes};
use crate::model::facts::Node;
use crate::model::pod::{Placement, PodTemplate};
use crate::model::text::fnv_1a;

/// Nodes that take the same pods of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeGroup {
    /// Labels that distinguish the group, or the name of its first node.
    pub name: String,
    /// Number of nodes.
    pub count: u32,
    /// Names of the nodes; empty for a group of the config.
    pub nodes: Vec<String>,
}

/// The groups of a cluster.
pub(super) struct Groups<'s> {
    nodes: &'s Nodes<'s>,
    pub(super) list: Vec<NodeGroup>,
    /// Group of each entry of [`Nodes::open`].
    by_position: Vec<usize>,
}

impl<'s> Groups<'s> {
    pub(super) fn new(context: &'s CheckContext<'_>) -> Self {
        let nodes = &context.nodes;
        let (mut list, mut by_position) = (Vec::new(), Vec::new());
        match nodes {
            Nodes::Unknown => {}
            Nodes::Count(count) => {
                list.push(NodeGroup { name: "all".to_owned(), count: *count, nodes: Vec::new() });
                by_position.push(0);
            }
            Nodes::Groups(groups) => {
                for (index, group) in groups.iter().enumerate() {
                    let labels = group.labels.iter().map(|(key, value)| format!("{key}={value}"));
                    let labels = labels.collect::<Vec<_>>().join(",");
                    let name = if labels.is_empty() { format!("group {}", index + 1) } else { labels };
                    list.push(NodeGroup { name, count: group.count, nodes: Vec::new() });
                    by_position.push(index);
                }
            }
            Nodes::Seen(seen) => {
                let templates = templates(context);
                by_position = group_nodes_by_eligibility(nodes, seen.len(), &templates);
                list = name_groups(seen, &by_position, &templates);
            }
        }
        Self { nodes, list, by_position }
    }

    /// Nodes of the pods of a workload, which may represent several Pods.
    pub(super) fn nodes_for_workload(&self, workload: &Workload<'_>) -> OnNodes {
        let all = workload.templates().map(|template| self.nodes_for(template));
        all.reduce(OnNodes::joined).unwrap_or(OnNodes::Unknown)
    }

    /// Nodes that may run the pods of a template.
    pub(super) fn nodes_for(&self, template: &PodTemplate) -> OnNodes {
        if let Some(name) = template.placement.as_deref().and_then(Placement::node_name) {
            return OnNodes::Named(BTreeSet::from([name.to_owned()]));
        }
        let Some(open) = self.nodes.open(NodeRequirements::from(template)) else { return OnNodes::Unknown };
        let open = open.iter().zip(&self.by_position).filter(|((is_open, _), _)| *is_open);
        let groups: BTreeSet<usize> = open.map(|(_, group)| *group).collect();
        if groups.len() == self.list.len() { OnNodes::All } else { OnNodes::Groups(groups.into_iter().collect()) }
    }
}

/// Templates with different placements, without pods that are bound to a node.
fn templates<'s>(context: &'s CheckContext<'_>) -> Vec<&'s PodTemplate> {
    let mut templates: Vec<&PodTemplate> = Vec::new();
    let mut seen: HashMap<u64, Vec<&Placement>> = HashMap::new();
    // One template is enough for all pods that may run on any node.
    let mut has_anywhere = false;
    for workload in &context.workloads {
        let Some(placement) = workload.template.placement.as_deref() else {
            if !std::mem::replace(&mut has_anywhere, true) {
                templates.push(workload.template);
            }
            continue;
        };
        if placement.node_name().is_some() {
            continue;
        }
        let hash = fnv_1a(&placement.description());
        let placements = seen.entry(hash).or_default();
        if !placements.contains(&placement) {
            placements.push(placement);
            templates.push(workload.template);
        }
    }
    templates
}

/// Group of each node: nodes of a group take the same pods.
fn group_nodes_by_eligibility(nodes: &Nodes<'_>, count: usize, templates: &[&PodTemplate]) -> Vec<usize> {
    let mut groups = vec![0; count];
    for template in templates {
        let Some(open) = nodes.open(NodeRequirements::from(*template)) else { continue };
        let mut known: HashMap<(usize, bool), usize> = HashMap::new();
        for (group, (is_open, _)) in groups.iter_mut().zip(open) {
            let next = known.len();
            *group = *known.entry((*group, is_open)).or_insert(next);
        }
    }
    groups
}

/// Names each group by the values of labels that pods require.
fn name_groups(nodes: &[&Node], groups: &[usize], templates: &[&PodTemplate]) -> Vec<NodeGroup> {
    let wanted = templates.iter().filter_map(|template| template.placement.as_deref());
    let keys: BTreeSet<&str> = wanted.flat_map(|placement| placement.node_labels().into_keys()).collect();
    let mut members: BTreeMap<usize, Vec<&Node>> = BTreeMap::new();
    for (node, group) in nodes.iter().zip(groups) {
        members.entry(*group).or_default().push(node);
    }
    let labels = |nodes: &[&Node]| {
        let common = keys.iter().filter_map(|key| {
            let value = nodes.first()?.labels.get(key)?;
            nodes.iter().all(|node| node.labels.get(key) == Some(value)).then(|| format!("{key}={value}"))
        });
        common.collect::<Vec<_>>().join(",")
    };
    let texts: Vec<String> = members.values().map(|nodes| labels(nodes)).collect();
    let is_unique = |text: &String| !text.is_empty() && texts.iter().filter(|other| *other == text).count() == 1;
    let group = |(nodes, labels): (Vec<&Node>, &String)| {
        let first = nodes.first().map_or("", |node| node.name.as_str());
        let by_name = match nodes.len() {
            1 => first.to_owned(),
            count => format!("{first} and {} more", count - 1),
        };
        NodeGroup {
            name: if is_unique(labels) { labels.clone() } else { by_name },
            count: u32::try_from(nodes.len()).unwrap_or(u32::MAX),
            nodes: nodes.iter().map(|node| node.name.clone()).collect(),
        }
    };
    members.into_values().zip(&texts).map(group).collect()
}
