//! Node ports of the Services of the input, by number.

use std::collections::BTreeMap;

use super::context::CheckContext;
use super::facts::KindFacts;
use super::facts::node_ports::ServiceNodePort;
use super::workload::Workload;
use crate::model::pod::ContainerPort;
use crate::model::{Meta, ObjectId};

/// A Service with a port of every node.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServicePort<'m> {
    pub(super) id: ObjectId,
    pub(super) meta: &'m Meta,
    pub(super) port: &'m ServiceNodePort,
}

/// Written node ports of Services, by number.
#[derive(Debug)]
pub(super) struct ServicePorts<'m>(pub(super) BTreeMap<u16, Vec<ServicePort<'m>>>);

impl<'m> ServicePorts<'m> {
    pub(super) fn new(context: &CheckContext<'m>) -> Self {
        let services = context.all_of(|facts| match facts {
            KindFacts::NodePorts(ports) => Some(ports),
            _ => None,
        });
        let mut by_number: BTreeMap<u16, Vec<ServicePort<'m>>> = BTreeMap::new();
        for (id, meta, ports) in services {
            for port in ports {
                if let Some(number) = port.number {
                    by_number.entry(number).or_default().push(ServicePort { id, meta, port });
                }
            }
        }
        Self(by_number)
    }

    /// Name of a Service that uses a port of the nodes and does not target the same port of these pods; `target` is the
    /// container port by number and as declared.
    pub(super) fn other(
        &self,
        context: &CheckContext<'_>,
        workload: &Workload<'_>,
        (number, protocol): (u16, &str),
        target: (Option<u16>, Option<&ContainerPort>),
    ) -> Option<String> {
        let same = self.0.get(&number)?.iter().filter(|one| &*one.port.protocol == protocol);
        let mut together = same.filter(|one| !context.are_alternatives(one.id, workload.object));
        together.find(|one| !one.leads_to(context, workload, target)).map(|one| one.meta.to_string())
    }
}

impl ServicePort<'_> {
    /// True if the Service targets this port of the pods.
    fn leads_to(
        &self,
        context: &CheckContext<'_>,
        workload: &Workload<'_>,
        (number, declared): (Option<u16>, Option<&ContainerPort>),
    ) -> bool {
        let Some((meta, service)) = context.model.service(self.id) else { return false };
        let port = self.port.index.and_then(|index| service.ports.get(index));
        let name = declared.and_then(|declared| declared.name.as_deref());
        port.is_some_and(|port| port.dials(number, name))
            && is_same_namespace(meta, workload.meta)
            && service.selects(&workload.template.labels)
    }
}

/// True if the namespaces are equal, or one of them is missing in the manifest.
fn is_same_namespace(one: &Meta, other: &Meta) -> bool {
    one.namespace.as_ref().zip(other.namespace.as_ref()).is_none_or(|(one, other)| one == other)
}
