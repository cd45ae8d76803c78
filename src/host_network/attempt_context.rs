//! Context shared by all attempts to move workloads.

use std::collections::BTreeSet;

use super::target::Targets;
use crate::crossplane::Runtimes;
use crate::model::reference::AllPods;
use crate::model::{Model, WorkloadId};

/// Context of an attempt; only `collided` changes between attempts.
pub(super) struct AttemptContext<'a> {
    pub(super) model: &'a Model,
    pub(super) targets: &'a Targets<'a>,
    pub(super) runtimes: &'a Runtimes,
    pub(super) all: &'a AllPods<'a>,
    /// Workloads that stay unchanged because their ports collide.
    pub(super) collided: BTreeSet<WorkloadId>,
}
