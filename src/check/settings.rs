//! What a config says that rules need.

use std::collections::BTreeSet;

use crate::api::{self, ApiServer, PortRange};
use crate::catalog::Program;
use crate::model::ObjectId;

/// What a config says that rules need.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'c> {
    /// Where the API server is.
    pub api_server: ApiServer,
    /// Versions of the cluster.
    pub versions: &'c api::Versions,
    /// Its nodes.
    pub nodes: Option<&'c api::Nodes>,
    /// More ports that the nodes use.
    pub reserved: &'c [PortRange],
    /// What a `HostNetwork` says of numbers and packages.
    pub host_network: Option<&'c api::HostNetworkSpec>,
    /// The objects of which the config, or they themselves, may accept a conflict of ports.
    pub accepted: Option<&'c BTreeSet<ObjectId>>,
    /// Programs that the catalogue does not have.
    pub programs: &'c [Program],
}
