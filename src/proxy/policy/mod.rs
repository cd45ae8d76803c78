//! Network policies between Crossplane's core and the destinations that it calls.
//!
//! A pod selected by a policy for a direction may use only connections of that direction that at least one such policy
//! allows (Kubernetes v1.36, `networking/v1` types).

mod decide;
mod expression;
mod pods;
mod reaching;
mod read;
mod selecting;
mod unread;

pub(super) use decide::{Peers, Port, Verdict, egress};
pub(super) use pods::Pods;
pub(super) use reaching::Out;
pub(super) use read::Policy;
pub(super) use selecting::{Into, Policies};
pub(super) use unread::{Direction, Effect, UnreadPolicy};
