//! Network policies, as far as they stand between Crossplane's core and whom it calls.
//!
//! A pod that some policy selects for a direction may do in it what at least one of them allows, and nothing else (Kubernetes v1.36,
//! `networking/v1` types).

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
