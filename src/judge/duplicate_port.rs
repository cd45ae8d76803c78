//! Duplicate host ports in a pod, which the API server rejects.
//!
//! Source: kubernetes v1.37 `pkg/apis/core/validation/validation.go`, `checkHostPortConflicts` and
//! `AccumulateUniqueHostPorts`: host ports of all regular containers together, and of each init container by itself,
//! are compared by protocol, `hostIP` as text, and number. On the host network `pkg/apis/core/v1/defaults.go`,
//! `defaultHostNetworkPorts`, sets them before that, in Pods.

use std::collections::BTreeMap;

use crate::model::pod::{Container, ContainerPort, PodTemplate, Role};
use lossless_yaml::Path;

/// A declared port.
#[derive(Debug, Clone)]
pub struct Declared<'m> {
    /// Container that declares the port.
    pub container: &'m Container,
    /// The port.
    pub port: &'m ContainerPort,
    /// Path of the port in the object.
    pub path: Path,
}

/// Two declared ports with the same protocol, `hostIP` and host port.
#[derive(Debug, Clone)]
pub struct DuplicatePort<'m> {
    /// The host port.
    pub number: u16,
    /// The port that is declared first.
    pub first: Declared<'m>,
    /// The duplicate, which the API server rejects.
    pub second: Declared<'m>,
}

impl DuplicatePort<'_> {
    /// The error of the API server.
    pub fn refusal(&self) -> String {
        let ContainerPort { protocol, host_ip, .. } = self.second.port;
        format!("`{}.hostPort: Duplicate value: \"{protocol}/{host_ip}/{}\"`", self.second.path, self.number)
    }
}

/// Duplicate host ports of a pod template. `on_host` is true if the pods use the host network.
pub fn duplicate_ports(template: &PodTemplate, on_host: bool) -> Vec<DuplicatePort<'_>> {
    let regular = template.containers.iter().filter(|container| container.role == Role::Regular);
    let others = template.containers.iter().filter(|container| container.role != Role::Regular);
    let groups = std::iter::once(regular.collect()).chain(others.map(|container| vec![container]));
    groups.flat_map(|group| duplicates_among(&group, on_host)).collect()
}

/// Duplicate host ports in a group of containers that the API server compares with each other.
fn duplicates_among<'m>(containers: &[&'m Container], on_host: bool) -> Vec<DuplicatePort<'m>> {
    let mut seen: BTreeMap<(&str, &str, u16), Declared<'m>> = BTreeMap::new();
    let mut found = Vec::new();
    for &container in containers {
        for (index, port) in container.ports.iter().flatten().enumerate() {
            let Some(number) = host_port_in_pod(port, on_host) else { continue };
            let declared = Declared { container, port, path: container.port_path(index) };
            match seen.get(&(&*port.protocol, &*port.host_ip, number)) {
                Some(first) => found.push(DuplicatePort { number, first: first.clone(), second: declared }),
                None => _ = seen.insert((&*port.protocol, &*port.host_ip, number), declared),
            }
        }
    }
    found
}

/// Host port of a declared port in the Pod, including the `hostPort` that the API server sets on the host network.
fn host_port_in_pod(port: &ContainerPort, on_host: bool) -> Option<u16> {
    let is_absent = port.host_port.as_ref().is_none_or(|written| written.is_null() || *written.text == *"0");
    if is_absent { port.number().filter(|_| on_host) } else { port.host_number() }
}
