//! Endpoints that somebody wrote by hand, for a Service without selector: they may list a pod's address (P5).
//!
//! Source: Kubernetes v1.36 `discovery/v1` `EndpointSlice` (`ports`, `addressType`) and `core/v1` `Endpoints` (`subsets[].ports`).

use super::protocol::protocol;
use super::seen::{SeenPort, Whose};
use super::text::port;
use crate::yaml::{NodeRef, Path};

/// The ports of an `EndpointSlice` of addresses.
#[must_use]
pub fn of_slice(object: NodeRef<'_, '_>) -> Vec<SeenPort> {
    // Names of hosts lead out of the cluster.
    let is_name = object.get("addressType").and_then(NodeRef::text) == Some("FQDN");
    if is_name { Vec::new() } else { ports(object, &Path::root()) }
}

/// The ports of an `Endpoints` object.
#[must_use]
pub fn of_endpoints(object: NodeRef<'_, '_>) -> Vec<SeenPort> {
    let subsets = object.get("subsets").into_iter().flat_map(NodeRef::items).enumerate();
    subsets.flat_map(|(index, subset)| ports(subset, &Path::root().key("subsets").item(index))).collect()
}

fn ports(node: NodeRef<'_, '_>, path: &Path) -> Vec<SeenPort> {
    let ports = node.get("ports").into_iter().flat_map(NodeRef::items).enumerate();
    let seen = |(index, node): (usize, NodeRef<'_, '_>)| {
        let port = port(node.get("port")?.text()?)?;
        let path = path.key("ports").item(index).key("port");
        let protocol = Some(protocol(node.get("protocol").and_then(NodeRef::non_null_text)));
        let what = format!("an address with port {port} is listed");
        Some(SeenPort { path, port, protocol, what, whose: Whose::Namespace })
    };
    ports.filter_map(seen).collect()
}
