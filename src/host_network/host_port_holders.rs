//! Host ports of workloads and packages that are not selected.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::workload::Workload;
use crate::crossplane::Runtimes;
use crate::model::listener::{Hints, ports};
use crate::model::pod::{Container, HeldPort, PodTemplate};
use crate::model::{Meta, Model, WorkloadId};
use lossless_yaml::Path;

/// Host port of a workload or package that no target matches.
pub(super) struct HostPortHolder<'m> {
    pub(super) id: WorkloadId,
    pub(super) template: &'m PodTemplate,
    pub(super) container: &'m Container,
    /// Position in the container's ports; `None` for an undeclared listener.
    declared: Option<usize>,
    pub(super) number: u16,
    pub(super) protocol: Cow<'m, str>,
}

impl HostPortHolder<'_> {
    /// True if the pod template declares the port.
    pub(super) fn is_declared(&self) -> bool {
        self.declared.is_some()
    }

    /// Field for findings: the declared port, else the container.
    pub(super) fn path(&self) -> Path {
        self.declared.map_or_else(|| self.container.path.clone(), |index| self.container.port_path(index))
    }
}

/// Lists the host ports of workloads and packages that are not selected: their declared host ports, and all their
/// listeners if they are on the host network.
pub(super) fn host_ports_of_other_workloads<'m>(
    model: &'m Model,
    runtimes: &'m Runtimes,
    workloads: &[Workload<'_>],
) -> Vec<HostPortHolder<'m>> {
    let selected: BTreeSet<WorkloadId> = workloads.iter().map(|workload| workload.id).collect();
    let others = model.workloads().map(|(id, object, template)| (id, &object.meta, template));
    let others = others.filter(|(id, ..)| !selected.contains(id));
    let packages =
        runtimes.others().filter_map(|(id, template)| Some((WorkloadId::first(id), &model.object(id)?.meta, template)));
    others.chain(packages).flat_map(|(id, meta, template)| template_holders(model, id, meta, template)).collect()
}

/// Lists the host ports that pods of this template use before the run.
fn template_holders<'m>(
    model: &Model,
    id: WorkloadId,
    meta: &Meta,
    template: &'m PodTemplate,
) -> Vec<HostPortHolder<'m>> {
    let declared = template.held_ports().map(|HeldPort { container, index, number, protocol }| HostPortHolder {
        id,
        template,
        container,
        declared: Some(index),
        number,
        protocol: protocol.into(),
    });
    let mut holds: Vec<HostPortHolder<'m>> = declared.collect();
    if template.on_host_network() {
        let listeners = ports(model, meta, template, &Hints::default()).listeners;
        holds.extend(listeners.into_iter().filter(|listener| listener.declared.is_none()).filter_map(|listener| {
            let container = template.containers.get(listener.container)?;
            let (number, protocol) = (listener.number, listener.protocol);
            Some(HostPortHolder { id, template, container, declared: None, number, protocol })
        }));
    }
    holds
}
