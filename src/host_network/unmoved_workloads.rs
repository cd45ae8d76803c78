//! Workloads that stay on the pod network although a target matches them.

use std::collections::BTreeSet;

use super::called;
use super::target::MatchedObjects;
use super::workload::Workload;
use crate::model::{Model, ObjectId, WorkloadId};

/// Workloads that stay on the pod network.
pub(super) struct UnmovedWorkloads<'m> {
    model: &'m Model,
    moved: BTreeSet<WorkloadId>,
    owners: BTreeSet<ObjectId>,
}

impl<'m> UnmovedWorkloads<'m> {
    pub(super) fn new(model: &'m Model, moved: &[Workload<'_>]) -> Self {
        let owners = moved.iter().map(|workload| workload.owner).collect();
        Self { model, moved: moved.iter().map(|workload| workload.id).collect(), owners }
    }

    /// Finds the objects of targets and hooks that have a workload which stays on the pod network
    /// although the API server calls it.
    pub(super) fn called(&self, matched: &MatchedObjects) -> Vec<ObjectId> {
        let objects = matched.by_target.iter().flatten().chain(&matched.hooks).copied();
        let staying: BTreeSet<ObjectId> = objects.filter(|id| self.has(*id)).collect();
        if staying.is_empty() {
            return Vec::new();
        }
        let called = called::called(self.model);
        staying.into_iter().filter(|id| called.contains_key(id)).collect()
    }

    /// Finds the objects of targets that have no workload on the host network, neither before nor
    /// after the move.
    pub(super) fn of_targets(&self, matched: &MatchedObjects) -> Vec<ObjectId> {
        let runs_pods =
            |id: &&ObjectId| self.model.object(**id).is_some_and(|o| o.has_template() || o.package().is_some());
        let mut found = BTreeSet::new();
        for ids in &matched.by_target {
            let ids: Vec<ObjectId> = ids.iter().filter(runs_pods).copied().collect();
            if ids.iter().all(|id| self.has(*id)) {
                found.extend(ids);
            }
        }
        found.into_iter().collect()
    }

    /// True if a workload of the object stays on the pod network.
    fn has(&self, id: ObjectId) -> bool {
        let Some(object) = self.model.object(id) else { return false };
        let mut templates = object.templates().iter().enumerate();
        object.package().is_some() && !self.owners.contains(&id)
            || templates.any(|(template, pod_template)| {
                !pod_template.on_host_network() && !self.moved.contains(&WorkloadId { object: id, template })
            })
    }
}
