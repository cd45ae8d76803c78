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
use lossless_yaml::{NodeRef, Path};

/// Ports of an `EndpointSlice` with IP addresses.
#[must_use]
pub(super) fn of_slice(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    // Host names are outside of the cluster.
    let is_name = object.get("addressType").and_then(NodeRef::text) == Some("FQDN");
    let fields = if is_name { Vec::new() } else { ports(meta, object, &Path::root()) };
    PortFields { fields, commands: Vec::new() }
}

/// Ports of an `Endpoints` object.
#[must_use]
pub(super) fn of_endpoints(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let subsets = object.get("subsets").into_iter().flat_map(NodeRef::items).enumerate();
    let fields = subsets.flat_map(|(index, subset)| ports(meta, subset, &Path::root().key("subsets").item(index)));
    PortFields { fields: fields.collect(), commands: Vec::new() }
}

fn ports(meta: &Meta, node: NodeRef<'_, '_>, path: &Path) -> Vec<PortField> {
    let here = Arc::new(AppliesTo::Namespace(own_namespace(meta).into()));
    let ports = node.get("ports").into_iter().flat_map(NodeRef::items).enumerate();
    let said = |(index, node): (usize, NodeRef<'_, '_>)| {
        let port = node.get("port")?;
        let path = path.key("ports").item(index).key("port");
        let protocol = protocol(node.get("protocol").and_then(NodeRef::non_null_text));
        let what = format!("an address with port {} is listed", port.text()?);
        let field = PortField::read(port, path, &here)?.with(Effect::Said(what));
        Some(PortField { protocol: Some(protocol), ..field })
    };
    ports.filter_map(said).collect()
}
