//! Ports of nodes that Services use.

use lossless_yaml::{NodeRef, Path};

/// Port of every node that a Service uses: a `nodePort`, or the health check port for its load balancer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceNodePort {
    /// Port number; `None` if the API server chooses it.
    pub number: Option<u16>,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: Box<str>,
    /// Name of the Service's port; `None` without a name, and for the health check.
    pub name: Option<Box<str>>,
    /// Position in `spec.ports`; `None` for `healthCheckNodePort`.
    pub index: Option<usize>,
    /// Number of the Service's port.
    pub port: Option<u16>,
}

impl ServiceNodePort {
    /// True for `healthCheckNodePort`.
    pub fn is_health_check(&self) -> bool {
        self.index.is_none()
    }

    /// Path of the number.
    pub fn path(&self) -> Path {
        let spec = Path::root().key("spec");
        match self.index {
            Some(index) => spec.key("ports").item(index).key("nodePort"),
            None => spec.key("healthCheckNodePort"),
        }
    }
}

/// Reads the ports of nodes of a Service.
///
/// Source: kubernetes v1.36 `pkg/registry/core/service/storage/alloc.go`: only the types `NodePort` and `LoadBalancer`
/// have node ports, a written number counts also with `allocateLoadBalancerNodePorts: false`, and the health check
/// needs the external traffic policy `Local`.
pub fn service_node_ports(object: NodeRef<'_, '_>) -> Vec<ServiceNodePort> {
    let Some(spec) = object.get("spec") else { return Vec::new() };
    let text = |key: &str| spec.get(key).and_then(NodeRef::non_null_text);
    let is_load_balancer = match text("type") {
        Some("NodePort") => false,
        Some("LoadBalancer") => true,
        _ => return Vec::new(),
    };
    let chooses =
        !is_load_balancer || spec.get("allocateLoadBalancerNodePorts").and_then(NodeRef::as_bool) != Some(false);
    let ports = spec.get("ports").into_iter().flat_map(NodeRef::items).enumerate().filter_map(|(index, port)| {
        let text = |key: &str| port.get(key).and_then(NodeRef::non_null_text);
        let node_port = number(port.get("nodePort"));
        (node_port.is_some() || chooses).then(|| ServiceNodePort {
            number: node_port,
            protocol: text("protocol").unwrap_or("TCP").into(),
            name: text("name").map(Into::into),
            index: Some(index),
            port: number(port.get("port")),
        })
    });
    let is_checked = is_load_balancer && text("externalTrafficPolicy") == Some("Local");
    let health_check = is_checked.then(|| ServiceNodePort {
        number: number(spec.get("healthCheckNodePort")),
        protocol: "TCP".into(),
        name: None,
        index: None,
        port: None,
    });
    ports.chain(health_check).collect()
}

/// The node as a port number.
fn number(node: Option<NodeRef<'_, '_>>) -> Option<u16> {
    node.and_then(NodeRef::as_go_int).and_then(|number| u16::try_from(number).ok()).filter(|number| *number > 0)
}
