//! What to do with the objects of a model: which listeners move where, and what is in the way.

use std::collections::{BTreeSet, HashMap};

use super::assignments::Assignments;
use super::refusals::Refusals;
use super::rows::{self, PortRow};
use super::target::{Targets, bound};
use super::{
    allocate, called, guesses, host_port_conflicts, keys, left_kinds, mesh, moves, network_policy, node_ports,
    patched_ports, placeholders, pod, pod_conflicts, pod_security, records, replicas_nodes, rollout, rollout_surge,
    unbound, unknown_programs, workload,
};
use crate::crossplane::{Moves, Runtimes, Terms};
use crate::judge::host_name;
use crate::model::facts::package;
use crate::model::reference::AllPods;
use crate::model::{Model, ObjectId, WorkloadId};
use crate::plan::{Finding, Plan, config_object};
use crate::rule::{self, Severity};

/// Decides what to do with the objects of a model.
#[must_use]
pub fn plan(model: &Model, targets: &Targets<'_>) -> Plan {
    decide(model, targets, |_, _, _| ()).0
}

/// The plan, and what was decided for every listener: the rows of `hostnet ports` and `hostnet pin`.
#[must_use]
pub fn plan_with_ports(model: &Model, targets: &Targets<'_>) -> (Plan, Vec<PortRow>) {
    decide(model, targets, |plan, workloads, wanted| rows::rows(model, plan, workloads, wanted))
}

fn decide<T>(
    model: &Model,
    targets: &Targets<'_>,
    also: impl Fn(&Plan, &[workload::Workload<'_>], &Assignments) -> T,
) -> (Plan, T) {
    let config = targets.config;
    let mut first = Plan::default();
    let matched = targets.matching(model, &mut first.findings);
    let packages = targets.packages(model, &matched);
    let crossplane = &config.host_network.spec.crossplane;
    let terms = Terms {
        version: crossplane.version.as_deref(),
        missing: crossplane.missing_runtime_config,
        moves: Some(Moves { functions: crossplane.functions, variables: bound(config) }),
    };
    let runtimes = Runtimes::of(model, &terms, &packages, &mut first.findings);
    first.new.clone_from(&runtimes.new);
    let selected = targets.select(model, &matched, &runtimes, &mut first.findings);
    duplicate_objects(model, &selected, &mut first.findings);
    first.findings.extend(records::unused(config, &selected));
    config_object::among_objects(model, &mut first.findings);
    let all = &all_pods(model, &selected, &runtimes);
    let stays = |workload: &workload::Workload<'_>, findings: &mut Vec<Finding>| {
        pod::forbidden(all, workload, findings)
            || pod::has_other_host_port(config, workload, findings)
            || pod_security::refused(model, config, workload, findings)
    };
    let mut workloads: Vec<_> = selected.into_iter().filter(|workload| !stays(workload, &mut first.findings)).collect();
    let mut left = BTreeSet::new();
    loop {
        let mut plan = first.clone();
        let moving = workloads.iter().map(|workload| workload.owner).collect();
        plan.edits = runtimes.edits(model, &moving);
        plan.findings.extend(runtimes.findings(&moving).cloned());
        let mut wanted = keys::resolve(config, &workloads, &mut plan.findings);
        unbound::keep(&workloads, &mut wanted, &mut plan.findings);
        allocate::allocate(model, &runtimes, config, &workloads, &mut wanted, &mut plan.findings);
        moves::plan(all, &workloads, &mut wanted, &mut plan);
        if plan.findings.iter().any(|finding| finding.rule == rule::PORT_KEY) {
            // Numbers that were not understood are given to nobody: what would follow from that is noise.
            name_packages(&mut plan, model, &runtimes);
            let also = also(&plan, &workloads, &wanted);
            return (plan, also);
        }
        let conflicts = host_port_conflicts::conflicts(model, &runtimes, config, &workloads, &wanted, &left);
        if !conflicts.leave.is_empty() {
            // Two that are in conflict and cannot move both stay behind. Without them other decisions may change, so all is decided again.
            workloads.retain(|workload| !conflicts.leave.contains(&workload.id));
            left.extend(conflicts.leave);
            first.findings.extend(conflicts.stuck);
            continue;
        }
        let within = pod_conflicts::left_for_conflicts(config, &workloads, &wanted, &mut first.findings);
        if !within.is_empty() {
            workloads.retain(|workload| !within.contains(&workload.id));
            left.extend(within);
            continue;
        }
        for workload in &workloads {
            pod::edits(config, workload, &wanted, &mut plan);
            rollout::free_port_first(config, workload, &mut plan);
        }
        let mut refused = Refusals::default();
        rollout_surge::judge(model, config, &workloads, &wanted, &plan, &mut refused);
        replicas_nodes::judge(model, config, &workloads, &wanted, &mut refused);
        patched_ports::judge(all, &workloads, &wanted, &mut refused);
        if !refused.leave.is_empty() {
            workloads.retain(|workload| !refused.leave.contains(&workload.id));
            first.findings.extend(refused.stuck);
            continue;
        }
        plan.findings.extend(refused.findings);
        plan.findings.extend(conflicts.findings);
        for workload in &workloads {
            pod_conflicts::conflicts(config, workload, &wanted, &mut plan.findings);
        }
        pod_security::report(model, &workloads, &mut plan);
        node_ports::report(config, &workloads, &wanted, &mut plan.findings);
        placeholders::report(all, config, &workloads, &wanted, &mut plan.findings);
        plan.findings.extend(left_kinds::beside(&workloads));
        plan.findings.extend(guesses::report(&workloads));
        plan.findings.extend(unknown_programs::report(&workloads));
        plan.findings.extend(mesh::report(model, &workloads));
        let names = |workload: &workload::Workload<'_>| {
            host_name::findings(workload.id.object, workload.meta, workload.template)
        };
        plan.findings.extend(workloads.iter().filter(|workload| !workload.template.on_host_network()).flat_map(names));
        network_policy::warn(model, &workloads, &mut plan.findings);
        plan.findings.extend(workloads.iter().filter_map(|workload| host_port_conflicts::overlap(workload, &wanted)));
        plan.findings.extend(records::missing(config, &workloads, &wanted));
        plan.findings.extend(called::reachable(model, &workloads, &wanted));
        plan.findings.extend(called::unseen(model, &workloads));
        if !targets.follow_calls() {
            plan.findings.extend(called::elsewhere(model, &workloads, &wanted));
        }
        name_packages(&mut plan, model, &runtimes);
        let also = also(&plan, &workloads, &wanted);
        return (plan, also);
    }
}

