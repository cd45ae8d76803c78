//! Rules shared by [`crate::host_network`] and [`crate::check`]: number of eligible nodes, rollouts that cannot finish,
//! Namespaces and policies that reject pods, and suppression of findings.
//!
//! The rules do not depend on the origin of port numbers. Each caller passes its own: from the manifests, or as
//! planned.

pub mod admission;
pub(crate) mod called_service;
pub mod concurrent_runs;
pub(crate) mod duplicate_objects;
pub mod duplicate_port;
pub mod free_nodes;
pub(crate) mod host_firewall;
pub mod host_name;
pub(crate) mod libraries;
pub(crate) mod mounted_files;
pub mod network_policy;
pub mod node_port;
pub mod node_ranges;
pub mod nodes;
pub mod openkruise;
pub(crate) mod operator_ranges;
pub mod plugin_policy;
pub mod pod_groups;
pub mod pod_network;
pub mod pod_security;
pub(crate) mod refused_rollout;
pub mod refused_text;
pub mod replicas_nodes;
pub mod rollout_surge;
pub mod rollout_templates;
pub mod sidecars;
pub mod subset_patch;
pub mod suppress;
pub mod update_strategy;
pub mod windows;
