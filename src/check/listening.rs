//! How a listener is called, and how certain it is.

use super::workload::Workload;
use crate::model::listener::{Binding, Listener, Witness};
use crate::model::pod::Container;
use crate::yaml::Path;

impl<'m> Workload<'m> {
    /// The container of a listener.
    #[must_use]
    pub fn container(&self, listener: &Listener) -> Option<&'m Container> {
        self.template.containers.get(listener.container)
    }

    /// How messages call a listener: `Deployment shop/web, container web, port http (8080)`.
    #[must_use]
    pub fn call(&self, listener: &Listener) -> String {
        let container = self.container(listener).map(|container| container.name.as_str()).unwrap_or_default();
        let port = match &listener.name {
            Some(name) => format!("port {name} ({})", listener.number),
            None => format!("port {}", listener.number),
        };
        format!("{}, container {container}, {port}", self.meta)
    }

    /// The field of a listener: its declaration, else its container.
    #[must_use]
    pub fn field(&self, listener: &Listener) -> Path {
        let container = self.container(listener);
        match (container, listener.declared) {
            (Some(container), Some(index)) => container.port_path(index),
            (Some(container), None) => container.path.clone(),
            (None, _) => self.template.spec_path(),
        }
    }
}

/// Whether a listener is there for certain: it is declared, or the manifest itself sets the number of the process. What only the
/// catalogue knows depends on the version, and what only a probe or a Service shows may be their mistake.
pub(super) fn is_certain(listener: &Listener) -> bool {
    let seen = [Witness::Declared, Witness::Bind, Witness::ConfigFile, Witness::AnyAddress];
    seen.into_iter().any(|witness| listener.witnesses.has(witness)) || matches!(listener.binding, Binding::Visible(_))
}
