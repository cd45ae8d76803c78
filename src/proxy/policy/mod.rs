//! Network policies between Crossplane's core and the destinations that it calls.
//!
//! A pod selected by a policy for a direction may use only connections of that direction that at least one such policy
//! allows (Kubernetes v1.36, `networking/v1` types).

mod decide;
mod egress_index;
mod pods;
mod policy_index;
mod read;

pub(super) use decide::{Blocking, ConnectionDecision, Peers, Port, egress};
pub(super) use egress_index::EgressRules;
pub(super) use pods::Pods;
pub(super) use policy_index::{IngressRules, Policies};
pub(super) use read::Policy;
