//! The rules: one file each, a pure predicate over a [`Situation`].

mod all;
mod dns_policy;
mod duplicate_object;
mod function;
mod host_name;
mod host_port;
mod knative;
mod mesh;
mod network_policy;
mod node_port;
mod pod_forbids;
mod pod_security;
mod port_called;
mod port_conflict;
mod port_declared;
mod port_placeholder;
mod probe_address;
mod replicas_nodes;
mod rollout_surge;
mod runtime_config;
mod service_target;
mod sidecar_port;
mod subset_patch;

pub use all::{ALL, CheckRule};

// What every rule uses.
use super::situation::Situation;
use crate::plan::Finding;
