//! How many pods a workload has, and who says so: itself, an autoscaler, or a Rollout that takes its template.

use std::collections::HashMap;

use crate::model::pod::Rollout;
use crate::model::{Meta, Model, ObjectId};

use super::facts::autoscaler::Autoscaler;
use super::facts::update::Update;
use super::facts::{Facts, OfKind};
use super::workload::Workload;

/// Namespace, kind and name of an object.
type Key<'m> = (&'m str, &'m str, &'m str);

/// What sets the replicas of workloads.
#[derive(Debug, Default)]
pub(super) struct Scale<'m> {
    autoscalers: HashMap<Key<'m>, Vec<(ObjectId, &'m Autoscaler)>>,
    /// The objects that take the template of a workload, and replace its pods.
    instead: HashMap<Key<'m>, Vec<Updated<'m>>>,
}

/// What says how pods are replaced: the workload, or a Rollout that takes its template.
#[derive(Debug, Clone, Copy)]
pub(super) struct Updated<'m> {
    /// The object.
    pub id: ObjectId,
    /// Its identity.
    pub meta: &'m Meta,
    /// How many pods it says there are.
    pub update: &'m Update,
    /// How it says that they are replaced.
    pub rollout: Option<&'m Rollout>,
}

/// How many pods there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Replicas {
    /// The fewest, when there are any.
    pub fewest: u32,
    /// The most.
    pub most: u32,
    /// Whether an autoscaler says so.
    pub is_scaled: bool,
}

impl<'m> Scale<'m> {
    pub(super) fn of(model: &'m Model, facts: &'m [Facts]) -> Self {
        let mut scale = Self::default();
        for (id, (object, facts)) in model.objects().iter().zip(facts).enumerate() {
            let meta = &object.meta;
            let namespace = meta.namespace.as_deref().unwrap_or_default();
            match &facts.of_kind {
                _ if meta.is_local_config() => {}
                OfKind::Autoscaler(scaler) => {
                    let target = (namespace, scaler.target.0.as_str(), scaler.target.1.as_str());
                    scale.autoscalers.entry(target).or_default().push((id, scaler));
                }
                OfKind::Instead(instead) if !instead.has_template => {
                    let ((kind, name), update, rollout) = (&instead.workload, &instead.update, Some(&instead.rollout));
                    let updated = Updated { id, meta, update, rollout };
                    scale.instead.entry((namespace, kind, name)).or_default().push(updated);
                }
                _ => {}
            }
        }
        scale
    }

    /// What says how the pods of a workload are replaced. `counts` is whether an object is ever applied together with it.
    pub(super) fn updated(&self, workload: &Workload<'m>, counts: impl Fn(ObjectId) -> bool) -> Updated<'m> {
        let rollout = workload.template.rollout.as_deref();
        let own = Updated { id: workload.id, meta: workload.meta, update: workload.update, rollout };
        let instead = self.instead.get(&key(workload.meta)).into_iter().flatten();
        instead.rev().find(|updated| counts(updated.id)).copied().unwrap_or(own)
    }

    /// How many pods an object has; none where nobody says a number.
    pub(super) fn replicas(&self, of: Updated<'_>, counts: impl Fn(ObjectId) -> bool) -> Option<Replicas> {
        let own = of.update.replicas?;
        let scalers = self.autoscalers.get(&key(of.meta)).into_iter().flatten();
        let scaler = scalers.rev().find(|(id, _)| counts(*id)).map(|(_, scaler)| scaler);
        // It makes as many as its fewest at once, whatever is written in the workload.
        // Source: kubernetes v1.36 `pkg/controller/podautoscaler/horizontal.go`, `reconcileAutoscaler`.
        Some(match scaler {
            // No autoscaler scales what was set to 0.
            Some(scaler) if own > 0 => {
                let most = own.max(scaler.most);
                Replicas { fewest: scaler.fewest.clamp(1, most), most, is_scaled: most > own }
            }
            _ => Replicas { fewest: own, most: own, is_scaled: false },
        })
    }
}

fn key(meta: &Meta) -> Key<'_> {
    (meta.namespace.as_deref().unwrap_or_default(), &meta.gvk.kind, &meta.name)
}
