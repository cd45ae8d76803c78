//! Holders of the ports of nodes, before and after a plan: pods, Services, processes of the nodes, and numbers that a
//! config reserves.
//!
//! The holders before the plan come from [`CheckContext`](crate::check::CheckContext), the listeners after it are the
//! [`PortRow`](crate::host_network::PortRow)s of the plan.

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
