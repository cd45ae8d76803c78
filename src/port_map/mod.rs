//! Holders of the ports of nodes, before and after a plan: pods, Services, processes of the nodes, and numbers that a config sets aside.
//!
//! The holders before are those of a check's [`CheckContext`](crate::check::CheckContext), the listeners after are the [`PortRow`](crate::host_network::PortRow)s of a plan.

mod groups;
mod holder;
mod map;
mod nodes;
mod pods;
mod services;
mod set_aside;

pub use groups::NodeGroup;
pub use holder::{Certainty, HolderKind, OnNodes, PortHolder};
pub use map::PortMap;
