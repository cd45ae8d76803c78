//! How many pods a workload has and who replaces them, by what is ever applied together with it.

use super::scale::{Replicas, Updated};
use super::situation::Situation;
use super::workload::Workload;
use crate::judge::parts::Part;

impl<'m> Situation<'m> {
    /// What says how the pods of a workload are replaced.
    pub(super) fn updated(&self, workload: &Workload<'m>) -> Updated<'m> {
        self.scale.updated(workload, |id| !self.are_alternatives(id, workload.id))
    }

    /// How many pods an object has; none where nobody says a number.
    pub(super) fn replicas(&self, of: Updated<'_>) -> Option<Replicas> {
        self.scale.replicas(of, |id| !self.are_alternatives(id, of.id))
    }

    /// The same of a part of its pods.
    pub(super) fn replicas_of(&self, of: Updated<'_>, part: Part<'_>) -> Option<Replicas> {
        let Some(subset) = part.subset else { return self.replicas(of) };
        let replicas = subset.replicas?;
        Some(Replicas { fewest: replicas, most: replicas, is_scaled: false })
    }
}
