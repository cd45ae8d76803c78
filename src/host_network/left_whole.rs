//! Workloads that the API server calls and that stay on the pod network although a target matches them.

use std::collections::BTreeSet;

use super::called;
use super::target::Matched;
use super::workload::Workload;
use crate::model::{Model, ObjectId, WorkloadId};

/// Finds objects with workloads that the API server calls and that are not among `moved`.
pub(super) fn find(model: &Model, matched: &Matched, moved: &[Workload<'_>]) -> Vec<ObjectId> {
    let ids: BTreeSet<WorkloadId> = moved.iter().map(|workload| workload.id).collect();
    let owners: BTreeSet<ObjectId> = moved.iter().map(|workload| workload.owner).collect();
    let stays = |id: &ObjectId| {
        let Some(object) = model.object(*id) else { return false };
        let mut templates = object.templates().iter().enumerate();
        object.is_package() && !owners.contains(id)
            || templates.any(|(template, pod_template)| {
                !pod_template.on_host_network() && !ids.contains(&WorkloadId { object: *id, template })
            })
    };
    let staying: BTreeSet<ObjectId> =
        matched.by_target.iter().flatten().chain(&matched.hooks).copied().filter(stays).collect();
    if staying.is_empty() {
        return Vec::new();
    }
    let called = called::called(model);
    staying.into_iter().filter(|id| called.contains_key(id)).collect()
}
