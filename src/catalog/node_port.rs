//! Ports that processes of nodes commonly use.

use std::ops::RangeInclusive;

use super::data;

/// Port that a process of nodes commonly uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodePort {
    /// Port number.
    pub port: u16,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'static str,
    /// Process that uses the port, for messages.
    pub owner: &'static str,
    /// Last path segments of the images of the owner, to which the row does not apply; empty if the owner is not a pod.
    pub images: &'static [&'static str],
    /// Programs that containers of the owner start, to recognize them if many programs share the image or the image is
    /// a placeholder.
    pub binaries: &'static [&'static str],
    /// Nodes on which the port is in use.
    pub seen: NodePortUse,
}

/// Nodes on which a port is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodePortUse {
    /// Every node of any cluster.
    Always,
    /// Nodes of many clusters.
    Often,
}

/// Default port of the kubelet.
pub const KUBELET: u16 = 10_250;
/// Node ports of Services (`--service-node-port-range` of the API server).
pub const SERVICE_NODE_PORTS: RangeInclusive<u16> = 30_000..=32_767;
/// Ephemeral ports of clients (`ip_local_port_range` of the kernel).
pub const CLIENT_PORTS: RangeInclusive<u16> = 32_768..=60_999;

/// Returns the ports that processes of nodes commonly use, in the order of `catalog/node-ports.yaml`.
pub static NODE_PORTS: &[NodePort] = data::NODE_PORTS;

#[cfg(test)]
mod tests {
    use super::{NODE_PORTS, NodePort, NodePortUse};

    #[test]
    fn node_ports_are_rows_of_their_file() {
        let row = NODE_PORTS.iter().find(|row| row.port == 10256).unwrap();
        assert_eq!((row.protocol, row.images, row.seen), ("TCP", &["kube-proxy"][..], NodePortUse::Always));
        for row in NODE_PORTS {
            assert!(["TCP", "UDP", "SCTP"].contains(&row.protocol), "{}: unknown protocol", row.port);
            let same = |other: &&NodePort| (other.port, other.protocol) == (row.port, row.protocol);
            assert_eq!(NODE_PORTS.iter().filter(same).count(), 1, "{}/{} has one row", row.port, row.protocol);
        }
    }
}
