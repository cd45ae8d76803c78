//! What is judged.

use crate::api::{Cluster, ProxyConfig};
use crate::model::Model;
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
    /// The cluster of the config.
    pub(super) fn cluster(&self) -> Option<&'m Cluster> {
        self.config.map(|config| &config.proxy.spec.cluster)
    }
}
