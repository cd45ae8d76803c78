//! Node ports of the Services of the input, by number.

use std::collections::BTreeMap;

use super::context::CheckContext;
use super::workload::Workload;
use crate::model::facts::ServiceNodePort;
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
        let mut by_number: BTreeMap<u16, Vec<ServicePort<'m>>> = BTreeMap::new();
        for (id, meta, port) in context.model.service_node_ports() {
            if let Some(number) = port.number {
                by_number.entry(number).or_default().push(ServicePort { id, meta, port });
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
        let (target, name) = (target.0, target.1.and_then(|declared| declared.name.as_deref()));
        let is_own = |one: &ServicePort<'_>| {
            context.model.is_node_port_of((one.id, one.port), workload.pods_view(), target, name)
        };
        together.find(|one| !is_own(one)).map(|one| one.meta.to_string())
    }
}
