//! Processes of the nodes themselves.

use std::collections::BTreeSet;

use super::holder::{Certainty, HolderKind, OnNodes, PortHolder};
use super::pods::Pods;
use crate::catalog::{self, NodePortUse};
use crate::check::CheckContext;
use crate::check::facts::KindFacts;

/// Port of every kubelet, unless Nodes of the input report another one.
const KUBELET: &str = "kubelet";

/// Processes of every node; processes of some nodes only where a pod has their port.
pub(super) fn holders(context: &CheckContext<'_>, pods: &Pods) -> Vec<PortHolder> {
    let kubelets = context.all_of(|facts| match facts {
        KindFacts::Kubelet(number) => Some(number),
        _ => None,
    });
    let kubelets: BTreeSet<u16> = kubelets.map(|(.., number)| *number).collect();
    let rows = catalog::node_ports().iter().filter(|row| {
        let port = (row.port, row.protocol);
        let counts = match row.seen {
            NodePortUse::Always => row.owner != KUBELET || kubelets.is_empty(),
            NodePortUse::Often => pods.on_process_ports.contains(&port),
        };
        counts && !pods.processes.contains(&port)
    });
    let of_catalog = rows.map(|row| {
        let (certainty, nodes, evidence) = match row.seen {
            NodePortUse::Always => (Certainty::Certain, OnNodes::All, "every node"),
            NodePortUse::Often => (Certainty::Possible, OnNodes::Unknown, "nodes that run it"),
        };
        PortHolder {
            protocol: Some(row.protocol.to_owned()),
            certainty,
            evidence: evidence.to_owned(),
            nodes,
            ..PortHolder::of_range(row.port, row.port, HolderKind::NodeProcess, row.owner)
        }
    });
    let of_nodes = kubelets.iter().map(|number| PortHolder {
        protocol: Some("TCP".to_owned()),
        evidence: "status of Nodes".to_owned(),
        ..PortHolder::of_range(*number, *number, HolderKind::NodeProcess, KUBELET)
    });
    of_catalog.chain(of_nodes).collect()
}
