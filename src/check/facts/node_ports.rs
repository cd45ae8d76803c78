//! Ports of nodes that Services and kubelets hold.

use lossless_yaml::{NodeRef, Path};

/// Port of every node that a Service has: a `nodePort`, or the health check of its load balancer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceNodePort {
    /// Number; `None` if the API server chooses one.
    pub number: Option<u16>,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: Box<str>,
    /// Name of the Service's port; `None` without a name, and for the health check.
    pub name: Option<Box<str>>,
    /// True for `healthCheckNodePort`.
    pub is_health_check: bool,
}

/// Reads the ports of nodes of a Service.
///
/// Source: kubernetes v1.36 `pkg/registry/core/service/storage/alloc.go`: only the types `NodePort` and `LoadBalancer` have node ports, a
/// written number counts also with `allocateLoadBalancerNodePorts: false`, and the health check needs the external traffic policy `Local`.
#[must_use]
pub fn of_service(object: NodeRef<'_, '_>) -> Vec<ServiceNodePort> {
    let Some(spec) = object.get("spec") else { return Vec::new() };
    let text = |key: &str| spec.get(key).and_then(NodeRef::non_null_text);
    let is_load_balancer = match text("type") {
        Some("NodePort") => false,
        Some("LoadBalancer") => true,
        _ => return Vec::new(),
    };
    let chooses =
        !is_load_balancer || spec.get("allocateLoadBalancerNodePorts").and_then(NodeRef::as_bool) != Some(false);
    let ports = spec.get("ports").into_iter().flat_map(NodeRef::items).filter_map(|port| {
        let text = |key: &str| port.get(key).and_then(NodeRef::non_null_text);
        let number = number(port.get("nodePort"));
        (number.is_some() || chooses).then(|| ServiceNodePort {
            number,
            protocol: text("protocol").unwrap_or("TCP").into(),
            name: text("name").map(Into::into),
            is_health_check: false,
        })
    });
    let is_checked = is_load_balancer && text("externalTrafficPolicy") == Some("Local");
    let health_check = is_checked.then(|| ServiceNodePort {
        number: number(spec.get("healthCheckNodePort")),
        protocol: "TCP".into(),
        name: None,
        is_health_check: true,
    });
    ports.chain(health_check).collect()
}

/// Port of the kubelet of a Node, as the kubelet reports it.
#[must_use]
pub fn of_kubelet(node: NodeRef<'_, '_>) -> Option<u16> {
    number(node.lookup(&Path::dotted("status.daemonEndpoints.kubeletEndpoint.Port")))
}

fn number(node: Option<NodeRef<'_, '_>>) -> Option<u16> {
    node.and_then(NodeRef::as_go_int).and_then(|number| u16::try_from(number).ok()).filter(|number| *number > 0)
}
