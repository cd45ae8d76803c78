//! Objects of a finding, to which a select, a suppression or an annotation may refer.

use std::collections::BTreeMap;

use crate::check::{Finding, PackagePods};
use crate::model::{Meta, Model, ObjectId};

/// Packages by runtime config, because a finding about a runtime config also concerns its packages.
pub(super) struct FindingObjects<'l> {
    model: &'l Model,
    packages: BTreeMap<ObjectId, &'l [ObjectId]>,
}

impl<'l> FindingObjects<'l> {
    /// Collects the packages of a model.
    pub(super) fn new(model: &'l Model, packages: &'l [PackagePods]) -> Self {
        Self { model, packages: packages.iter().map(|pods| (pods.config, pods.packages.as_slice())).collect() }
    }

    /// The object, and the packages that use it as a runtime config.
    pub(super) fn of_object(&self, id: ObjectId) -> impl Iterator<Item = (ObjectId, &'l Meta)> {
        let packages = self.packages.get(&id).copied().unwrap_or_default();
        let all = std::iter::once(id).chain(packages.iter().copied());
        all.filter_map(|id| Some((id, &self.model.object(id)?.meta)))
    }

    /// The finding's object and the second object of a pair.
    pub(super) fn for_finding(&self, finding: &Finding) -> Vec<(ObjectId, &'l Meta)> {
        let other = finding.other.as_ref().map(|(id, _)| *id);
        let mut all: Vec<_> = finding.object.into_iter().chain(other).flat_map(|id| self.of_object(id)).collect();
        all.dedup_by_key(|(id, _)| *id);
        all
    }
}
