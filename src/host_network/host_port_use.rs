//! Final host ports of workloads.

use std::collections::BTreeMap;

use super::assignments::Assignments;
use super::host_port_holders::HostPortHolder;
use super::workload::{Workload, has_host_port};
use crate::api::{HostNetworkConfig, Ports, Sharing};
use crate::catalog::PackageKind;
use crate::judge::free_nodes::Holder;
use crate::model::facts::PodsView;
use crate::model::index::{Owners, object_key, workload_key};
use crate::model::pod::{Placed, PodTemplate, never_share_a_node};
use crate::model::{Meta, Model, WorkloadId};
use crate::plan::Finding;
use lossless_yaml::Path;

/// Use of a host port by a workload.
pub(super) struct HostPortUse<'m> {
    pub(super) id: WorkloadId,
    pub(super) meta: &'m Meta,
    pub(super) template: &'m PodTemplate,
    /// Minimum number of pods; `None` if each node has one or the number is unknown.
    pub(super) count: Option<u32>,
    /// Claims of the pods whose volumes only one node can mount.
    claims: Vec<&'m str>,
    /// Key of the root owner of the pods, or of the object without an owner.
    owner: String,
    /// Key of the workload: `owner`, with the template name for objects that may have several templates.
    pub(super) key: String,
    /// Listener, or port of an unselected workload, that uses the host port.
    pub(super) place: PortSource<'m>,
}

/// Source of a host port: a listener, or a port of an unselected workload.
#[derive(Clone, Copy)]
pub(super) enum PortSource<'m> {
    /// A listener of a selected workload.
    Listener(&'m Workload<'m>, usize),
    /// Port of a workload or package that is not selected.
    Held(&'m HostPortHolder<'m>),
}

impl HostPortUse<'_> {
    /// True if a target of the config selects the workload.
    pub(super) fn is_selected(&self) -> bool {
        matches!(self.place, PortSource::Listener(..))
    }

    /// Display name of the listener or container that uses the port.
    pub(super) fn display_name(&self) -> String {
        match self.place {
            PortSource::Listener(workload, position) => {
                workload.listeners.get(position).map(|listener| workload.display_name(listener)).unwrap_or_default()
            }
            PortSource::Held(hold) => format!("{}, container {}", self.pods(), hold.container.name),
        }
    }

    /// Field for findings about the port.
    pub(super) fn path(&self) -> Path {
        match self.place {
            PortSource::Listener(workload, position) => {
                workload.listeners.get(position).map_or_else(Path::root, |listener| workload.field(listener))
            }
            PortSource::Held(hold) => hold.path(),
        }
    }

    /// True if the target has `ports: auto` and the listener keeps its current number.
    pub(super) fn is_unmoved_auto(&self, config: &HostNetworkConfig, assignments: &Assignments) -> bool {
        let PortSource::Listener(workload, position) = self.place else { return false };
        // Functions move only if the config names their ports.
        if PackageKind::from_meta(workload.meta) == Some(PackageKind::Function) {
            return false;
        }
        let target = config.host_network.spec.targets.get(workload.target);
        assignments.number(workload, position).is_none() && target.is_some_and(|target| target.ports == Ports::Auto)
    }

    /// Findings that block another port number, except findings about the setting of the process.
    pub(super) fn blocking_findings<'w>(&self, assignments: &'w Assignments) -> &'w [Finding] {
        match self.place {
            PortSource::Listener(workload, position) => assignments.blockers(workload, position),
            PortSource::Held(_) => &[],
        }
    }

    pub(super) fn pods(&self) -> PodsView<'_> {
        PodsView { meta: self.meta, template: self.template }
    }

    /// The pods with their node requirements.
    pub(super) fn placed(&self) -> Placed<'_> {
        Placed {
            namespace: self.pods().namespace(),
            labels: &self.template.labels,
            placement: self.template.placement.as_deref(),
            claims: &self.claims,
        }
    }

    /// Converts the use to a [`Holder`], to check if the scheduler keeps the pods of two workloads on different nodes.
    pub(super) fn holder(&self) -> Holder<'_> {
        let is_declared = match self.place {
            // hostnet declares each port of a selected workload, if its template may declare ports.
            PortSource::Listener(workload, position) => {
                let listener = workload.listeners.get(position);
                workload.may_declare || listener.is_some_and(|listener| listener.declared.is_some())
            }
            PortSource::Held(hold) => hold.is_declared(),
        };
        Holder { requirements: self.template.into(), pods: self.count, is_declared, placed: self.placed() }
    }

    /// True for a selected workload that may stay unchanged: the config neither names it nor sets its port numbers.
    pub(super) fn may_stay(&self, config: &HostNetworkConfig) -> bool {
        let PortSource::Listener(workload, _) = self.place else { return false };
        let target = config.host_network.spec.targets.get(workload.target);
        !workload.named && target.is_some_and(|target| target.ports == Ports::Auto)
    }

    /// True if the pods use the host port before this run.
    pub(super) fn uses_port_before_run(&self) -> bool {
        match self.place {
            PortSource::Listener(workload, position) => has_host_port(workload, position),
            PortSource::Held(_) => true,
        }
    }
}

