//! Workloads with more replicas than nodes: with host ports, each pod needs its own node.

use crate::rule::{REPLICAS_NODES, Severity};

use crate::check::pod_controllers::Replicas;
use crate::check::sharing::SharedPorts;
use crate::check::{CheckContext, Finding, Workload};
use crate::judge::nodes::{NoNode, NodeRequirements};
use crate::judge::pod_groups::{PodGroup, divide_pods};
use crate::judge::replicas_nodes::Pods;

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let shared = SharedPorts::new(context);
    let mut findings = Vec::new();
    for workload in &context.workloads {
        for part in divide_pods(workload.template) {
            let replicas = context.replicas_of(context.updated(workload), part);
            findings
                .extend(replicas.and_then(|replicas| too_many_replicas(context, &shared, workload, replicas, part)));
        }
    }
    findings
}

/// Finding about a workload with more replicas than free nodes.
fn too_many_replicas(
    context: &CheckContext<'_>,
    shared: &SharedPorts<'_, '_>,
    workload: &Workload<'_>,
    replicas: Replicas,
    part: PodGroup<'_>,
) -> Option<Finding> {
    let held = workload.template.held_ports().next()?;
    let updated = context.updated(workload);
    let nodes = context.nodes.eligible(part.node_requirements())?;
    let (taken, others) =
        (nodes_with_used_port(context, workload, part.node_requirements()), shared.others(context, workload));
    // If the input has Pods on nodes, `taken` already includes the pods of other workloads, so do
    // not add both numbers.
    let occupied = u32::try_from(taken.len()).unwrap_or(u32::MAX).max(others.pods);
    let free = nodes.saturating_sub(occupied);
    // Report the minimum of an autoscaler if there are too few nodes for it. Creation of more pods depends on the load.
    let is_short = replicas.fewest > free;
    let count = if is_short { replicas.fewest } else { replicas.most };
    let (is_job, field) = (updated.meta.is_job(), updated.pod_count.field);
    let scaled = |which: &str| format!(" (the autoscaler's {which})");
    let remark = match is_job {
        _ if is_short && count < replicas.most => scaled("minimum"),
        _ if replicas.is_scaled => scaled("maximum"),
        true => format!(" at the same time ({field})"),
        false if replicas.kept > 0 => {
            format!(
                " ({} of these pods belong to {}, where `scaleDown: never` keeps them)",
                replicas.kept, workload.meta
            )
        }
        false => String::new(),
    };
    let why = match taken.first() {
        _ if count > nodes => String::new(),
        Some((node, pod)) => {
            let example = if taken.len() == 1 { "" } else { ", for one" };
            format!(
                "; on {} of these nodes another Pod already uses one of its ports ({pod} on {node}{example})",
                taken.len()
            )
        }
        None => {
            format!("; {occupied} of these nodes have pods of {} with the same port", others.names.join(" and "))
        }
    };
    let name = part.name(updated.meta);
    let no_node = context.nodes.why_no_node(part.node_requirements());
    let what = if is_job || updated.pod_count.per_replica != 1 { "pod" } else { "replica" };
    let is_limited = part.node_requirements().most_nodes().is_some();
    let pods = Pods {
        name: &name,
        count,
        what,
        note: &remark,
        port: (held.number, held.protocol),
        nodes,
        is_limited,
        no_node: no_node.as_ref(),
        taken: occupied,
        why: &why,
    };
    let message = pods.missing_nodes_message()?;
    // Later pods of a Job can use the nodes of completed pods, unless there are no eligible nodes.
    let is_doubtful = !is_short || is_job && nodes > 0;
    let severity = if is_doubtful { Severity::Warning } else { Severity::Error };
    let finding =
        Finding::new(severity, REPLICAS_NODES, message).on_object(updated.id).at(updated.pod_count.path.clone());
    let fix = match &no_node {
        Some(NoNode::Selector(_)) => {
            "correct the nodeSelector or node affinity, or label a node: no node matches".to_owned()
        }
        Some(_) => "add tolerations or nodes: matching nodes have taints that it does not tolerate".to_owned(),
        None if is_limited => {
            format!("lower `{field}`, or let other nodes run the pods: a node takes one pod with a host port")
        }
        None => {
            format!(
                "lower `{field}` (or the autoscaler's maximum), or add nodes: a node takes one pod with a host port"
            )
        }
    };
    let free = if count > nodes { nodes } else { free };
    Some(finding.of_port(held.number).brief(fix, format!("pods: {count}, nodes: {free}")).about(name))
}

/// Eligible nodes of a workload on which a Pod of another workload already uses one of the
/// workload's ports; each with that Pod.
fn nodes_with_used_port<'s>(
    context: &'s CheckContext<'_>,
    workload: &Workload<'_>,
    requirements: NodeRequirements<'s>,
) -> Vec<(&'s str, String)> {
    let mut ports: Vec<(u16, &str)> = workload.template.held_ports().map(|held| (held.number, held.protocol)).collect();
    ports.sort_unstable();
    ports.dedup();
    let holder = |node: &str| {
        let mut holders = ports
            .iter()
            .filter_map(|(number, protocol)| context.running.holder(node, *number, protocol, &workload.key));
        holders.next()
    };
    let nodes = context.nodes.possible_node_names(requirements);
    nodes.filter_map(|node| Some((node, holder(node)?.meta.to_string()))).collect()
}
