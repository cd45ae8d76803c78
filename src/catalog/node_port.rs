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

impl NodePort {
    /// True if an image with this last path segment is the owner's, by the project's name or a distributor's.
    pub fn has_image(&self, segment: &str) -> bool {
        let is_own = |name: &str| self.images.contains(&name);
        is_own(segment) || distributed_names(segment).any(is_own)
    }
}

/// Names that a project may give to an image that distributors ship with this last path segment.
fn distributed_names(segment: &str) -> impl Iterator<Item = &str> {
    let ends = data::IMAGE_NAMES.iter().filter(|(.., suffix)| !suffix.is_empty());
    let short = ends.clone().find_map(|(.., suffix)| segment.strip_suffix(suffix)).unwrap_or(segment);
    let starts = data::IMAGE_NAMES.iter().filter(|(prefix, ..)| !prefix.is_empty());
    let without = starts.filter_map(move |(prefix, org, _)| {
        let rest = short.strip_prefix(prefix)?;
        if *org { rest.split_once('-').map(|(_, name)| name) } else { Some(rest) }
    });
    without.chain([short])
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
