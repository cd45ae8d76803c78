//! The decisions of HostNetwork: which listeners move where, what follows them, what is in the way, what is said.
//! Turns edges of the model into edits and searches nothing itself.

mod allocate;
mod called;
mod charts;
mod decide;
mod guesses;
mod hooks;
mod host_port_conflicts;
mod host_port_holders;
mod keys;
mod left_kinds;
mod listed;
mod lists;
mod mesh;
mod moves;
mod network_policy;
mod node_ports;
mod owner;
mod patched_ports;
mod placeholders;
mod pod;
mod pod_security;
mod records;
mod referred;
mod refusals;
mod rollout;
mod rollout_surge;
mod rows;
mod target;
mod unbound;
mod unknown_programs;
mod workload;

pub use decide::{plan, plan_with_ports};
pub use rows::{Origin, PortRow};
pub use target::Targets;
