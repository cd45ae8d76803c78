//! Processes of the nodes themselves.

use super::holder::{Certainty, HolderKind, OnNodes, PortHolder};
use super::pods::Pods;
use crate::catalog::{self, KUBELET, NodePortUse};
use crate::check::CheckContext;
use crate::model::pod::TCP;

/// Processes of every node; processes of some nodes only where a pod has their port.
pub(super) fn holders(context: &CheckContext<'_>, pods: &Pods) -> Vec<PortHolder> {
    let kubelets = context.nodes.kubelets();
    let rows = catalog::NODE_PORTS.iter().filter(|row| {
        let port = (row.port, row.protocol);
        let counts = match row.seen {
            NodePortUse::Always => row.port != KUBELET || kubelets.is_empty(),
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
            ..PortHolder::from_range(row.port, row.port, HolderKind::NodeProcess, row.owner)
        }
    });
    let is_reported = |number: &u16| context.model.nodes().any(|node| node.kubelet == Some(*number));
    let of_nodes = kubelets.iter().map(|(number, names)| PortHolder {
        protocol: Some(TCP.into_owned()),
        evidence: if is_reported(number) { "status of Nodes" } else { "every node" }.to_owned(),
        nodes: match kubelets.len() {
            1 => OnNodes::All,
            _ => OnNodes::Named(names.iter().map(|name| (*name).to_owned()).collect()),
        },
        ..PortHolder::from_range(*number, *number, HolderKind::NodeProcess, "kubelet")
    });
    of_catalog.chain(of_nodes).collect()
}
