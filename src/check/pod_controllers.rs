//! Number of pods of a workload, from its replicas, an autoscaler or a Rollout that references it.

use std::collections::HashMap;

use crate::model::pod::Rollout;
use crate::model::{Meta, Model, ObjectId};

use super::facts::pod_count::PodCount;
use super::facts::{CheckFacts, KindFacts};
use super::workload::Workload;

/// Namespace, kind and name of an object.
type Key<'m> = (&'m str, &'m str, &'m str);

/// Autoscalers and Rollouts of workloads.
#[derive(Debug)]
pub(super) struct ScalingObjects<'m> {
    model: &'m Model,
    /// Rollouts that replace the pods of a workload by `workloadRef`; the flag is true if the workload keeps its pods.
    instead: HashMap<Key<'m>, Vec<(PodController<'m>, bool)>>,
}

/// Object that replaces the pods: the workload, or a Rollout that references it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PodController<'m> {
    /// Position of the object.
    pub id: ObjectId,
    /// Identity of the object.
    pub meta: &'m Meta,
    /// Number of pods.
    pub pod_count: &'m PodCount,
    /// Update strategy; `None` if it is not set.
    pub rollout: Option<&'m Rollout>,
    /// Number of pods of the workload that keep running next to the pods of a Rollout that references it.
    pub kept: u32,
}

/// Range of the number of pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Replicas {
    /// Minimum while the workload is not scaled to zero.
    pub fewest: u32,
    /// Maximum.
    pub most: u32,
    /// True if an autoscaler may create more pods than the workload has replicas.
    pub is_scaled: bool,
    /// Number of these pods that belong to the workload, next to the pods of a Rollout that references it.
    pub kept: u32,
}

impl<'m> ScalingObjects<'m> {
    pub(super) fn new(model: &'m Model, facts: &'m [CheckFacts]) -> Self {
        let mut scale = Self { model, instead: HashMap::new() };
        for (id, (object, facts)) in model.objects().iter().zip(facts).enumerate() {
            let meta = &object.meta;
            let namespace = meta.namespace.as_deref().unwrap_or_default();
            match &facts.by_kind {
                _ if meta.is_local_config() => {}
                KindFacts::RolloutWithReference(instead) if !instead.has_template => {
                    let ((kind, name), pod_count, rollout) =
                        (&instead.workload, &instead.pod_count, Some(&instead.rollout));
                    let updated = PodController { id, meta, pod_count, rollout, kept: 0 };
                    let keeps = instead.keeps_pods;
                    scale.instead.entry((namespace, kind, name)).or_default().push((updated, keeps));
                }
                _ => {}
            }
        }
        scale
    }

    /// Object that replaces the pods of a workload. `counts` returns true for objects that may be applied together with
    /// the workload.
    pub(super) fn updated(&self, workload: &Workload<'m>, counts: impl Fn(ObjectId) -> bool) -> PodController<'m> {
        let rollout = workload.template.rollout.as_deref();
        let own =
            PodController { id: workload.object, meta: workload.meta, pod_count: workload.pod_count, rollout, kept: 0 };
        let instead = self.instead.get(&key(workload.meta)).into_iter().flatten();
        let instead = instead.rev().find(|(updated, _)| counts(updated.id));
        // Source: argoproj/argo-rollouts v1.9.1 `docs/migrating.md`: "`never`: the Deployment is not scaled down".
        let kept = |keeps: bool| workload.pod_count.replicas.filter(|_| keeps).unwrap_or_default();
        instead.map_or(own, |(updated, keeps)| PodController { kept: kept(*keeps), ..*updated })
    }

    /// Number of pods of an object; `None` without a known number.
    pub(super) fn replicas(&self, updated: PodController<'_>, counts: impl Fn(ObjectId) -> bool) -> Option<Replicas> {
        let (own, each) = (updated.pod_count.replicas?, updated.pod_count.per_replica);
        let scaler = self.model.autoscalers_of(updated.meta).rev().find(|(id, _)| counts(*id));
        let (fewest, most) = scaler.map_or((own, own), |(_, scaler)| scaler.range(own));
        let (kept, is_scaled) = (updated.kept, most > own);
        let pods = |replicas: u32| replicas.saturating_mul(each).saturating_add(kept);
        Some(Replicas { fewest: pods(fewest), most: pods(most), is_scaled, kept })
    }
}

/// Key of an object: namespace, kind and name.
fn key(meta: &Meta) -> Key<'_> {
    (meta.namespace.as_deref().unwrap_or_default(), &meta.gvk.kind, &meta.name)
}
