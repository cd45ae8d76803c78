//! Host ports of workloads that conflict with `assigned` of a `HostNetwork`.

use super::context::CheckContext;
use super::workload::Workload;
use crate::api::{HostNetworkSpec, PortRange, recorded_owners};
use crate::judge::node_port::recorded_for_another;
use crate::model::facts::PodsView;
use crate::model::index::workload_key;
use crate::model::pod::TCP;
use crate::plan::Finding;
use crate::rule::{PORT_CONFLICT, Severity};

/// Reports host ports that `assigned` records for another workload, which may be outside of the input, and unrecorded
/// host ports of `portPool` if `assigned` is not empty. TCP and UDP of one number are two ports.
pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let Some(spec) = context.settings.host_network.filter(|spec| !spec.assigned.is_empty()) else {
        return Vec::new();
    };
    let given = recorded_owners(spec);
    let mut findings = Vec::new();
    for workload in &context.workloads {
        let own_keys =
            [workload.key.clone(), workload_key(PodsView { meta: workload.meta, template: workload.template })];
        for held in workload.template.held_ports() {
            let recorded = given.get(&held.number).map_or(&[][..], Vec::as_slice);
            let is_own = |owner: &str| own_keys.iter().any(|own_key| own_key == owner);
            let counts =
                |owner: &&&str| is_own(owner) || uses_recorded_port(context, owner, held.number, held.protocol);
            let owners: Vec<&str> = recorded.iter().filter(counts).copied().collect();
            let found = if owners.is_empty() && !recorded.is_empty() {
                None
            } else {
                reserved_number_message(context, spec, &owners, held.number, workload, is_own)
            };
            let Some((what, fix)) = found else { continue };
            let message = format!("{}, container {}: {what}", workload.meta, held.container.name);
            let finding = Finding::new(Severity::Warning, PORT_CONFLICT, message).on_object(workload.object);
            let finding = finding.at(held.container.port_path(held.index)).of_port(held.number);
            findings.push(finding.brief(fix, held.number.to_string()));
        }
    }
    findings
}

/// True if the owner of a recorded number uses it with this protocol. A record has no protocol; it
/// counts as TCP if the input does not show the port.
fn uses_recorded_port(context: &CheckContext<'_>, owner: &str, number: u16, protocol: &str) -> bool {
    let is_match = |workload: &&Workload<'_>| workload.key == owner || workload_key(workload.pods_view()) == owner;
    let ports = context.workloads.iter().filter(is_match).flat_map(|workload| workload.template.held_ports());
    let mut protocols = ports.filter(|held| held.number == number).map(|held| held.protocol).peekable();
    if protocols.peek().is_none() { *protocol == *TCP } else { protocols.any(|held| held == protocol) }
}

/// Message and remedy for a workload that uses a number which `assigned` records for another
/// workload, or which `auto` may assign.
fn reserved_number_message(
    context: &CheckContext<'_>,
    spec: &HostNetworkSpec,
    owners: &[&str],
    number: u16,
    workload: &Workload<'_>,
    is_own: impl Fn(&str) -> bool,
) -> Option<(String, &'static str)> {
    if owners.iter().any(|owner| is_own(owner)) {
        return None;
    }
    let may =
        |owner: &&&str| context.sharing.as_ref().is_some_and(|sharing| sharing.allows(number, owner, &workload.key));
    if let Some(owner) = owners.iter().find(|owner| !may(owner)) {
        return Some((
            recorded_for_another(number, owner),
            "give it another port, or list it under `shared`: `assigned` gives this port to another workload",
        ));
    }
    let pool = spec.port_pool.unwrap_or(PortRange::POOL);
    let is_free =
        owners.is_empty() && pool.contains(number) && !spec.reserved.iter().any(|range| range.contains(number));
    is_free.then(|| {
        let what = format!(
            "it has port {number} of its node, which is in `portPool` of the config and not in `assigned`: `auto` may \
             give the port to another workload in another run. Record it with `hostnet pin`, or list it under \
             `reserved`"
        );
        (what, "record it with `hostnet pin`, or list it under `reserved`: `auto` may give it to another workload")
    })
}
