//! What is judged.

use std::collections::BTreeSet;
use std::sync::Arc;

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
    /// The namespaces of the input's objects, and that of Crossplane.
    pub(super) namespaces: Arc<BTreeSet<String>>,
}

impl<'m> Situation<'m> {
    /// What is known of a model.
    pub(super) fn of(model: &'m Model, facts: &'m ProxyFacts, config: Option<&'m ProxyConfig>) -> Self {
        let crossplane = Crossplane::of(model, facts, config);
        let of_objects = model.objects().iter().filter_map(|object| object.meta.namespace.as_ref());
        let namespaces: BTreeSet<String> = of_objects.chain(&crossplane.namespace).cloned().collect();
        Self { model, facts, config, crossplane, namespaces: Arc::new(namespaces) }
    }

    /// The same as one of several cores sees it; none where the workload is not one of several.
    pub(super) fn of_core(&self, id: ObjectId) -> Option<Self> {
        let crossplane = self.crossplane.of_core(self.model, self.facts, self.config, id)?;
        Some(Self { crossplane, namespaces: Arc::clone(&self.namespaces), ..*self })
    }

    /// The cluster of the config.
    pub(super) fn cluster(&self) -> Option<&'m Cluster> {
        self.config.map(|config| &config.proxy.spec.cluster)
    }
}
