//! Which workloads count as others: a Pod as the Deployment that made it.

use std::collections::BTreeSet;

use crate::model::index::{self, deployment_of, object_key, owner_key};
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Model};

/// The workloads of an input by their keys, and their owners.
pub(super) struct Owners {
    here: BTreeSet<String>,
    owners: index::Owners,
}

impl Owners {
    pub(super) fn of(model: &Model) -> Self {
        let here = model.workloads().map(|(_, object, _)| object_key(&object.meta)).collect();
        Self { owners: index::Owners::of(model), here }
    }

    /// The key of what made an object in the end, and whether that or something between is in the input.
    pub(super) fn root(&self, meta: &Meta, template: &PodTemplate) -> (String, bool) {
        let Some(owner) = template.owner.as_deref() else { return (object_key(meta), false) };
        let mut root = owner_key(meta, owner);
        if let Some(deployment) = deployment_of(template, owner).filter(|_| !self.here.contains(&root)) {
            root = owner_key(meta, &deployment);
        }
        let is_here = self.here.contains(&root) || self.owners.above(&root).any(|above| self.here.contains(above));
        (self.owners.above(&root).last().map_or_else(|| root.clone(), str::to_owned), is_here)
    }
}
