//! Number of pods and update strategy of a workload. Objects that are never applied together with the workload are
//! ignored.

use super::context::CheckContext;
use super::pod_controllers::{PodController, Replicas};
use super::workload::Workload;
use crate::judge::pod_groups::PodGroup;

impl<'m> CheckContext<'m> {
    /// Object that replaces the pods of a workload.
    pub(super) fn updated(&self, workload: &Workload<'m>) -> PodController<'m> {
        self.scale.updated(workload, |id| !self.are_alternatives(id, workload.object))
    }

    /// Number of pods of an object; `None` without a known number.
    pub(super) fn replicas(&self, updated: PodController<'_>) -> Option<Replicas> {
        self.scale.replicas(updated, |id| !self.are_alternatives(id, updated.id))
    }

    /// Number of pods in a group of the workload's pods; `None` without a known number.
    pub(super) fn replicas_of(&self, updated: PodController<'_>, part: PodGroup<'_>) -> Option<Replicas> {
        let Some(subset) = part.subset else { return self.replicas(updated) };
        let replicas = subset.replicas?;
        Some(Replicas { fewest: replicas, most: replicas, is_scaled: false, kept: 0 })
    }
}
