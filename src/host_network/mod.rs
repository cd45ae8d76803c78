//! The decisions of HostNetwork: which listeners move where, what follows them, what is in the way, what is said.
//! Turns edges of the model into edits and searches nothing itself.

mod additions;
mod allocate;
mod assignments;
mod called;
mod charts;
mod decide;
mod guesses;
mod hooks;
mod host_port_conflicts;
mod host_port_holders;
mod key_hints;
mod keys;
mod left_kinds;
mod listed;
mod lists;
mod mesh;
mod mover;
mod moves;
mod network_policy;
mod node_ports;
mod own_places;
mod owner;
mod patched_ports;
mod placeholders;
mod pod;
mod pod_conflicts;
mod pod_security;
mod port_of_node;
mod records;
mod referred;
mod refusals;
mod replicas_nodes;
mod rollout;
mod rollout_surge;
mod rows;
mod shared_place;
mod target;
mod unbound;
mod unknown_programs;
mod workload;

pub use decide::{plan, plan_with_ports};
pub use rows::{Origin, PortRow};
pub use target::Targets;
