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
    autoscalers: HashMap<Key<'m>, &'m Autoscaler>,
    /// The objects that take the template of a workload, and replace its pods.
    instead: HashMap<Key<'m>, Updated<'m>>,
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
                    scale.autoscalers.insert((namespace, &scaler.target.0, &scaler.target.1), scaler);
                }
                OfKind::Instead(instead) => {
                    let ((kind, name), update, rollout) = (&instead.workload, &instead.update, Some(&instead.rollout));
                    scale.instead.insert((namespace, kind, name), Updated { id, meta, update, rollout });
                }
                _ => {}
            }
        }
        scale
    }

    /// What says how the pods of a workload are replaced.
    pub(super) fn updated(&self, workload: &Workload<'m>) -> Updated<'m> {
        let rollout = workload.template.rollout.as_deref();
        let own = Updated { id: workload.id, meta: workload.meta, update: workload.update, rollout };
        self.instead.get(&key(workload.meta)).copied().unwrap_or(own)
    }

    /// How many pods an object has; none where nobody says a number.
    pub(super) fn replicas(&self, of: Updated<'_>) -> Option<Replicas> {
        let own = of.update.replicas?;
        let scaler = self.autoscalers.get(&key(of.meta));
        Some(match scaler {
            // No autoscaler scales what was set to 0.
            Some(scaler) if own > 0 => {
                let most = own.max(scaler.most);
                let fewest = if of.update.is_written { own.min(scaler.fewest) } else { scaler.fewest };
                Replicas { fewest: fewest.clamp(1, most), most, is_scaled: most > own }
            }
            _ => Replicas { fewest: own, most: own, is_scaled: false },
        })
    }
}

fn key(meta: &Meta) -> Key<'_> {
    (meta.namespace.as_deref().unwrap_or_default(), &meta.gvk.kind, &meta.name)
}
