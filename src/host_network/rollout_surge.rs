//! Updates of moved workloads that cannot finish: a node can run one pod per port.

use std::collections::{BTreeMap, HashMap};

use super::assignments::Assignments;
use super::blocked_moves::BlockedMoves;
use super::port_of_node::PortOfNode;
use super::shared_host_ports::OccupiedNodes;
use super::workload::Workload;
use crate::api::HostNetworkConfig;
use crate::judge::nodes::Nodes;
use crate::judge::pod_groups::{PodGroup, divide_pods};
use crate::judge::refused_rollout::refused_new_pod;
use crate::judge::rollout_surge::{RolloutResult, Update, When, spare};
use crate::model::facts::SecondCopy;
use crate::model::index::workload_key;
use crate::model::pod::Rollout;
use crate::model::{Meta, Model, ObjectId, WorkloadId};
use crate::plan::{Change, Edit, Finding, Plan};
use crate::rule::{self, Severity};

/// Config line that fixes the update.
const FIX: &str = "`rollout: FreePortFirst` in the spec";

/// Object that creates a second copy of pods, and the copy.
type CopyBy<'m> = (&'m Meta, &'m SecondCopy);

/// Checks the updates of workloads, with their final host ports. `rollout: FreePortFirst` fixes all fixable updates.
pub(super) fn refuse_stuck_rollouts(
    model: &Model,
    config: &HostNetworkConfig,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
    plan: &Plan,
    (nodes, taken): (&Nodes<'_>, &BTreeMap<WorkloadId, OccupiedNodes>),
    found: &mut BlockedMoves,
) {
    let spec = &config.host_network.spec;
    let changed = EditsByObject::new(plan);
    let mut waiting = Vec::new();
    for workload in workloads {
        // A Rollout that has a template and also names another workload never replaces pods; `two_templates` reports
        // it.
        let rollout = workload.template.rollout.as_deref().filter(|_| workload.template.workload_ref.is_none());
        let copy = model.second_copy(workload.meta);
        // The controller that creates a second copy of the pods sets the fields of `FreePortFirst` itself.
        let Some(rollout) = rollout.filter(|_| copy.is_some() || !spec.rollout.frees_ports()) else { continue };
        let Some(port) = PortOfNode::new(workload, assignments) else { continue };
        let is_updated = changed.has(workload);
        for part in divide_pods(workload.template) {
            let taken = taken.get(&workload.id);
            let nodes = nodes
                .eligible(part.node_requirements())
                .map(|all| all.saturating_sub(taken.map_or(0, |taken| taken.pods)));
            let others = taken.map(OccupiedNodes::remark).unwrap_or_default();
            let replicas = part.replicas(model.fewest_replicas(workload.meta, rollout.replicas));
            let refused = refused_new_pod(model, workload.pods_view()).filter(|_| replicas == Some(1));
            let namespace = workload.meta.namespace.as_deref();
            let fix = refused.map_or(FIX.to_owned(), |refused| refused.with_namespace_selector(FIX, namespace));
            let update = (nodes, others.as_str(), is_updated, copy, fix.as_str());
            if evaluate_pod_group(workload, (rollout, replicas), part, port, update, found) {
                waiting.push(workload_key(workload.pods_view()));
            }
        }
    }
    waiting.dedup();
    let waiting: Vec<&str> = waiting.iter().map(String::as_str).collect();
    found.findings.extend(spare(&waiting, FIX));
}

/// Checks pods that are replaced together. True if they need a spare node and the number of nodes is unknown.
fn evaluate_pod_group(
    workload: &Workload<'_>,
    (rollout, replicas): (&Rollout, Option<u32>),
    part: PodGroup<'_>,
    PortOfNode { port, is_kept }: PortOfNode<'_>,
    (nodes, others, is_updated, copy, fix): (Option<u32>, &str, bool, Option<CopyBy<'_>>, &str),
    found: &mut BlockedMoves,
) -> bool {
    let name = part.name(workload);
    let when = if is_updated && !is_kept { When::Later } else { When::Now };
    let is_limited = part.node_requirements().most_nodes().is_some();
    let update = Update { name: &name, rollout, replicas, port, nodes, is_limited, others, when, fix, copy };
    match update.evaluate() {
        None => {
            let waits = update.pending_pods_message().filter(|_| is_updated || is_kept);
            found.findings.extend(waits.map(|message| info(warning_about(workload, message, port.0))));
        }
        Some(RolloutResult::Never(message)) if is_updated && is_kept => {
            found.add(workload, warning_about(workload, message, port.0));
        }
        Some(RolloutResult::Never(message) | RolloutResult::Unsure(message)) => {
            found.findings.push(warning_about(workload, message, port.0));
        }
        Some(RolloutResult::Spare) => return true,
    }
    false
}

/// Warning about the rollout of a workload, at its strategy.
fn warning_about(workload: &Workload<'_>, message: String, port: u16) -> Finding {
    let path = workload.template.rollout.as_ref().map(|rollout| rollout.path.clone()).unwrap_or_default();
    Finding::new(Severity::Warning, rule::ROLLOUT_SURGE, message).on_object(workload.id.object).at(path).of_port(port)
}

/// The finding with severity info.
fn info(finding: Finding) -> Finding {
    Finding { severity: Severity::Info, ..finding }
}

/// Edits of a plan by object.
struct EditsByObject<'p>(HashMap<ObjectId, Vec<&'p Edit>>);

impl<'p> EditsByObject<'p> {
    fn new(plan: &'p Plan) -> Self {
        let mut edits: HashMap<ObjectId, Vec<&Edit>> = HashMap::new();
        for edit in plan.all_edits() {
            edits.entry(edit.object).or_default().push(edit);
        }
        Self(edits)
    }

    /// True if the plan changes the pod template, so that the pods are replaced.
    fn has(&self, workload: &Workload<'_>) -> bool {
        let edits = self.0.get(&workload.id.object).map_or(&[][..], Vec::as_slice);
        let template = workload.template.path.steps();
        edits
            .iter()
            .any(|edit| matches!(edit.change, Change::AddDocument { .. }) || edit.path.steps().starts_with(&template))
    }
}
