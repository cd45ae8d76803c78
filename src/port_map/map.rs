//! The list of all holders.

use super::groups::{Groups, NodeGroup};
use super::holder::{PortHolder, merged};
use super::{nodes, pods, services, set_aside};
use crate::check::CheckContext;
use crate::host_network::PortRow;

/// Holders of the ports of nodes.
#[derive(Debug, Clone, Default)]
pub struct PortMap {
    /// Groups of nodes that take the same pods; empty if nodes are unknown.
    pub groups: Vec<NodeGroup>,
    /// Holders, sorted by number.
    pub holders: Vec<PortHolder>,
    /// Listeners in the pod network that the API server calls; these are not ports of nodes.
    pub called_in_pod_network: Vec<PortHolder>,
}

impl PortMap {
    /// Lists the holders of all ports. `rows` are the listeners of a plan; without a plan nothing moves.
    pub fn new(context: &CheckContext<'_>, rows: &[PortRow]) -> Self {
        let groups = Groups::new(context);
        let pods = pods::holders(context, rows, &groups);
        let mut holders = nodes::holders(context, &pods);
        holders.extend(pods.holders);
        let called_in_pod_network = merged(pods.called_in_pod_network);
        holders.extend(services::holders(context));
        holders.extend(set_aside::holders(context, rows, &holders));
        Self { groups: groups.list, holders: merged(holders), called_in_pod_network }
    }

    /// The map with only the listeners that the API server calls, also listeners in the pod network.
    pub fn called(&self) -> Self {
        let called = self.holders.iter().filter(|holder| holder.is_called);
        let holders = called.chain(&self.called_in_pod_network).cloned().collect();
        Self { groups: self.groups.clone(), holders: merged(holders), called_in_pod_network: Vec::new() }
    }
}
