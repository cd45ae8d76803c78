//! Moved workloads with more replicas than eligible nodes.

use super::assignments::Assignments;
use super::blocked_moves::BlockedMoves;
use super::port_of_node::PortOfNode;
use super::workload::Workload;
use crate::judge::nodes::Nodes;
use crate::judge::pod_groups::divide_pods;
use crate::judge::replicas_nodes::Pods;
use crate::model::Model;
use crate::plan::Finding;
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// Refuses the move of a workload with more pods than eligible nodes. A workload whose pods already use the host port
/// only gets a warning.
pub(super) fn refuse_too_few_nodes(
    model: &Model,
    nodes: &Nodes<'_>,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
    found: &mut BlockedMoves,
) {
    for workload in workloads {
        // Pods of a Job end and free their nodes.
        let is_replicated = !workload.meta.is_job() && !workload.meta.is_pod();
        let rollout = workload.template.rollout.as_deref();
        let own = rollout.map_or(workload.template.pods.filter(|_| is_replicated), |rollout| rollout.replicas);
        let all = model.fewest_replicas(workload.meta, own);
        let Some(PortOfNode { port, is_kept }) = PortOfNode::new(workload, assignments) else { continue };
        for part in divide_pods(workload.template) {
            let (Some(count), Some(eligible)) = (part.replicas(all), nodes.eligible(part.node_requirements())) else {
                continue;
            };
            let name = part.name(workload);
            let no_node = nodes.why_no_node(part.node_requirements());
            let note = if all > own { " (the fewest that its autoscaler makes)" } else { "" };
            let (what, no_node) = ("replica", no_node.as_ref());
            let is_limited = part.node_requirements().most_nodes().is_some();
            let (nodes, taken, why) = (eligible, 0, "");
            let pods = Pods { name: &name, count, what, note, port, nodes, is_limited, no_node, taken, why };
            let Some(message) = pods.missing_nodes_message() else { continue };
            let path = Path::dotted("spec.replicas");
            let finding = Finding::new(Severity::Warning, rule::REPLICAS_NODES, message);
            let finding = finding.on_object(workload.id.object).at(path).of_port(port.0);
            if is_kept {
                found.findings.push(finding);
            } else {
                found.add(workload, finding);
            }
        }
    }
}
