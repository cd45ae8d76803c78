//! One attempt to move workloads: it gives a plan, or names those that are better left whole.

use std::collections::BTreeSet;

use super::around::Around;
use super::assignments::Assignments;
use super::refusals::Refusals;
use super::workload::Workload;
use super::{
    admission_policy, allocate, host_port_conflicts, keys, moves, patched_ports, pod, pod_changes, pod_conflicts,
    pod_security, replicas_nodes, report, rollout, rollout_surge, unbound,
};
use crate::crossplane::Runtimes;
use crate::model::{Model, WorkloadId};
use crate::plan::{Finding, Plan};
use crate::rule;

/// Workloads that are left whole.
pub(super) struct LeftWhole {
    pub(super) workloads: BTreeSet<WorkloadId>,
    /// Those of them whose ports collide.
    pub(super) collided: BTreeSet<WorkloadId>,
    /// What is said of them.
    pub(super) findings: Vec<Finding>,
}

impl LeftWhole {
    fn collided(workloads: BTreeSet<WorkloadId>, findings: Vec<Finding>) -> Self {
        Self { collided: workloads.clone(), workloads, findings }
    }
}

/// The plan in which all these workloads move, with the numbers of their listeners.
pub(super) fn attempt(
    around: &Around<'_>,
    workloads: &[Workload<'_>],
    mut plan: Plan,
) -> Result<(Plan, Assignments), LeftWhole> {
    let &Around { model, targets, runtimes, all, ref collided } = around;
    let config = targets.config;
    let moving = workloads.iter().map(|workload| workload.owner).collect();
    plan.edits = runtimes.edits(model, &moving);
    plan.findings.extend(runtimes.findings(&moving).cloned());
    let mut wanted = keys::resolve(config, workloads, &mut plan.findings);
    unbound::keep(model, workloads, &mut wanted, &mut plan.findings);
    allocate::allocate(model, runtimes, config, workloads, &mut wanted, &mut plan.findings);
    moves::plan(all, workloads, &mut wanted, &mut plan);
    if plan.findings.iter().any(|finding| finding.rule == rule::PORT_KEY) {
        // Numbers that were not understood are given to nobody: what would follow from that is noise.
        name_packages(&mut plan, model, runtimes);
        return Ok((plan, wanted));
    }
    let conflicts = host_port_conflicts::conflicts(model, runtimes, config, workloads, &wanted, collided);
    if !conflicts.leave.is_empty() {
        return Err(LeftWhole::collided(conflicts.leave, conflicts.stuck));
    }
    let own = pod_conflicts::left_for_conflicts(config, workloads, &wanted);
    if !own.leave.is_empty() {
        return Err(LeftWhole::collided(own.leave, own.stuck));
    }
    for workload in workloads {
        let before = plan.edits.len();
        pod::edits(config, workload, &wanted, &mut plan);
        rollout::free_port_first(config, workload, &mut plan);
        let own = plan.edits.get(before..).unwrap_or_default();
        let refuses = rollout::refuses_writes(model, workload, own);
        plan.findings.extend(refuses);
    }
    let mut refused = Refusals::default();
    pod_security::judge(model, config, workloads, &mut refused);
    admission_policy::judge(model, workloads, &wanted, &mut refused);
    rollout_surge::judge(model, config, workloads, &wanted, &plan, &mut refused);
    replicas_nodes::judge(model, config, workloads, &wanted, &mut refused);
    patched_ports::judge(all, workloads, &wanted, &mut refused);
    pod_changes::judge(model, workloads, &wanted, &mut refused);
    if !refused.leave.is_empty() {
        return Err(LeftWhole { workloads: refused.leave, collided: BTreeSet::new(), findings: refused.stuck });
    }
    plan.findings.extend(refused.findings);
    plan.findings.extend(conflicts.findings);
    report::report(around, workloads, &wanted, &mut plan);
    name_packages(&mut plan, model, runtimes);
    Ok((plan, wanted))
}

/// A finding about an object that does not exist yet is moved to the package that the object is made for.
fn name_packages(plan: &mut Plan, model: &Model, runtimes: &Runtimes) {
    for finding in plan.findings.iter_mut().filter(|finding| finding.object >= Some(model.objects().len())) {
        finding.object = finding.object.and_then(|object| runtimes.package_of(object));
        finding.path = None;
    }
}
