//! Findings about workloads that move, in addition to their moves.

use super::assignments::Assignments;
use super::attempt_context::AttemptContext;
use super::workload::Workload;
use super::{
    called, function_calls, guesses, host_port_conflicts, mesh, network_policy, node_ports, numbers_outside, old_pods,
    placeholders, pod_conflicts, pod_security, records, service_order, unknown_programs,
};
use crate::judge::host_name;
use crate::judge::nodes::Nodes;
use crate::plan::Plan;

/// Adds the findings about moved workloads that do not block a move.
pub(super) fn add_findings(
    context: &AttemptContext<'_>,
    nodes: &Nodes<'_>,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
    plan: &mut Plan,
) {
    let &AttemptContext { model, targets, all, .. } = context;
    let config = targets.config;
    for workload in workloads {
        pod_conflicts::conflicts(config, workload, assignments, &mut plan.findings);
    }
    pod_security::report_pod_security(model, workloads, plan);
    network_policy::report_network_policies(model, workloads, assignments, plan);
    let findings = &mut plan.findings;
    node_ports::report_node_ports(model, config, nodes, workloads, assignments, findings);
    placeholders::report_placeholders(all, config, workloads, assignments, findings);
    findings.extend(guesses::report_guesses(workloads));
    findings.extend(unknown_programs::report_unknown_programs(model, workloads));
    findings.extend(mesh::report_meshes(model, workloads));
    let version = config.host_network.spec.crossplane.version.as_deref();
    findings.extend(function_calls::report_function_calls(model, version, workloads));
    findings.extend(numbers_outside::report_numbers_outside(model, workloads, assignments));
    let moved = workloads.iter().filter(|workload| !workload.template.on_host_network());
    findings.extend(moved.flat_map(|moved| host_name::findings(model, moved.id.object, moved.pods_view())));
    findings.extend(workloads.iter().filter_map(|workload| host_port_conflicts::overlap(workload, assignments)));
    findings.extend(records::missing(config, workloads, assignments));
    findings.extend(records::records_without_effect(config, workloads, assignments));
    findings.extend(records::of_workloads_elsewhere(config, model, workloads, assignments));
    findings.extend(called::reachable_ports_note(model, workloads, assignments));
    findings.extend(called::ports_without_listener(model, workloads));
    let old_pods = old_pods::report_old_pods(model, workloads, plan);
    let findings = &mut plan.findings;
    findings.extend(old_pods);
    findings.extend(service_order::report_service_order(model, workloads, &plan.moves));
    if !targets.requires_called_by_api_server() {
        findings.extend(called::calls_of_absent_services(model, workloads, assignments));
    }
}
