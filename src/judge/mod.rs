//! Rules shared by [`crate::host_network`] and [`crate::check`]: number of eligible nodes, rollouts that cannot finish,
//! Namespaces and policies that reject pods, and suppression of findings.
//!
//! The rules do not depend on the origin of port numbers. Each caller passes its own: from the manifests, or as
//! planned.

pub mod admission;
pub(crate) mod called_service;
pub(crate) mod duplicate_objects;
pub mod duplicate_port;
pub mod host_name;
pub mod kept_apart;
pub(crate) mod mounted_files;
pub mod network_policy;
pub mod node_port;
pub mod node_ranges;
pub mod nodes;
pub mod openkruise;
pub mod overlap;
pub mod parts;
pub mod plugin_policy;
pub mod pod_network;
pub mod pod_security;
pub mod replicas_nodes;
pub mod rollout_surge;
pub mod sidecars;
pub mod strategy;
pub mod subset_patch;
pub mod suppress;
pub mod two_templates;
pub mod windows;
