//! Ports of the node that workloads use.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::listener_evidence::is_outdated_scrape_port;
use super::workload::Workload;
use crate::model::listener::{Binding, Listener};
use crate::model::pod::{AddressOwner, Container};
use crate::model::setting::PortSetting;
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
    /// Address of the node at which the process listens; `None` for all addresses, and for an unknown one.
    pub bound: Option<Bound>,
    /// True if the pod template declares the port, so that the scheduler knows it.
    pub is_declared: bool,
    /// True if the manifest proves the use.
    pub is_certain: bool,
}

/// Address of a node at which a process on the host network listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Loopback address.
    Loopback(IpAddr),
    /// Address of the pod, which is the address of the node.
    Node,
}

impl Bound {
    /// Address in the setting of a port of a container.
    pub fn new(container: &Container, place: &PortSetting) -> Option<Self> {
        let is_of_node = || {
            let owner = container.env_var(place.host_variable()?)?.1.ip?;
            matches!(owner, AddressOwner::Pod | AddressOwner::Node).then_some(Self::Node)
        };
        place.loopback().map(Self::Loopback).or_else(is_of_node)
    }
}

/// Overlap of the addresses of two uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// Both use the same address.
    Same,
    /// The `hostIP` values differ. On the host network they do not restrict a process, which may
    /// listen on all addresses.
    Possible,
    /// The addresses differ.
    Separate,
}

impl Use<'_, '_> {
    /// Display name of the use.
    pub fn display_name(&self) -> String {
        format!("{}, container {}", self.workload.meta, self.container)
    }

    /// Compares the addresses of two uses. Only `0.0.0.0` and an empty address match all addresses.
    /// Source: kubernetes v1.36 kube-scheduler `framework/types.go`, `HostPortInfo.CheckConflict`: no other text is a
    /// wildcard.
    pub fn overlap(&self, other: &Self) -> Overlap {
        let any = |one: &Self| matches!(one.address, "" | "0.0.0.0");
        let is_same = any(self) || any(other) || self.address == other.address;
        // The scheduler compares declared ports by `hostIP` alone.
        let bounds = self.bound.zip(other.bound).filter(|_| !(is_same && self.is_declared && other.is_declared));
        if bounds.is_some_and(|(one, other)| one != other) {
            return Overlap::Separate;
        }
        if is_same {
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

/// Returns the address in all settings of a listener of pods on the host network.
pub fn bound(workload: &Workload<'_>, listener: &Listener) -> Option<Bound> {
    let Binding::Visible(places) = &listener.binding else { return None };
    let container = workload.container(listener).filter(|_| workload.on_host())?;
    let mut addresses = places.iter().map(|place| Bound::new(container, place));
    let first = addresses.next()??;
    addresses.all(|address| address == Some(first)).then_some(first)
}

/// Collects the ports that a workload uses: all listeners on the host network, else the host ports.
pub fn collect<'w, 'm>(workload: &'w Workload<'m>, uses: &mut Uses<'w, 'm>) {
    let on_host = workload.on_host();
    for held in workload.template.held_ports() {
        let is_match = |listener: &&Listener| {
            listener.declared == Some(held.index)
                && workload.container(listener).is_some_and(|container| std::ptr::eq(container, held.container))
        };
        let listener = workload.ports.listeners.iter().find(is_match);
        let port = held.container.ports.iter().flatten().nth(held.index);
        let address = port.map_or("", |port| &*port.host_ip);
        uses.entry((held.number, held.protocol.to_owned())).or_default().push(Use {
            workload,
            container: held.container.name.clone(),
            path: held.container.port_path(held.index),
            listener,
            address,
            bound: listener.and_then(|listener| bound(workload, listener)),
            is_declared: true,
            is_certain: true,
        });
    }
    let undeclared = workload.ports.listeners.iter().filter(|listener| on_host && listener.declared.is_none());
    for listener in undeclared.filter(|listener| !is_outdated_scrape_port(workload, listener)) {
        let container = workload.container(listener);
        uses.entry((listener.number, listener.protocol.to_string())).or_default().push(Use {
            workload,
            container: container.map(|container| container.name.clone()).unwrap_or_default(),
            path: workload.field(listener),
            listener: Some(listener),
            address: "",
            bound: bound(workload, listener),
            is_declared: false,
            is_certain: listener.is_certain(),
        });
    }
}
