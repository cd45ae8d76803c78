//! Admission policies of the input that refuse the pods of moved workloads.

use super::assignments::Assignments;
use super::blocked_moves::BlockedMoves;
use super::workload::Workload;
use crate::api::HostNetworkConfig;
use crate::judge::admission::{Certainty, ContainerPorts, Pods, Policies};
use crate::model::Model;

/// Checks workloads with their final host ports.
pub(super) fn refuse_by_admission_policies(
    model: &Model,
    config: &HostNetworkConfig,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
    found: &mut BlockedMoves,
) {
    let policies = Policies::new(model);
    if policies.is_empty() {
        return;
    }
    for workload in workloads {
        for refusal in policies.rejections(&pods_after_move(config, workload, assignments), |_| true) {
            let finding = refusal.finding(workload.pods_view(), ", or put the workload under `exclude`");
            let finding = finding.on_object(workload.id.object).at(workload.template.spec_path());
            match refusal.certainty {
                Certainty::Refuses => found.add(workload, finding),
                Certainty::May | Certainty::Changes | Certainty::Deletes | Certainty::Unread => {
                    found.findings.push(finding);
                }
            }
        }
    }
}

/// Pods of a workload on the host network, with their final host ports and `dnsPolicy`.
fn pods_after_move<'w>(config: &HostNetworkConfig, workload: &'w Workload<'_>, assignments: &Assignments) -> Pods<'w> {
    let mut pods = Pods::as_written(workload.pods_view());
    pods.host_network = true;
    let is_written = config.host_network.spec.dns_policy.as_str() == "ClusterFirstWithHostNet";
    let dns_policy = workload.template.dns_policy.as_ref().filter(|policy| !policy.is_null());
    pods.host_dns = match dns_policy.map(|policy| policy.text.as_ref()) {
        Some("ClusterFirstWithHostNet") => true,
        None | Some("ClusterFirst" | "") => is_written,
        Some(_) => false,
    };
    for (index, ContainerPorts { container, host_ports }) in pods.containers.iter_mut().enumerate() {
        let mut listeners = workload.listeners.iter().enumerate();
        let own = listeners.by_ref().filter(|(_, listener)| listener.container == index);
        let (mut declared, mut numbers) = (Vec::new(), Vec::new());
        for (position, listener) in own {
            declared.extend(listener.declared);
            let is_written = listener.declared.is_some() || workload.may_declare;
            numbers.extend(assignments.final_number(workload, position).filter(|_| is_written));
        }
        let ports = container.ports.iter().flatten().enumerate();
        numbers.extend(ports.filter(|(at, _)| !declared.contains(at)).filter_map(|(_, port)| port.number()));
        *host_ports = numbers;
    }
    pods
}
