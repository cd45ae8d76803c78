//! What [`crate::plan`] and [`crate::check`] both ask: which objects a select is about, on how many nodes pods may run, whether an update
//! ends, whether a Namespace refuses pods; and what they have to say, and who accepts it.
//!
//! Nothing here knows whether the numbers stand in the manifests or are only meant to: each of the two rooms calls with its own.

mod finding;
pub mod network_policy;
pub mod nodes;
pub mod overlap;
pub mod pod_security;
pub mod rollout_surge;
pub mod select;
pub mod strategy;
pub mod suppress;

pub use finding::Finding;