/// Host ports with more than one use after the move, by number and protocol, each with all its uses.
pub(super) fn uses<'m>(
    model: &'m Model,
    others: &'m [HostPortHolder<'m>],
    workloads: &'m [Workload<'m>],
    assignments: &Assignments,
) -> BTreeMap<(u16, &'m str), Vec<HostPortUse<'m>>> {
    let owners = Owners::new(model);
    let several = uses_by_port(others, workloads, assignments).into_iter().filter(|(_, places)| places.len() > 1);
    let of_place = |(id, place): (WorkloadId, PortSource<'m>)| {
        let (meta, template) = match place {
            PortSource::Listener(workload, _) => (workload.meta, workload.template),
            PortSource::Held(hold) => (&model.object(id.object)?.meta, hold.template),
        };
        // A Pod or ReplicaSet counts as its topmost owner, even if the owner is not in the input.
        let (owner, _) = owners.root(meta, template);
        let key = if owner == object_key(meta) { workload_key(PodsView { meta, template }) } else { owner.clone() };
        let count = model.fewest_replicas(meta, template.pods);
        let claims = model.claims_of_one_node(meta.namespace.as_deref(), template);
        Some(HostPortUse { id, meta, template, count, claims, owner, key, place })
    };
    several
        .map(|(port, places)| {
            let mut uses: Vec<HostPortUse<'m>> = places.into_iter().filter_map(of_place).collect();
            // Pods that run on every node conflict with all other pods. Sorted last, they are compared with all others,
            // whatever the order of the input.
            uses.sort_by_key(|one| one.count.is_none());
            (port, uses)
        })
        .collect()
}

/// True if two workloads may use the same host port: by `shared`, or because no two of their pods run on one node.
pub(super) fn may_share(sharing: &Sharing<'_>, number: u16, one: &HostPortUse<'_>, other: &HostPortUse<'_>) -> bool {
    sharing.allows(number, &one.key, &other.key) || never_meet(one, other)
}

/// True for two uses by one workload, and by workloads whose pods never run on one node.
pub(super) fn never_meet(one: &HostPortUse<'_>, other: &HostPortUse<'_>) -> bool {
    // Two templates of one object are two workloads, but Pods that a controller created may belong to any of its
    // templates.
    let is_one = one.owner == other.owner && (one.key == other.key || [one, other].iter().any(|o| o.key == o.owner));
    is_one || never_share_a_node(one.placed(), other.placed())
}

/// Final uses of host ports, by number and protocol.
type UsesByPort<'m> = BTreeMap<(u16, &'m str), Vec<(WorkloadId, PortSource<'m>)>>;

/// Collects the uses of each host port after the move.
fn uses_by_port<'m>(
    others: &'m [HostPortHolder<'m>],
    workloads: &'m [Workload<'m>],
    assignments: &Assignments,
) -> UsesByPort<'m> {
    let mut held = UsesByPort::new();
    for workload in workloads {
        for (position, listener) in workload.listeners.iter().enumerate() {
            let Some(number) = assignments.final_number(workload, position) else { continue };
            let place = PortSource::Listener(workload, position);
            held.entry((number, listener.protocol.as_ref())).or_default().push((workload.id, place));
        }
    }
    for hold in others {
        held.entry((hold.number, hold.protocol.as_ref())).or_default().push((hold.id, PortSource::Held(hold)));
    }
    held
}

/// Remedy text with the `shared` entry that lets workloads hold the same port.
pub(super) fn share(number: u16, occupants: &[&HostPortUse<'_>]) -> String {
    let keys: Vec<&str> = occupants.iter().map(|occupant| occupant.key.as_str()).collect();
    format!(
        "If they never share a node, write `shared: [{{port: {number}, between: [{}]}}]` in the spec",
        keys.join(", ")
    )
}
