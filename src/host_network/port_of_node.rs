//! Host port of the pods of a moved workload: no two of these pods fit on one node.

use std::collections::BTreeSet;

use super::assignments::Assignments;
use super::workload::Workload;

/// Host port of moved pods: a port that the pods already use, if such a port exists.
#[derive(Debug, Clone, Copy)]
pub(super) struct PortOfNode<'w> {
    /// Number and protocol.
    pub(super) port: (u16, &'w str),
    /// True if the pods already use the port.
    pub(super) is_kept: bool,
}

impl<'w> PortOfNode<'w> {
    pub(super) fn new(workload: &'w Workload<'w>, assignments: &'w Assignments) -> Option<Self> {
        let before = host_ports_before(workload);
        let after: Vec<(u16, &str)> = final_ports(workload, assignments).collect();
        let kept = after.iter().find(|port| before.contains(*port));
        let port = *kept.or(after.first())?;
        Some(Self { port, is_kept: kept.is_some() })
    }
}

/// Known host ports of the pods before the move; for pods on the host network, the ports of all listeners.
fn host_ports_before<'w>(workload: &'w Workload<'_>) -> BTreeSet<(u16, &'w str)> {
    let on_host = workload.template.on_host_network();
    let listeners = workload.listeners.iter().filter(|_| on_host);
    let listeners = listeners.map(|listener| (listener.number, listener.protocol.as_ref()));
    workload.template.held_ports().map(|held| (held.number, held.protocol)).chain(listeners).collect()
}

/// Final ports of the listeners.
fn final_ports<'w>(workload: &'w Workload<'_>, assignments: &'w Assignments) -> impl Iterator<Item = (u16, &'w str)> {
    let listeners = workload.listeners.iter().enumerate();
    listeners.filter_map(|(position, listener)| {
        Some((assignments.final_number(workload, position)?, listener.protocol.as_ref()))
    })
}
