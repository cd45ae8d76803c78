//! Users of ports of nodes.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::listener::Role;
use crate::model::text::is_loopback_host;
use crate::word_enum::word_enum;

/// User of a port of nodes, or of a range of such ports: a process, a Service or a reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortHolder {
    /// First number.
    pub first: u16,
    /// Last number; equals `first` for one port.
    pub last: u16,
    /// `TCP`, `UDP` or `SCTP`; `None` if the holder uses the port number in every protocol or does not specify a
    /// protocol.
    pub protocol: Option<String>,
    /// Address of the node with the port, such as the `hostIP`; `None` for all addresses.
    pub address: Option<String>,
    /// Reason why the port is taken.
    pub kind: HolderKind,
    /// Key of a workload (`shop/Deployment/web`), a Service, or a process of the node.
    pub name: String,
    /// Namespace of the workload or Service.
    pub namespace: Option<String>,
    /// Container of a pod.
    pub container: Option<String>,
    /// Name of the port.
    pub port: Option<String>,
    /// Role of a listener.
    pub role: Option<Role>,
    /// True if the port is taken before the plan.
    pub is_before: bool,
    /// True if the port is taken after the plan.
    pub is_after: bool,
    /// Other number of a listener that moves: the new port number if `first` is the old number, and the reverse.
    pub other: Option<u16>,
    /// Certainty that the port is taken.
    pub certainty: Certainty,
    /// Evidence for the holder.
    pub evidence: String,
    /// True if the API server calls the listener.
    pub is_called: bool,
    /// Clients that the input shows.
    pub clients: BTreeSet<String>,
    /// Nodes with the holder.
    pub nodes: OnNodes,
}

word_enum! {
    /// Reason why a port of nodes is taken.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum HolderKind {
        /// A listener of a selected workload, with a new port number.
        Moved = "moved",
        /// A listener of a selected workload, with its old port number.
        Kept = "kept",
        /// A listener of a pod on the host network.
        HostNetwork = "host-network",
        /// A `hostPort` of a pod in the pod network.
        HostPort = "host-port",
        /// A listener of a pod in the pod network that the API server calls at the address of the pod: no port of a node.
        PodNetwork = "pod-network",
        /// A port of a container that is injected into the pods.
        Injected = "injected",
        /// A `nodePort` of a Service.
        NodePort = "node-port",
        /// The health check of a Service's load balancer.
        HealthCheck = "health-check",
        /// A process of the node itself.
        NodeProcess = "node-process",
        /// `reserved` in the config.
        Reserved = "reserved",
        /// `assigned` in the config, for a listener outside of the input.
        Assigned = "assigned",
        /// The pool of `ports: auto`.
        Pool = "pool",
        /// The default range of node ports of Services.
        NodePortRange = "node-port-range",
        /// The default range of ports that the kernel gives to clients.
        ClientRange = "client-range",
    }
}

impl HolderKind {
    /// True for pods and Services of the input, which listen or forward.
    pub fn is_of_input(self) -> bool {
        match self {
            Self::Moved
            | Self::Kept
            | Self::HostNetwork
            | Self::HostPort
            | Self::PodNetwork
            | Self::Injected
            | Self::NodePort
            | Self::HealthCheck => true,
            Self::NodeProcess
            | Self::Reserved
            | Self::Assigned
            | Self::Pool
            | Self::NodePortRange
            | Self::ClientRange => false,
        }
    }
}

word_enum! {
    /// Certainty that a port is taken.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum Certainty {
        /// The evidence is in the input or in the config.
        Certain = "certain",
        /// The evidence is the catalogue, or a client of the port.
        Likely = "likely",
        /// The evidence is a text that may contain the port, or only some nodes run the process.
        Possible = "possible",
    }
}

/// Nodes with a holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnNodes {
    /// Unknown nodes.
    Unknown,
    /// Every node.
    All,
    /// Node groups, by position.
    Groups(Vec<usize>),
    /// Nodes that pods are bound to, by name.
    Named(BTreeSet<String>),
}

impl OnNodes {
    /// Nodes of two holders.
    pub(super) fn joined(self, other: Self) -> Self {
        match (self, other) {
            (one, other) if one == other => one,
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Groups(mut one), Self::Groups(two)) => {
                one.extend(two);
                one.sort_unstable();
                one.dedup();
                Self::Groups(one)
            }
            (Self::Named(mut one), Self::Named(mut two)) => {
                one.append(&mut two);
                Self::Named(one)
            }
            _ => Self::Unknown,
        }
    }
}

impl PortHolder {
    /// True if only processes of the node reach the port.
    pub fn is_loopback(&self) -> bool {
        self.address.as_deref().is_some_and(is_loopback_host)
    }

    /// Holder of a range on every node that nothing calls, before and after.
    pub(super) fn from_range(first: u16, last: u16, kind: HolderKind, name: impl Into<String>) -> Self {
        Self {
            first,
            last,
            protocol: None,
            address: None,
            kind,
            name: name.into(),
            namespace: None,
            container: None,
            port: None,
            role: None,
            is_before: true,
            is_after: true,
            other: None,
            certainty: Certainty::Certain,
            evidence: String::new(),
            is_called: false,
            clients: BTreeSet::new(),
            nodes: OnNodes::All,
        }
    }
}

/// Sorts holders, and merges equal ones of inputs that are alternatives.
pub(super) fn merged(mut holders: Vec<PortHolder>) -> Vec<PortHolder> {
    let key = |holder: &PortHolder| {
        let PortHolder { first, last, protocol, address, kind, name, container, port, .. } = holder;
        let range = (*first, *last, protocol.clone(), address.clone());
        (range, name.clone(), *kind, container.clone(), port.clone())
    };
    holders.sort_by_cached_key(key);
    holders.dedup_by(|other, first| {
        let is_same = key(other) == key(first);
        if is_same {
            first.is_before |= other.is_before;
            first.is_after |= other.is_after;
            first.is_called |= other.is_called;
            first.certainty = first.certainty.min(other.certainty);
            first.clients.append(&mut other.clients);
            let nodes = std::mem::replace(&mut first.nodes, OnNodes::Unknown);
            first.nodes = nodes.joined(std::mem::replace(&mut other.nodes, OnNodes::Unknown));
        }
        is_same
    });
    holders
}
