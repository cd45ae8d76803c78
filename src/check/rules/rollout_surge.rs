//! Rollouts that never finish, because a new pod waits for the port of an old pod.

mod two_templates;

use crate::check::pod_controllers::{PodController, Replicas};
use crate::check::sharing::{OtherPods, SharedPorts};
use crate::check::{CheckContext, Finding, Workload};
use crate::judge::pod_groups;
use crate::judge::refused_rollout::{RefusedRequest, refused_new_pod, stops_only_pod_first};
use crate::judge::rollout_surge::{RolloutResult, Update, When, spare};
use crate::judge::update_strategy::UpdateStrategy;
use crate::model::facts::SecondCopy;
use crate::model::pod::{HeldPort, Rollout};
use crate::model::{Meta, ObjectId};
use crate::rule::{ROLLOUT_SURGE, Severity};

/// Remedy, as YAML.
const FIX: &str = "`maxSurge: 0, maxUnavailable: 1`";

/// Pods that are replaced together: all pods of a workload, or the pods of a subset.
struct UpdatedPods<'a> {
    name: String,
    by: PodController<'a>,
    rollout: &'a Rollout,
    held: HeldPort<'a>,
    /// Number of pods; `None` for one pod per node.
    replicas: Option<Replicas>,
    /// Number of eligible nodes that other workloads with the same port do not use; `None` if unknown.
    nodes: Option<u32>,
    /// True if the manifest limits the pods to these nodes in any cluster.
    is_limited: bool,
    others: OtherPods,
    /// Object that creates a second copy of the pods, with the copy.
    copy: Option<(&'a Meta, &'a SecondCopy)>,
    /// Request that the only pod's successor needs and that the API server refuses while no pod answers.
    refused: Option<RefusedRequest<'a>>,
    /// True if the rollout stops the only pod first.
    is_stopped_first: bool,
}

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let (mut findings, mut waiting) = (Vec::new(), Vec::new());
    let shared = SharedPorts::new(context);
    for workload in &context.workloads {
        for part in updated_pods(context, &shared, workload) {
            match part.evaluate() {
                None if part.is_stopped_first && part.refused.is_some() => findings.extend(part.deadlock_finding()),
                None => findings.extend(part.waiting_message().map(|message| part.finding(Severity::Info, message))),
                Some((_, RolloutResult::Spare)) => {
                    let entry = (workload.key.as_str(), part.by.id);
                    waiting.extend(Some(entry).filter(|(_, id)| context.is_checked(*id)));
                }
                Some((always, RolloutResult::Never(message))) => {
                    // The finding is an error only if every number of replicas that the autoscaler may set fails.
                    let severity = if always { Severity::Error } else { Severity::Warning };
                    findings.push(part.finding(severity, message));
                }
                Some((_, RolloutResult::Unsure(message))) => findings.push(part.finding(Severity::Warning, message)),
            }
        }
    }
    waiting.dedup();
    findings.extend(spare_nodes_finding(&waiting));
    findings.extend(two_templates::check(context));
    findings
}

/// Info about all workloads that need a spare node while the number of nodes is unknown, reported at the first one by
/// name.
fn spare_nodes_finding(waiting: &[(&str, ObjectId)]) -> Option<Finding> {
    let (_, first) = waiting.iter().min()?;
    let names: Vec<&str> = waiting.iter().map(|(name, _)| *name).collect();
    Some(spare(&names, FIX)?.on_object(*first))
}

/// Parts of a workload that a rollout replaces.
fn updated_pods<'a>(
    context: &'a CheckContext<'a>,
    shared: &SharedPorts<'_, 'a>,
    workload: &'a Workload<'a>,
) -> Vec<UpdatedPods<'a>> {
    let by = context.updated(workload);
    if two_templates::has_template_and_workload_ref(context, by.id) {
        return Vec::new();
    }
    let Some((held, rollout)) = workload.template.held_ports().next().zip(by.rollout) else { return Vec::new() };
    let finding = |part: pod_groups::PodGroup<'a>| {
        let replicas = context.replicas_of(by, part);
        // The number of pods of a subset may be unknown.
        if part.subset.is_some() && replicas.is_none() {
            return None;
        }
        let others = shared.others(context, workload);
        let nodes = context.nodes.eligible(part.node_requirements()).map(|nodes| nodes.saturating_sub(others.pods));
        let copy = context.model.second_copy(by.meta);
        let (name, is_one) = (part.name(by.meta), replicas.is_some_and(|replicas| replicas.most == 1));
        let refused = refused_new_pod(context.model, workload.pods_view()).filter(|_| is_one);
        Some(UpdatedPods {
            name,
            by,
            rollout,
            held,
            replicas,
            nodes,
            is_limited: part.node_requirements().most_nodes().is_some(),
            others,
            copy,
            refused,
            is_stopped_first: stops_only_pod_first(workload.pods_view()),
        })
    };
    pod_groups::divide_pods(workload.template).into_iter().filter_map(finding).collect()
}

