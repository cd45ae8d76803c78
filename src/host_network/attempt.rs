//! An attempt to move workloads: returns a plan, or the workloads that must stay unchanged.

use std::collections::BTreeSet;

use super::assignments::Assignments;
use super::attempt_context::AttemptContext;
use super::blocked_moves::BlockedMoves;
use super::workload::Workload;
use super::{
    admission_policy, allocate, findings, host_port_conflicts, host_port_holders, host_port_use, keys, moves,
    patched_ports, pod, pod_changes, pod_conflicts, pod_security, replicas_nodes, rollout, rollout_surge,
    shared_host_ports, two_templates, unbound,
};
use crate::api::{HostNetworkConfig, Ports};
use crate::crossplane::Runtimes;
use crate::judge::nodes::Nodes;
use crate::model::{Model, WorkloadId};
use crate::plan::{Finding, Plan};
use crate::rule::{self, Severity};

/// Workloads that stay unchanged, and the reasons.
pub(super) struct Unmoved {
    pub(super) workloads: BTreeSet<WorkloadId>,
    /// Workloads with port conflicts, a subset of `workloads`.
    pub(super) collided: BTreeSet<WorkloadId>,
    /// Findings about these workloads.
    pub(super) findings: Vec<Finding>,
}

impl Unmoved {
    /// Result of an attempt in which workloads have conflicting ports.
    fn collided(workloads: BTreeSet<WorkloadId>, findings: Vec<Finding>) -> Self {
        Self { collided: workloads.clone(), workloads, findings }
    }
}

/// Plans the move of all these workloads, and the numbers of their listeners.
pub(super) fn attempt(
    context: &AttemptContext<'_>,
    workloads: &[Workload<'_>],
    mut plan: Plan,
) -> Result<(Plan, Assignments), Unmoved> {
    let &AttemptContext { model, targets, runtimes, all, ref collided } = context;
    let config = targets.config;
    let before = plan.findings.len();
    let moving = workloads.iter().map(|workload| workload.owner).collect();
    plan.edits = runtimes.edits(model, &moving);
    plan.findings.extend(runtimes.findings(&moving).cloned());
    let mut assignments = keys::resolve(config, workloads, &mut plan.findings);
    unbound::keep(model, workloads, &mut assignments, &mut plan.findings);
    let allocate = |assignments: &mut Assignments| allocate::allocate(model, runtimes, config, workloads, assignments);
    let assignments = moves::plan(all, workloads, assignments, allocate, &mut plan);
    if plan.findings.iter().any(|finding| finding.rule == rule::PORT_KEY) {
        // Stop here: listeners of invalid keys have no number, and further findings about them
        // would not help the user.
        name_packages(&mut plan, model, runtimes);
        return Ok((plan, assignments));
    }
    let nodes = Nodes::new(model, config.host_network.spec.nodes.as_ref());
    let others = host_port_holders::host_ports_of_other_workloads(model, runtimes, workloads);
    let uses = host_port_use::uses(model, &others, workloads, &assignments);
    let conflicts = host_port_conflicts::conflicts(model, config, &nodes, &uses, &assignments, collided);
    if !conflicts.leave.is_empty() {
        return Err(Unmoved::collided(conflicts.leave, conflicts.blockers));
    }
    let sharing = shared_host_ports::share_host_ports(config, &nodes, &uses, collided);
    if !sharing.refused.leave.is_empty() {
        return Err(Unmoved::collided(sharing.refused.leave, sharing.refused.blockers));
    }
    let own = pod_conflicts::unmoved_by_conflicts(config, workloads, &assignments);
    if !own.leave.is_empty() {
        return Err(Unmoved::collided(own.leave, own.blockers));
    }
    for workload in workloads {
        let before = plan.edits.len();
        pod::edits(config, workload, &assignments, &mut plan);
        rollout::set_rollout_to_free_port_first(config, workload, &mut plan);
        let own = plan.edits.get(before..).unwrap_or_default();
        let refuses = rollout::refuses_writes(model, workload, own);
        plan.findings.extend(refuses);
    }
    let mut refused = BlockedMoves::default();
    pod_security::refuse_by_pod_security(model, config, workloads, &mut refused);
    admission_policy::refuse_by_admission_policies(model, config, workloads, &assignments, &mut refused);
    rollout_surge::refuse_stuck_rollouts(
        model,
        config,
        workloads,
        &assignments,
        &plan,
        (&nodes, &sharing.taken),
        &mut refused,
    );
    replicas_nodes::refuse_too_few_nodes(model, &nodes, workloads, &assignments, &mut refused);
    patched_ports::refuse_patched_ports(all, workloads, &assignments, &mut refused);
    pod_changes::refuse_injected_ports(model, workloads, &assignments, &mut refused);
    two_templates::refuse_two_templates(model, workloads, &mut refused);
    if !refused.leave.is_empty() {
        return Err(Unmoved { workloads: refused.leave, collided: BTreeSet::new(), findings: refused.blockers });
    }
    plan.findings.extend(refused.findings);
    plan.findings.extend(conflicts.findings);
    plan.findings.extend(sharing.refused.findings);
    findings::add_findings(context, &nodes, workloads, &assignments, &mut plan);
    if let Some(whole) = unmoved_by_errors(config, workloads, plan.findings.get(before..).unwrap_or_default()) {
        return Err(whole);
    }
    name_packages(&mut plan, model, runtimes);
    Ok((plan, assignments))
}

/// Selects workloads with errors that stay unchanged instead of failing the run: workloads of `ports: auto` targets
/// that match several objects, outside of kustomize builds. Their errors become warnings.
fn unmoved_by_errors(config: &HostNetworkConfig, workloads: &[Workload<'_>], found: &[Finding]) -> Option<Unmoved> {
    // Findings of these rules concern the config, not a workload. Inside kustomize, which drops
    // warnings, errors are not downgraded to warnings.
    let is_of_config = |finding: &Finding| [rule::PORT_POOL, rule::PORT_ASSIGNED].contains(&finding.rule);
    let may_stay = |workload: &&Workload<'_>| {
        let target = config.host_network.spec.targets.get(workload.target);
        !workload.strict && !workload.meta.is_in_build() && target.is_some_and(|target| target.ports == Ports::Auto)
    };
    let mut left = BTreeSet::new();
    let mut findings = Vec::new();
    for finding in found.iter().filter(|finding| finding.severity == Severity::Error && !is_of_config(finding)) {
        let workloads = workloads.iter().filter(|workload| Some(workload.id.object) == finding.object);
        let ids: Vec<WorkloadId> = workloads.filter(may_stay).map(|workload| workload.id).collect();
        if !ids.is_empty() {
            left.extend(ids);
            let message = format!("{}. The workload is not changed", finding.message);
            findings.push(Finding { message, ..finding.clone() }.as_warning());
        }
    }
    (!left.is_empty()).then(|| Unmoved { workloads: left, collided: BTreeSet::new(), findings })
}

/// Reports findings about new objects at the packages for which these objects are created.
fn name_packages(plan: &mut Plan, model: &Model, runtimes: &Runtimes) {
    for finding in plan.findings.iter_mut().filter(|finding| finding.object >= Some(model.objects().len())) {
        finding.object = finding.object.and_then(|object| runtimes.package_of(object));
        finding.path = None;
    }
}
