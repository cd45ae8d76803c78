//! What [`crate::host_network`] and [`crate::check`] both ask: on how many nodes pods may run, whether an update ends, whether a Namespace
//! refuses pods; and who accepts what they have to say.
//!
//! Nothing here knows whether the numbers stand in the manifests or are only meant to: each of the two rooms calls with its own.

pub mod admission;
pub(crate) mod called_service;
pub mod duplicate_port;
pub mod host_name;
pub mod kept_apart;
pub mod network_policy;
pub mod node_port;
pub mod nodes;
pub mod openkruise;
pub mod overlap;
pub mod parts;
pub mod pod_security;
pub mod replicas_nodes;
pub mod rollout_surge;
pub mod sidecar_set;
pub mod strategy;
pub mod subset_patch;
pub mod suppress;
pub mod two_templates;
pub mod windows;
