//! Workloads that the API server calls and that stay on the pod network although a target matches them.

use std::collections::BTreeSet;

use super::called;
use super::target::Matched;
use super::workload::Workload;
use crate::model::{Model, ObjectId, WorkloadId};

/// Finds objects with workloads that the API server calls and that are not among `moved`.
pub(super) fn find(model: &Model, matched: &Matched, moved: &[Workload<'_>]) -> Vec<ObjectId> {
    let staying = Staying::new(model, moved);
    let objects = matched.by_target.iter().flatten().chain(&matched.hooks).copied();
    let staying: BTreeSet<ObjectId> = objects.filter(|id| staying.has(*id)).collect();
    if staying.is_empty() {
        return Vec::new();
    }
    let called = called::called(model);
    staying.into_iter().filter(|id| called.contains_key(id)).collect()
}

/// Finds objects of targets whose workloads are all on the pod network and not among `moved`.
pub(super) fn of_targets(model: &Model, matched: &Matched, moved: &[Workload<'_>]) -> Vec<ObjectId> {
    let staying = Staying::new(model, moved);
    let runs_pods = |id: &&ObjectId| model.object(**id).is_some_and(|o| o.has_template() || o.is_package());
    let mut found = BTreeSet::new();
    for ids in &matched.by_target {
        let ids: Vec<ObjectId> = ids.iter().filter(runs_pods).copied().collect();
        if ids.iter().all(|id| staying.has(*id)) {
            found.extend(ids);
        }
    }
    found.into_iter().collect()
}

/// Workloads that stay on the pod network.
struct Staying<'m> {
    model: &'m Model,
    moved: BTreeSet<WorkloadId>,
    owners: BTreeSet<ObjectId>,
}

impl<'m> Staying<'m> {
    fn new(model: &'m Model, moved: &[Workload<'_>]) -> Self {
        let owners = moved.iter().map(|workload| workload.owner).collect();
        Self { model, moved: moved.iter().map(|workload| workload.id).collect(), owners }
    }

    /// True if a workload of the object stays on the pod network.
    fn has(&self, id: ObjectId) -> bool {
        let Some(object) = self.model.object(id) else { return false };
        let mut templates = object.templates().iter().enumerate();
        object.is_package() && !self.owners.contains(&id)
            || templates.any(|(template, pod_template)| {
                !pod_template.on_host_network() && !self.moved.contains(&WorkloadId { object: id, template })
            })
    }
}
