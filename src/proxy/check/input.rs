//! Input of `hostnet proxy check`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::{Cluster, ProxyConfig};
use crate::model::{Model, ObjectId};
use crate::proxy::core::Crossplane;
use crate::proxy::facts::ProxyFacts;

/// Input of a check: model, facts, config, and Crossplane installation.
pub(super) struct CheckInput<'m> {
    pub(super) model: &'m Model,
    pub(super) facts: &'m ProxyFacts,
    pub(super) config: Option<&'m ProxyConfig>,
    pub(super) crossplane: Crossplane,
    /// The core, if the input has several.
    pub(super) core: Option<ObjectId>,
    /// Namespaces of the objects in the input, and the namespace of Crossplane.
    pub(super) namespaces: Arc<BTreeSet<String>>,
}

impl<'m> CheckInput<'m> {
    /// Collects the input of a check from a model.
    pub(super) fn new(model: &'m Model, facts: &'m ProxyFacts, config: Option<&'m ProxyConfig>) -> Self {
        let crossplane = Crossplane::new(model, facts, config);
        let of_objects = model.objects().iter().filter_map(|object| object.meta.namespace.as_ref());
        let namespaces: BTreeSet<String> = of_objects.chain(&crossplane.namespace).cloned().collect();
        Self { model, facts, config, crossplane, core: None, namespaces: Arc::new(namespaces) }
    }

    /// Returns the input with the Crossplane of core `id`; `None` if the input has no other core.
    pub(super) fn of_core(&self, id: ObjectId) -> Option<Self> {
        let crossplane = self.crossplane.of_core(self.model, self.facts, self.config, id)?;
        Some(Self { crossplane, core: Some(id), namespaces: Arc::clone(&self.namespaces), ..*self })
    }

    /// `cluster` section of the config.
    pub(super) fn cluster(&self) -> Option<&'m Cluster> {
        self.config.map(|config| &config.proxy.spec.cluster)
    }
}
