//! What is judged.

use crate::api::{Cluster, ProxyConfig};
use crate::model::{Model, ObjectId};
use crate::proxy::core::Crossplane;
use crate::proxy::facts::ProxyFacts;

/// What is judged.
pub(super) struct Situation<'m> {
    pub(super) model: &'m Model,
    pub(super) facts: &'m ProxyFacts,
    pub(super) config: Option<&'m ProxyConfig>,
    pub(super) crossplane: Crossplane,
}

impl<'m> Situation<'m> {
    /// The same as one of several cores sees it; none where the workload is not one of several.
    pub(super) fn of_core(&self, id: ObjectId) -> Option<Self> {
        let crossplane = self.crossplane.of_core(self.model, self.facts, self.config, id)?;
        Some(Self { crossplane, ..*self })
    }

    /// The cluster of the config.
    pub(super) fn cluster(&self) -> Option<&'m Cluster> {
        self.config.map(|config| &config.proxy.spec.cluster)
    }
}
