//! A port of their node that the pods of a workload hold once they have moved: no two of them fit on one node.

use std::collections::BTreeSet;

use super::assignments::Assignments;
use super::workload::Workload;

/// The port: one that they hold already, if there is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct PortOfNode<'w> {
    /// Number and protocol.
    pub(super) port: (u16, &'w str),
    /// Whether they hold it already.
    pub(super) is_kept: bool,
}

impl<'w> PortOfNode<'w> {
    pub(super) fn of(workload: &'w Workload<'w>, wanted: &'w Assignments) -> Option<Self> {
        let before = held(workload);
        let after: Vec<(u16, &str)> = ends_on(workload, wanted).collect();
        let kept = after.iter().find(|port| before.contains(*port));
        let port = *kept.or(after.first())?;
        Some(Self { port, is_kept: kept.is_some() })
    }
}

/// The ports of their node that the pods take now, as far as they are seen: on the host network all that they listen on.
fn held<'w>(workload: &'w Workload<'_>) -> BTreeSet<(u16, &'w str)> {
    let on_host = workload.template.on_host_network();
    let listeners = workload.listeners.iter().filter(|_| on_host);
    let listeners = listeners.map(|listener| (listener.number, listener.protocol.as_ref()));
    workload.template.held_ports().map(|held| (held.number, held.protocol)).chain(listeners).collect()
}

/// The ports of their node that they take in the end.
fn ends_on<'w>(workload: &'w Workload<'_>, wanted: &'w Assignments) -> impl Iterator<Item = (u16, &'w str)> {
    let listeners = workload.listeners.iter().enumerate();
    listeners
        .filter_map(|(position, listener)| Some((wanted.final_number(workload, position)?, listener.protocol.as_ref())))
}
