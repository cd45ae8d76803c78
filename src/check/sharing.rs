//! Workloads that the config lets have one port: each pod of one takes a node from the others.

use std::collections::BTreeMap;

use crate::model::pod::never_share_a_node;

use super::situation::Situation;
use super::workload::Workload;

/// The pods of others that take nodes from a workload.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Others {
    /// How many there are.
    pub pods: u32,
    /// Their workloads.
    pub names: Vec<String>,
}

/// The workloads that hold a port which `shared` lets several have.
#[derive(Debug, Default)]
pub(super) struct SharedPorts<'s, 'm>(BTreeMap<(u16, &'s str), Vec<&'s Workload<'m>>>);

impl<'s, 'm> SharedPorts<'s, 'm> {
    /// Those of a situation.
    pub(super) fn of(situation: &'s Situation<'m>) -> Self {
        let mut ports: BTreeMap<_, Vec<&Workload<'m>>> = BTreeMap::new();
        if situation.sharing.is_some() {
            for workload in &situation.workloads {
                for held in workload.template.held_ports() {
                    ports.entry((held.number, held.protocol)).or_default().push(workload);
                }
            }
        }
        Self(ports)
    }

    /// The pods of others that certainly are on nodes of this workload: the nodes of theirs are all among its own.
    pub(super) fn others(&self, situation: &Situation<'m>, workload: &Workload<'m>) -> Others {
        let mut others: BTreeMap<_, u32> = BTreeMap::new();
        for held in workload.template.held_ports() {
            for other in self.0.get(&(held.number, held.protocol)).into_iter().flatten() {
                let shares = situation.sharing.as_ref().is_some_and(|sharing| {
                    other.key != workload.key && sharing.allows(held.number, &workload.key, &other.key)
                });
                if !shares
                    || never_share_a_node(workload.placed(), other.placed())
                    || !situation.nodes.is_within(other.asked(), workload.asked())
                {
                    continue;
                }
                // Pods of a Job come and go.
                let replicas = situation.replicas(situation.updated(other)).filter(|_| !other.meta.is_job());
                let replicas = replicas.map(|replicas| replicas.fewest);
                let per_node =
                    || situation.nodes.eligible(other.asked()).filter(|_| other.meta.gvk.kind == "DaemonSet");
                let pods = replicas.or_else(per_node).unwrap_or_default();
                others.insert(other.meta.to_string(), pods);
            }
        }
        others.retain(|_, pods| *pods > 0);
        let pods = others.values().fold(0_u32, |all, pods| all.saturating_add(*pods));
        Others { pods, names: others.into_keys().collect() }
    }
}
