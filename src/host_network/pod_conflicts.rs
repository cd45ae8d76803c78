//! Conflicts between listeners of one pod.

use std::collections::BTreeMap;

use super::assignments::Assignments;
use super::blocked_moves::BlockedMoves;
use super::workload::Workload;
use crate::api::HostNetworkConfig;
use crate::model::listener::Listener;
use crate::plan::Finding;
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// Reports two listeners of one pod with the same final port number and protocol: they share the addresses of the node.
pub(super) fn conflicts(
    config: &HostNetworkConfig,
    workload: &Workload<'_>,
    assignments: &Assignments,
    findings: &mut Vec<Finding>,
) {
    let mut owners: BTreeMap<(u16, &str), (usize, &Listener)> = BTreeMap::new();
    for (position, listener) in workload.listeners.iter().enumerate() {
        let Some(number) = assignments.final_number(workload, position) else { continue };
        let owner = (position, listener);
        if let Some((other_position, other)) = owners.insert((number, listener.protocol.as_ref()), owner) {
            // If the config sets one of the numbers, the message names the line of the config.
            let given =
                [position, other_position].iter().any(|position| assignments.number(workload, *position).is_some());
            let path = Path::dotted("spec.targets").item(workload.target).key("ports");
            let place = if given { format!(" (given at {})", config.place_of(&path)) } else { String::new() };
            let remedy = remedy_for_other_name(workload, [other, listener])
                .or_else(|| Workload::declared_twice(other, listener))
                .unwrap_or_else(|| "Give one of them another number in `ports`".to_owned());
            let message = format!(
                "{} and {} both get port {number}/{}{place}; on the host network a port number can be used only once per node. {remedy}",
                workload.display_name(other),
                workload.display_name(listener),
                listener.protocol
            );
            let finding = Finding::new(Severity::Error, rule::PORT_CONFLICT, message);
            findings.push(finding.on_object(workload.id.object).at(workload.field(listener)).of_port(listener.number));
        }
    }
}

/// Workloads of broad selects with conflicts between their own listeners: each stays unchanged, with a warning.
pub(super) fn unmoved_by_conflicts(
    config: &HostNetworkConfig,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
) -> BlockedMoves {
    let mut refused = BlockedMoves::default();
    for workload in workloads.iter().filter(|workload| !workload.strict) {
        let mut own = Vec::new();
        conflicts(config, workload, assignments, &mut own);
        if !own.is_empty() {
            refused.leave.insert(workload.id);
            refused.blockers.extend(own.into_iter().map(|mut finding| {
                finding.message.push_str(". The workload is not changed");
                finding.as_warning()
            }));
        }
    }
    refused
}

/// Remedy if Crossplane adds the second port and the container already declares it under another
/// name.
fn remedy_for_other_name(workload: &Workload<'_>, [written, implied]: [&Listener; 2]) -> Option<String> {
    let name = implied.name.as_deref()?;
    // Crossplane appends its ports to the ports of the container. Only the ports of the container
    // are in the document.
    let is_same = workload.declared_index(implied).is_none()
        && written.container == implied.container
        && written.number == implied.number;
    is_same.then(|| {
        format!(
            "Crossplane declares {name} itself unless the runtime config has a port of that name: call port {} `{name}`",
            Workload::key(written)
        )
    })
}
