//! Ports of nodes that Services have.

use super::holder::{HolderKind, PortHolder};
use crate::catalog::SERVICE_NODE_PORTS;
use crate::check::CheckContext;
use crate::model::Meta;
use crate::model::facts::ServiceNodePort;

/// Node ports of the Services of the input. The API server chooses an absent number from the range of node ports.
pub(super) fn holders(context: &CheckContext<'_>) -> Vec<PortHolder> {
    let holder = |(_, meta, port): (_, &Meta, &ServiceNodePort)| {
        let kind = if port.is_health_check() { HolderKind::HealthCheck } else { HolderKind::NodePort };
        let (first, last) = match port.number {
            Some(number) => (number, number),
            None => SERVICE_NODE_PORTS.into_inner(),
        };
        let chosen = if port.number.is_none() { "one number of the range, which the API server chooses" } else { "" };
        PortHolder {
            protocol: Some(port.protocol.to_string()),
            namespace: meta.namespace.clone(),
            port: port.name.as_deref().map(str::to_owned),
            evidence: chosen.to_owned(),
            ..PortHolder::from_range(first, last, kind, meta.to_string())
        }
    };
    context.model.service_node_ports().map(holder).collect()
}
