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
}

impl PortMap {
    /// Lists the holders of all ports. `rows` are the listeners of a plan; without a plan nothing moves.
    #[must_use]
    pub fn new(context: &CheckContext<'_>, rows: &[PortRow]) -> Self {
        let groups = Groups::new(context);
        let pods = pods::holders(context, rows, &groups);
        let mut holders = nodes::holders(context, &pods);
        holders.extend(pods.holders);
        holders.extend(services::holders(context));
        holders.extend(set_aside::holders(context, rows, &holders));
        Self { groups: groups.into_list(), holders: merged(holders) }
    }

    /// Keeps only the listeners that the API server calls.
    pub fn keep_called(&mut self) {
        self.holders.retain(|holder| holder.is_called);
    }
}