/// A finding about an object that does not exist yet is moved to the package that the object is made for.
fn name_packages(plan: &mut Plan, model: &Model, runtimes: &Runtimes) {
    for finding in plan.findings.iter_mut().filter(|finding| finding.object >= Some(model.objects().len())) {
        finding.object = finding.object.and_then(|object| runtimes.package_of(object));
        finding.path = None;
    }
}

/// All pods of the input: a package has the template of what it runs as, under the id that its moves have.
fn all_pods<'m>(model: &'m Model, selected: &[workload::Workload<'m>], runtimes: &'m Runtimes) -> AllPods<'m> {
    let moving = selected.iter().filter(|workload| model.workload(workload.id).is_none());
    let moving = moving.map(|workload| (workload.id, workload.meta, workload.template));
    let others =
        runtimes.others().filter_map(|(id, template)| Some((WorkloadId::first(id), &model.object(id)?.meta, template)));
    AllPods::new(model, moving.chain(others))
}

/// The same object twice in one input: it is undefined which of the two the cluster gets. Both places are reported.
fn duplicate_objects(model: &Model, selected: &[workload::Workload<'_>], findings: &mut Vec<Finding>) {
    let mut ids: HashMap<_, Vec<ObjectId>> = HashMap::new();
    // An object is one, however many templates it holds.
    let workloads = model.workloads().filter(|(id, ..)| id.template == 0);
    let workloads = workloads.map(|(id, object, _)| (id.object, &object.meta));
    let all = workloads.chain(model.packages().map(|(id, meta, _)| (id, meta)));
    for (id, meta) in all.filter(|(_, meta)| !meta.name.is_empty()) {
        // Packages are the cluster's (`scope=Cluster`, Crossplane's `apis/pkg/v1`), whatever namespace is written in them.
        let namespace = meta.namespace.as_ref().filter(|_| meta.gvk.group != package::GROUP);
        ids.entry((&meta.gvk.group, &meta.gvk.kind, namespace, &meta.name)).or_default().push(id);
    }
    let selected: BTreeSet<ObjectId> = selected.iter().map(|workload| workload.owner).collect();
    for same in ids.into_values().filter(|ids| ids.len() > 1 && ids.iter().any(|id| selected.contains(id))) {
        for id in same {
            let Some(object) = model.object(id) else { continue };
            let meta = &object.meta;
            let scope = match meta.gvk.group.as_str() {
                package::GROUP => format!(" (a {} has no namespace, so those of one name are one)", meta.gvk.kind),
                _ => String::new(),
            };
            let message =
                format!("{meta} is in the input more than once{scope}; it is undefined which one wins. Remove one");
            findings.push(Finding::new(Severity::Error, rule::DUPLICATE_OBJECT, message).on(id));
        }
    }
}
