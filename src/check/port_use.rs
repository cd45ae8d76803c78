//! Ports of the node that workloads use.

use std::collections::BTreeMap;

use super::listener_evidence::is_left_behind;
use super::workload::Workload;
use crate::model::listener::Listener;
use lossless_yaml::Path;

/// Port of the node that a workload uses.
#[derive(Debug)]
pub struct Use<'w, 'm> {
    /// Workload with the port.
    pub workload: &'w Workload<'m>,
    /// Name of the container.
    pub container: String,
    /// Field of the port, or of the container of an undeclared port.
    pub path: Path,
    /// Listener on the port; `None` for a `hostPort` without a known listener.
    pub listener: Option<&'w Listener>,
    /// The `hostIP`; empty for all addresses.
    pub address: &'m str,
    /// True if the pod template declares the port, so that the scheduler knows it.
    pub is_declared: bool,
    /// True if the manifest proves the use.
    pub is_certain: bool,
}

/// Overlap of the addresses of two uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// Both use the same address.
    Same,
    /// The `hostIP` values differ, but do not bind processes on the host network: one may listen on all addresses.
    Possible,
    /// The addresses differ.
    Separate,
}

impl Use<'_, '_> {
    /// Display name of the use.
    #[must_use]
    pub fn display_name(&self) -> String {
        format!("{}, container {}", self.workload.meta, self.container)
    }

    /// Compares the addresses of two uses. Only `0.0.0.0` and an empty address match all addresses.
    /// Source: kubernetes v1.36 kube-scheduler `framework/types.go`, `HostPortInfo.CheckConflict`: no other text is a
    /// wildcard.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> Overlap {
        let any = |one: &Self| matches!(one.address, "" | "0.0.0.0");
        if any(self) || any(other) || self.address == other.address {
            Overlap::Same
        } else if self.workload.on_host() || other.workload.on_host() {
            Overlap::Possible
        } else {
            Overlap::Separate
        }
    }
}

/// Uses by number and protocol.
pub type Uses<'w, 'm> = BTreeMap<(u16, String), Vec<Use<'w, 'm>>>;

/// Collects the ports that a workload uses: all listeners on the host network, else the host ports.
pub fn collect<'w, 'm>(workload: &'w Workload<'m>, uses: &mut Uses<'w, 'm>) {
    let on_host = workload.on_host();
    for held in workload.template.held_ports() {
        let is_match = |listener: &&Listener| {
            listener.declared == Some(held.index)
                && workload.container(listener).is_some_and(|container| std::ptr::eq(container, held.container))
        };
        let port = held.container.ports.iter().flatten().nth(held.index);
        let address = port.map_or("", |port| &*port.host_ip);
        uses.entry((held.number, held.protocol.to_owned())).or_default().push(Use {
            workload,
            container: held.container.name.clone(),
            path: held.container.port_path(held.index),
            listener: workload.ports.listeners.iter().find(is_match),
            address,
            is_declared: true,
            is_certain: true,
        });
    }
    let undeclared = workload.ports.listeners.iter().filter(|listener| on_host && listener.declared.is_none());
    for listener in undeclared.filter(|listener| !is_left_behind(workload, listener)) {
        let container = workload.container(listener);
        uses.entry((listener.number, listener.protocol.to_string())).or_default().push(Use {
            workload,
            container: container.map(|container| container.name.clone()).unwrap_or_default(),
            path: workload.field(listener),
            listener: Some(listener),
            address: "",
            is_declared: false,
            is_certain: listener.is_certain(),
        });
    }
}
