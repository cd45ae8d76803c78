//! `ServiceMonitor`s and `PodMonitor`s: whose metrics Prometheus reads, and at which container port (P5). `VMServiceScrape`s and
//! `VMPodScrape`s are the same for `VictoriaMetrics`.
//!
//! Prometheus keeps the targets whose *declared* container port has the number (prometheus-operator v0.93.0,
//! `pkg/apis/monitoring/v1/types.go:557`, `podmonitor_types.go:238`). The `port` of both kinds is a name and stays.
//! So does a `vmagent` (`VictoriaMetrics` operator v0.47.3, `internal/controller/operator/factory/vmagent/servicescrape.go:86`,
//! `podscrape.go:73`).

use super::listener::Listener;
use super::placeholder::is_placeholder;
use super::pod::{PodTemplate, Scalar};
use super::protocol::TCP;
use super::reference::{Pods, Reference};
use super::scope::Scope;
use super::{Meta, Model, ObjectId};
use crate::yaml::{NodeRef, Path};

/// A monitor that names container ports by number.
#[derive(Debug, Clone)]
pub struct Monitor {
    /// What it selects.
    pub scope: Scope,
    /// Whether it selects Services, by their own labels, and through them pods; else pods.
    pub services: bool,
    /// The numbers, and what is filled in later, each with its path.
    pub numbers: Vec<(Path, Scalar)>,
}

impl Monitor {
    /// Reads a monitor; none when it names no number.
    #[must_use]
    pub fn of(meta: &Meta, object: NodeRef<'_, '_>, services: bool) -> Option<Self> {
        let spec = object.get("spec")?;
        let (list, fields): (&str, &[&'static str]) = match services {
            true => ("endpoints", &["targetPort"]),
            false => ("podMetricsEndpoints", &["portNumber", "targetPort"]),
        };
        let mut numbers = Vec::new();
        for (index, endpoint) in spec.get(list).into_iter().flat_map(NodeRef::items).enumerate() {
            let path = Path::root().key("spec").key(list.to_owned()).item(index);
            for field in fields {
                let value = endpoint.get(field).and_then(Scalar::of);
                let is_number = |text: &str| super::text::port(text).is_some() || is_placeholder(text);
                let number = value.filter(|value| is_number(&value.text));
                numbers.extend(number.map(|value| (path.key(*field), value)));
            }
        }
        if numbers.is_empty() {
            return None;
        }
        Some(Self { scope: Scope::monitored(spec, meta)?, services, numbers })
    }

    /// Whether it has metrics of the pods of this template read.
    pub(super) fn selects(&self, model: &Model, meta: &Meta, template: &PodTemplate) -> bool {
        if !self.services {
            return self.scope.meets(meta.namespace.as_deref(), &template.labels);
        }
        model
            .services_of(meta, template)
            .any(|(_, service, _)| self.scope.meets(service.namespace.as_deref(), &service.labels))
    }
}

/// The numbers of monitors that mean a listener.
pub(super) fn references(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let own = |value: &Scalar| super::text::port(&value.text) == Some(listener.number);
    for (object, monitor, watched) in model.monitors_of(pods.meta, pods.template) {
        if !monitor.numbers.iter().any(|(_, value)| own(value)) {
            continue;
        }
        let declares = |id: &ObjectId| {
            model.object(*id).and_then(|o| o.template()).is_some_and(|t| t.declares(listener.number, &TCP))
        };
        let others = watched.workloads.iter().copied().filter(|id| *id != pods.id && declares(id));
        let others: Vec<ObjectId> = others.collect();
        for (path, value) in monitor.numbers.iter().filter(|(_, value)| own(value)) {
            let (path, value) = (path.clone(), value.clone());
            found.push(Reference::Field { object, path, value, others: others.clone() });
        }
    }
}
