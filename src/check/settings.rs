//! Settings of `HostNetworkCheck` and `HostNetwork` that the rules of `check` read.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::{self, ApiServer, PortRange};
use crate::catalog::Program;
use crate::model::ObjectId;
use crate::model::listener::Hints;

/// Values of the config that rules need.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'c> {
    /// Location of the API server.
    pub api_server: ApiServer,
    /// Versions of Kubernetes, OpenKruise and Crossplane.
    pub versions: &'c api::Versions,
    /// Nodes of the cluster; `None` if the config has no nodes.
    pub nodes: Option<&'c api::Nodes>,
    /// Additional ports that the nodes use.
    pub reserved: &'c [PortRange],
    /// Spec of the `HostNetwork`; `None` without this config.
    pub host_network: Option<&'c api::HostNetworkSpec>,
    /// Objects for which the config or an annotation may suppress port conflicts.
    pub accepted: Option<&'c BTreeSet<ObjectId>>,
    /// Programs in addition to the catalogue.
    pub programs: &'c [Program],
    /// Names of container ports in patches that kustomizations list and that this run does not apply.
    pub patched_ports: Option<&'c BTreeSet<String>>,
}

impl Settings<'_> {
    /// Programs in addition to the catalogue, as hints about listeners.
    pub fn hints(&self) -> Hints {
        Hints { programs: self.programs.iter().cloned().map(Arc::new).collect(), ..Hints::default() }
    }
}
