//! Manually written endpoints of a Service without selector, which may contain addresses of pods.
//!
//! Source: Kubernetes v1.36 `discovery/v1` `EndpointSlice` (`ports`, `addressType`) and `core/v1` `Endpoints`
//! (`subsets[].ports`).

use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::port_field::{Effect, PortField, PortFields};
use super::scope::own_namespace;
use crate::model::meta::Meta;
use crate::model::pod::protocol;
use lossless_yaml::{NodeRef, Path, Pattern};

/// Pods at which connections to a Service arrive, as its endpoints name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointPods {
    /// Name of the Service.
    pub service: Box<str>,
    /// Names of the pods.
    pub pods: Vec<Box<str>>,
}

/// Label of an `EndpointSlice` with the name of its Service.
/// Source: kubernetes v1.36 `staging/src/k8s.io/api/discovery/v1/well_known_labels.go`, `LabelServiceName`.
const SERVICE_NAME: &str = "kubernetes.io/service-name";

impl EndpointPods {
    /// Reads an `EndpointSlice` or `Endpoints`; `None` for other kinds, and without pods.
    pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let (service, addresses) = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
            ("", "Endpoints") => (meta.name.as_str(), "subsets[].addresses[].targetRef"),
            ("discovery.k8s.io", "EndpointSlice") => (meta.labels.get(SERVICE_NAME)?, "endpoints[].targetRef"),
            _ => return None,
        };
        let pattern = Pattern::new(addresses);
        let references = pattern.find(object).map(|found| found.node);
        let is_pod = |node: &NodeRef<'_, '_>| node.get("kind").and_then(NodeRef::text) == Some("Pod");
        let names = references.filter(is_pod).filter_map(|node| node.get("name")?.text().map(Box::from));
        let pods: Vec<Box<str>> = names.collect();
        (!pods.is_empty()).then(|| Self { service: service.into(), pods })
    }
}

/// Ports of an `EndpointSlice` with IP addresses, unless a controller of Kubernetes writes it.
pub(super) fn slice_ports(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    // `FQDN` endpoints are outside of the cluster.
    let is_name = object.get("addressType").and_then(NodeRef::text) == Some("FQDN");
    let fields = if is_name || is_made_by_controller(meta) { Vec::new() } else { ports(meta, object, &Path::root()) };
    PortFields { fields, commands: Vec::new() }
}

/// Label that names the controller of an `EndpointSlice` or `Endpoints`, and the controllers of Kubernetes, which
/// follow the pods by themselves.
/// Source: kubernetes v1.36 `pkg/controller/{endpoint,endpointslice,endpointslicemirroring}`.
const CONTROLLERS: [(&str, &str); 3] = [
    ("endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io"),
    ("endpointslice.kubernetes.io/managed-by", "endpointslicemirroring-controller.k8s.io"),
    ("endpoints.kubernetes.io/managed-by", "endpoint-controller"),
];

/// Annotation that the controller of `Endpoints` writes in every release; its label exists since v1.33.
const TRIGGER_TIME_ANNOTATION: &str = "endpoints.kubernetes.io/last-change-trigger-time";

/// True for objects that a controller creates from a Service.
fn is_made_by_controller(meta: &Meta) -> bool {
    CONTROLLERS.iter().any(|(label, controller)| meta.labels.get(label) == Some(*controller))
        || meta.annotations.get(TRIGGER_TIME_ANNOTATION).is_some()
}

/// Ports of an `Endpoints` object, unless a controller of Kubernetes writes it.
pub(super) fn endpoint_ports(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    if is_made_by_controller(meta) {
        return PortFields::default();
    }
    let subsets = object.get("subsets").into_iter().flat_map(NodeRef::items).enumerate();
    let fields = subsets.flat_map(|(index, subset)| ports(meta, subset, &Path::root().key("subsets").item(index)));
    PortFields { fields: fields.collect(), commands: Vec::new() }
}

/// Port numbers of an `Endpoints` subset or an `EndpointSlice`.
fn ports(meta: &Meta, node: NodeRef<'_, '_>, path: &Path) -> Vec<PortField> {
    let here = Arc::new(AppliesTo::Namespace(own_namespace(meta).into()));
    let ports = node.get("ports").into_iter().flat_map(NodeRef::items).enumerate();
    let reported = |(index, node): (usize, NodeRef<'_, '_>)| {
        let port = node.get("port")?;
        let path = path.key("ports").item(index).key("port");
        let protocol = protocol(node.get("protocol").and_then(NodeRef::non_empty_text));
        let description = format!("an address with port {} is listed", port.text()?);
        let field = PortField::read(port, path, &here)?.with(Effect::Reported(description));
        Some(PortField { protocol: Some(protocol), ..field })
    };
    ports.filter_map(reported).collect()
}
