//! Workloads that use the same port, because the config allows it or the scheduler keeps their pods on different nodes.
//! Each pod of one workload reduces the number of free nodes for the other workloads.

use std::collections::BTreeMap;

use crate::judge::free_nodes::Holder;
use crate::judge::nodes::Nodes;
use crate::model::WorkloadId;
use crate::model::pod::never_share_a_node;

use super::context::CheckContext;
use super::workload::Workload;

/// Pods of other workloads that reduce the free nodes of a workload.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OtherPods {
    /// Number of pods.
    pub pods: u32,
    /// Names of the workloads.
    pub names: Vec<String>,
}

/// Workloads by port; empty if the nodes are unknown.
#[derive(Debug, Default)]
pub(super) struct SharedPorts<'s, 'm>(BTreeMap<(u16, &'s str), Vec<&'s Workload<'m>>>);

impl<'s, 'm> SharedPorts<'s, 'm> {
    /// Collects the workloads of each port.
    pub(super) fn new(context: &'s CheckContext<'m>) -> Self {
        let mut ports: BTreeMap<_, Vec<&Workload<'m>>> = BTreeMap::new();
        if !matches!(context.nodes, Nodes::Unknown) {
            for workload in &context.workloads {
                for held in workload.template.held_ports() {
                    ports.entry((held.number, held.protocol)).or_default().push(workload);
                }
            }
        }
        Self(ports)
    }

    /// Pods of other workloads that certainly run on eligible nodes of this workload, because they
    /// have no other eligible nodes.
    pub(super) fn others(&self, context: &CheckContext<'m>, workload: &Workload<'m>) -> OtherPods {
        let mut others: BTreeMap<WorkloadId, (String, u32)> = BTreeMap::new();
        let mut total = 0_u32;
        let Some(eligible) = context.nodes.eligible(workload.node_requirements()) else { return OtherPods::default() };
        for held in workload.template.held_ports() {
            for other in self.0.get(&(held.number, held.protocol)).into_iter().flatten() {
                let is_shared = || {
                    let sharing = context.sharing.as_ref();
                    sharing.is_some_and(|sharing| sharing.allows(held.number, &workload.key, &other.key))
                };
                let may_share = other.key != workload.key
                    && (is_shared() || are_kept_apart(context, workload, other))
                    && !never_share_a_node(workload.placed(), other.placed())
                    && context.nodes.is_within(other.node_requirements(), workload.node_requirements());
                if !may_share || others.contains_key(&other.id) {
                    continue;
                }
                // Skip Jobs, whose pods terminate.
                let replicas = context.replicas(context.updated(other)).filter(|_| !other.meta.is_job());
                let replicas = replicas.map(|replicas| replicas.fewest);
                let per_node =
                    || context.nodes.eligible(other.node_requirements()).filter(|_| other.meta.gvk.kind == "DaemonSet");
                // Each node runs at most one of the pods, so the number of nodes limits the number of pods.
                let nodes = context.nodes.eligible(other.node_requirements()).unwrap_or(u32::MAX);
                let pods = replicas.or_else(per_node).unwrap_or_default().min(nodes);
                others.insert(other.id, (other.meta.to_string(), pods));
                total = total.saturating_add(pods);
                if total > eligible {
                    // All nodes are in use, so the remaining workloads cannot change the result.
                    break;
                }
            }
        }
        let mut others: Vec<(String, u32)> = others.into_values().filter(|(_, pods)| *pods > 0).collect();
        others.sort();
        let pods = others.iter().fold(0_u32, |all, (_, pods)| all.saturating_add(*pods));
        OtherPods { pods, names: others.into_iter().map(|(name, _)| name).collect() }
    }
}

/// True if the scheduler keeps the pods of two workloads that declare one port on different nodes.
fn are_kept_apart(context: &CheckContext<'_>, one: &Workload<'_>, other: &Workload<'_>) -> bool {
    let holder = |of| Holder {
        requirements: Workload::node_requirements(of),
        pods: context.min_pods_of(of),
        is_declared: true,
        placed: of.placed(),
    };
    !one.is_static
        && !other.is_static
        && !context.never_in_one_cluster(one, other)
        && holder(one).is_kept_apart(&holder(other), &context.nodes)
}
