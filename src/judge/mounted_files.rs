//! Ports in mounted files of programs that the catalogue does not know.

use std::collections::HashMap;

use crate::model::listener::{File, WorkloadView, ports_of_files};
use crate::model::pod::{Container, ContainerPort, TCP};
use crate::model::{Model, WorkloadId};
use crate::plan::listed;

/// Maximum number of ports and files in a message.
const LISTED: usize = 5;

/// Ports that mounted files show, for messages.
#[derive(Debug)]
pub(crate) struct MountedPorts {
    /// Lowest port.
    pub(crate) first: u16,
    /// Ports: `8080, 9090`.
    pub(crate) numbers: String,
    /// Text with the files that show the ports.
    pub(crate) files: String,
}

/// Declared TCP ports, each with the first two workloads that declare it.
type DeclaredPorts = HashMap<u16, Vec<WorkloadId>>;

/// Index of mounted ConfigMap files and the ports that their readers declare. If several programs read a file, a port
/// in it belongs to the program that declares it.
#[derive(Debug)]
pub(crate) struct MountedFiles<'m> {
    model: &'m Model,
    /// Ports that the readers of a file declare, by namespace and file; cached, because many pods may read one file.
    declared: HashMap<(Option<&'m str>, File<'m>), DeclaredPorts>,
}

impl<'m> MountedFiles<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Self { model, declared: HashMap::new() }
    }

    /// Ports of addresses such as `0.0.0.0:8080` in the files of a container, except ports of known listeners and ports
    /// that another reader of the file declares; `None` without such ports.
    pub(crate) fn ports(&mut self, pods: &WorkloadView<'m>, container: &'m Container) -> Option<MountedPorts> {
        let model = self.model;
        let is_known = |file: File<'m>, port: u16| {
            pods.listeners.iter().any(|listener| listener.number == port) || self.is_of_other_program(pods, file, port)
        };
        let (numbers, files): (Vec<u16>, Vec<String>) =
            ports_of_files(model, pods, container, is_known).into_iter().unzip();
        let first = *numbers.first()?;
        Some(MountedPorts { first, numbers: listed(numbers, LISTED), files: listed(files, LISTED) })
    }

    /// True if another workload reads the file and declares the port.
    fn is_of_other_program(&mut self, pods: &WorkloadView<'m>, file: File<'m>, port: u16) -> bool {
        let (model, namespace) = (self.model, pods.meta.namespace.as_deref());
        let declared = self.declared.entry((namespace, file)).or_insert_with(|| {
            let mut declared = DeclaredPorts::new();
            for id in model.readers(namespace, file.0, file.1) {
                let containers = model.workload(id).into_iter().flat_map(|(_, template)| template.running());
                let ports = containers.flat_map(|(_, container)| container.ports.iter().flatten());
                for number in ports.filter(|port| port.protocol == TCP).filter_map(ContainerPort::number) {
                    let known = declared.entry(number).or_default();
                    if known.len() < 2 && !known.contains(&id) {
                        known.push(id);
                    }
                }
            }
            declared
        });
        declared.get(&port).is_some_and(|ids| ids.iter().any(|id| *id != pods.id))
    }
}
