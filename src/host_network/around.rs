//! What is around the workloads that a run moves.

use std::collections::BTreeSet;

use super::target::Targets;
use crate::crossplane::Runtimes;
use crate::model::reference::AllPods;
use crate::model::{Model, WorkloadId};

/// The same in each attempt but for what has collided.
pub(super) struct Around<'a> {
    pub(super) model: &'a Model,
    pub(super) targets: &'a Targets<'a>,
    pub(super) runtimes: &'a Runtimes,
    pub(super) all: &'a AllPods<'a>,
    /// The workloads that were left whole since their ports collide.
    pub(super) collided: BTreeSet<WorkloadId>,
}