impl UpdatedPods<'_> {
    /// Result of the rollout. The flag is true if every possible number of pods has this result.
    fn evaluate(&self) -> Option<(bool, RolloutResult)> {
        let Some(replicas) = self.replicas else { return Some((true, self.evaluate_with(None, When::Now)?)) };
        let Some(nodes) = self.nodes else {
            return Some((true, self.evaluate_with(Some(replicas.fewest), When::Now)?));
        };
        // Rule `replicas-nodes` reports more replicas than nodes.
        let counts = replicas.fewest..=replicas.most.min(nodes);
        let never_ends = |count: &u32| counts.contains(count) && self.evaluate_with(Some(*count), When::Now).is_some();
        // A surge fails if each node has a pod; a second copy of all pods fails if more than half
        // of the nodes have a pod. The range may be large, so only these numbers are tried. If the
        // minimum fails, every number fails.
        let first = [replicas.fewest, (nodes / 2).saturating_add(1), *counts.end()].into_iter().find(never_ends)?;
        let always = first == replicas.fewest;
        let when = if always { When::Now } else { When::While(first) };
        Some((always, self.evaluate_with(Some(first), when)?))
    }

    #[allow(
        clippy::redundant_closure_for_method_calls,
        reason = "a path to the method has one lifetime, and this needs any"
    )]
    /// Result of the update with this number of replicas.
    fn evaluate_with(&self, replicas: Option<u32>, when: When) -> Option<RolloutResult> {
        self.with_update(replicas, when, |update| update.evaluate())
    }

    /// Message about a rollout that finishes but waits; `None` for other rollouts.
    #[allow(
        clippy::redundant_closure_for_method_calls,
        reason = "a path to the method has one lifetime, and this needs any"
    )]
    /// Message about new pods that wait until old pods stop.
    fn waiting_message(&self) -> Option<String> {
        let replicas = self.replicas.zip(self.nodes).map(|(replicas, nodes)| replicas.most.min(nodes));
        self.with_update(replicas, When::Now, |update| update.pending_pods_message())
    }

    /// Calls `ask` with the update of the pods.
    fn with_update<T>(&self, replicas: Option<u32>, when: When, ask: impl FnOnce(&Update<'_>) -> T) -> T {
        let others = match self.others.names.as_slice() {
            [] => String::new(),
            names => {
                format!(" ({} more nodes have pods of {} with the same port)", self.others.pods, names.join(" and "))
            }
        };
        let namespace = self.by.meta.namespace.as_deref();
        let fix = self.refused.map_or(FIX.to_owned(), |refused| refused.with_namespace_selector(FIX, namespace));
        let update = Update {
            name: &self.name,
            rollout: self.rollout,
            replicas,
            port: (self.held.number, self.held.protocol),
            nodes: self.nodes,
            is_limited: self.is_limited,
            others: &others,
            when,
            fix: &fix,
            copy: self.copy,
        };
        ask(&update)
    }

    /// Error about a webhook whose only pod stops before a new pod, which needs the webhook, can start.
    fn deadlock_finding(&self) -> Option<Finding> {
        let message = self.refused?.deadlock_message(self.by.meta.namespace.as_deref());
        let finding = Finding::new(
            Severity::Error,
            ROLLOUT_SURGE,
            format!("{}: its update never finishes: {message}", self.name),
        );
        let finding = finding.on_object(self.by.id).about(self.name.clone()).at(self.rollout.path.clone());
        let fix = "leave out its namespace in the webhook, or run two pods: no new pod starts without the webhook";
        Some(finding.brief(fix, "pods: 1").of_port(self.held.number))
    }

    /// Finding about the update, at the workload.
    fn finding(&self, severity: Severity, message: String) -> Finding {
        let finding = Finding::new(severity, ROLLOUT_SURGE, message).on_object(self.by.id);
        let fix = match UpdateStrategy::from_rollout(self.rollout) {
            _ if self.copy.is_some() => "add nodes or use another strategy".to_owned(),
            _ if self.refused.is_some() => "add a node, or run two pods".to_owned(),
            Some(UpdateStrategy::NewFirst(_)) => "add nodes or use another strategy".to_owned(),
            Some(UpdateStrategy::PerNode { .. }) => format!("write {FIX}"),
            _ if self.is_limited => format!("write {FIX}"),
            _ => format!("write {FIX}, or add a node"),
        };
        let pods =
            self.replicas.zip(self.nodes).map(|(replicas, nodes)| format!("pods: {}, nodes: {nodes}", replicas.most));
        let finding =
            finding.brief(format!("{fix}: a new pod waits for a port that an old pod uses"), pods.unwrap_or_default());
        finding.about(self.name.clone()).at(self.rollout.path.clone()).of_port(self.held.number)
    }
}
