//! Display names, fields and certainty of listeners.

use super::context::CheckContext;
use super::workload::Workload;
use crate::judge::node_port;
use crate::model::listener::{EvidenceKind, Listener, Role};
use crate::model::pod::{Container, TCP};
use lossless_yaml::Path;

impl<'m> Workload<'m> {
    /// Container of a listener.
    pub fn container(&self, listener: &Listener) -> Option<&'m Container> {
        self.template.containers.get(listener.container)
    }

    /// Display name of a listener: `Deployment shop/web, container web, port http (8080)`.
    pub fn display_name(&self, listener: &Listener) -> String {
        let container = self.container(listener).map(|container| container.name.as_str()).unwrap_or_default();
        let port = match &listener.name {
            Some(name) => format!("port {name} ({})", listener.number),
            None => format!("port {}", listener.number),
        };
        format!("{}, container {container}, {port}", self.meta)
    }

    /// Path for findings about a listener: the declared port, or else the container.
    pub fn field(&self, listener: &Listener) -> Path {
        let container = self.container(listener);
        match (container, listener.declared) {
            (Some(container), Some(index)) => container.port_path(index),
            (Some(container), None) => container.path.clone(),
            (None, _) => self.template.spec_path(),
        }
    }
}

/// True if only a probe, a Service or a scraper refers to the port, while other evidence shows the ports of the pod:
/// the reference may have a wrong number. Other rules report wrong numbers of probes and Services.
pub(super) fn may_be_a_mistake(context: &CheckContext<'_>, workload: &Workload<'_>, listener: &Listener) -> bool {
    let is_dialled = || {
        let others = workload.ports.listeners.iter().any(|other| !has_only_probe_or_service_evidence(other));
        has_only_probe_or_service_evidence(listener)
            && others
            && !is_configured(context, workload, listener.container, listener.number)
    };
    is_outdated_scrape_port(workload, listener) || is_dialled()
}

/// True if only scrapers refer to the port, in a container whose metrics port is known from other evidence: the scraped
/// number is out of date.
pub(super) fn is_outdated_scrape_port(workload: &Workload<'_>, listener: &Listener) -> bool {
    let is_known = |other: &Listener| {
        other.role == Role::Metrics && other.container == listener.container && !has_only_scrape_evidence(other)
    };
    listener.declared.is_none() && has_only_scrape_evidence(listener) && workload.ports.listeners.iter().any(is_known)
}

/// True if the catalogue's list of node ports assigns this number to the container, or if a ConfigMap that the pods
/// read contains the number.
pub(super) fn is_configured(
    context: &CheckContext<'_>,
    workload: &Workload<'_>,
    container: usize,
    number: u16,
) -> bool {
    let container = workload.template.containers.get(container);
    if container.is_some_and(|container| node_port::is_port_of_container(container, number, &TCP)) {
        return true;
    }
    let namespace = workload.meta.namespace.as_deref();
    workload.template.config_maps.iter().any(|used| {
        let map = context.model.config_map(namespace, &used.name);
        let mut numbers = map.into_iter().flat_map(|(_, map)| &map.numbers);
        numbers.any(|found| found.port == number && used.has(&used.name, &found.key))
    })
}

/// True if the only evidence for a listener is a probe, or is a Service.
fn has_only_probe_or_service_evidence(listener: &Listener) -> bool {
    let by =
        |evidence_kind: EvidenceKind| listener.evidence_kinds.has(evidence_kind) && listener.evidence_kinds.len() == 1;
    by(EvidenceKind::Probe) || by(EvidenceKind::Service)
}

/// True if scrapers and Services are the only evidence for a listener.
fn has_only_scrape_evidence(listener: &Listener) -> bool {
    let scrapers = [EvidenceKind::Annotation, EvidenceKind::Monitor, EvidenceKind::Service];
    let seen = scrapers.into_iter().filter(|evidence_kind| listener.evidence_kinds.has(*evidence_kind)).count();
    seen > 0 && seen == listener.evidence_kinds.len()
}
