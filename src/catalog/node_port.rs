//! The ports that are commonly taken on nodes.

use std::ops::RangeInclusive;

use super::data;

/// A port that is commonly taken on nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodePort {
    /// The number.
    pub port: u16,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'static str,
    /// Who takes it, for a person.
    pub owner: &'static str,
    /// Last path segments of the owner's own images, which the row never concerns; empty when it is not a pod.
    pub images: &'static [&'static str],
    /// The programs that the owner's own containers start, for images that many have or that are filled in later.
    pub binaries: &'static [&'static str],
    /// On which nodes.
    pub seen: Seen,
}

/// How many nodes have a port taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Every node of any cluster.
    Always,
    /// Nodes of many clusters.
    Often,
}

/// Ports of Services (the API server's `--service-node-port-range`).
pub const SERVICE_NODE_PORTS: RangeInclusive<u16> = 30_000..=32_767;
/// Ports that the kernel gives to clients (`ip_local_port_range`).
pub const CLIENT_PORTS: RangeInclusive<u16> = 32_768..=60_999;

/// The ports that are commonly taken on nodes, in the order of `catalog/node-ports.yaml`.
#[must_use]
pub fn node_ports() -> &'static [NodePort] {
    data::NODE_PORTS
}

#[cfg(test)]
mod tests {
    use super::{NodePort, Seen, node_ports};

    #[test]
    fn node_ports_are_rows_of_their_file() {
        let row = node_ports().iter().find(|row| row.port == 10256).unwrap();
        assert_eq!((row.protocol, row.images, row.seen), ("TCP", &["kube-proxy"][..], Seen::Always));
        for row in node_ports() {
            assert!(["TCP", "UDP", "SCTP"].contains(&row.protocol), "{}: unknown protocol", row.port);
            let same = |other: &&NodePort| (other.port, other.protocol) == (row.port, row.protocol);
            assert_eq!(node_ports().iter().filter(same).count(), 1, "{}/{} has one row", row.port, row.protocol);
        }
    }
}
