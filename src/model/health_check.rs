//! Ports that a load balancer checks: annotations of Services, and of Ingresses with such a Service as backend (P5).
//!
//! Source: kubernetes-sigs/aws-load-balancer-controller@9a312139e `pkg/ingress/model_build_target_group.go` (annotations of the
//! Service win over those of the Ingress) and `pkg/service/model_build_target_group.go`.

use super::listener::Listener;
use super::pod::Scalar;
use super::reference::{Pods, Reference};
use super::service::Service;
use super::{Facts, Meta, Model, ObjectId};
use crate::catalog::{self, HealthCheck};
use crate::yaml::{NodeRef, Path};

/// An Ingress that says something of health checks.
#[derive(Debug, Clone)]
pub struct Ingress {
    /// Names of the Services that it leads to, of those that a path or the default names.
    backends: Vec<Box<str>>,
}

/// How the keys of annotations begin that name Services too, each as a JSON text.
/// Source: `pkg/ingress/enhanced_backend_builder.go`, `buildActionViaAnnotation`.
const ACTIONS: &str = "alb.ingress.kubernetes.io/actions.";

impl Ingress {
    /// Reads an Ingress of any version; none when no annotation is about health checks.
    #[must_use]
    pub fn of(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let says = |check: &HealthCheck| {
            [check.key, check.target_type].iter().any(|key| is_of(check, meta) && meta.annotations.get(key).is_some())
        };
        let spec = object.get("spec").filter(|_| catalog::health_checks().iter().any(says))?;
        let rules = spec.get("rules").into_iter().flat_map(NodeRef::items);
        let paths = rules.filter_map(|rule| rule.get("http")?.get("paths")).flat_map(NodeRef::items);
        let default = ["defaultBackend", "backend"].into_iter().filter_map(|key| spec.get(key));
        let name = |backend: NodeRef<'_, '_>| {
            let name = backend.get("service").and_then(|service| service.get("name"));
            name.or_else(|| backend.get("serviceName")).and_then(NodeRef::text).map(Box::from)
        };
        Some(Self { backends: paths.filter_map(|path| path.get("backend")).chain(default).filter_map(name).collect() })
    }

    fn leads_to(&self, own: &Meta, service: &Meta) -> bool {
        let quoted = format!("\"{}\"", service.name);
        let names = |(key, value): (&str, &str)| key.starts_with(ACTIONS) && value.contains(&quoted);
        own.namespace == service.namespace
            && (self.backends.iter().any(|name| **name == *service.name) || own.annotations.iter().any(names))
    }
}

fn is_of(check: &HealthCheck, meta: &Meta) -> bool {
    check.kinds.contains(&meta.gvk.kind.as_str())
}

/// A port that a load balancer checks on pods.
pub(super) struct Checked<'m> {
    check: &'static HealthCheck,
    /// What says so: a Service, or an Ingress.
    pub(super) object: ObjectId,
    /// The Services that lead to the pods and are checked there.
    services: Vec<ObjectId>,
    /// The port, as written.
    pub(super) text: &'m str,
}

impl Checked<'_> {
    /// The annotation.
    pub(super) fn path(&self) -> Path {
        Path::dotted("metadata.annotations").key(self.check.key)
    }
}

/// What is checked on these pods; `node` also has what is checked on their nodes.
pub(super) fn checked<'m>(model: &'m Model, pods: Pods<'m>, node: bool) -> Vec<Checked<'m>> {
    let mut found = Vec::new();
    let services: Vec<_> = model.services_of(pods.meta, pods.template).collect();
    for check in catalog::health_checks() {
        for &(object, meta, _) in &services {
            if let Some(text) = meta.annotations.get(check.key)
                && is_of(check, meta)
                && (node || !on_nodes(model, check, meta))
            {
                found.push(Checked { check, object, services: vec![object], text });
            }
        }
        for (object, meta, ingress) in model.ingresses().filter(|(_, meta, _)| is_of(check, meta)) {
            let Some(text) = meta.annotations.get(check.key) else { continue };
            let is_checked = |service: &Meta| ingress.checks(check, meta, service, node);
            let own: Vec<ObjectId> =
                services.iter().filter(|(_, meta, _)| is_checked(meta)).map(|(id, ..)| *id).collect();
            if !own.is_empty() {
                found.push(Checked { check, object, services: own, text });
            }
        }
    }
    found
}

impl Ingress {
    /// Whether the Service is checked as the Ingress says, not as its own annotations do.
    fn checks(&self, check: &HealthCheck, own: &Meta, service: &Meta, node: bool) -> bool {
        let target = service.annotations.get(check.target_type).or_else(|| own.annotations.get(check.target_type));
        self.leads_to(own, service)
            && service.annotations.get(check.key).is_none()
            && (node || target != Some("instance"))
    }
}

/// Whether the load balancers of a Service send to nodes: by its own annotation, else by those of all its Ingresses.
fn on_nodes(model: &Model, check: &HealthCheck, service: &Meta) -> bool {
    if let Some(target) = service.annotations.get(check.target_type) {
        return target == "instance";
    }
    let ingresses =
        model.ingresses().filter(|(_, meta, ingress)| is_of(check, meta) && ingress.leads_to(meta, service));
    let mut targets = ingresses.map(|(_, meta, _)| meta.annotations.get(check.target_type)).peekable();
    targets.peek().is_some() && targets.all(|target| target == Some("instance"))
}

/// The health checks that mean a listener. One of nodes means it where the pods are on their node's network already.
pub(super) fn references(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let is_held = pods.template.held_ports().any(|port| port.number == listener.number);
    let node = is_held || pods.template.on_host_network();
    for checked in checked(model, pods, node) {
        if super::text::port(checked.text) != Some(listener.number) {
            continue;
        }
        // An Ingress has the same port checked of all its backends.
        let all: Vec<(&Meta, &Service)> = match model.object(checked.object).map(|object| (&object.meta, &object.facts))
        {
            Some((meta, Facts::Ingress(ingress))) => {
                let services = model.objects().iter().filter_map(|object| match &object.facts {
                    Facts::Service(service) => Some((&object.meta, service.as_ref())),
                    _ => None,
                });
                services.filter(|(service, _)| ingress.checks(checked.check, meta, service, node)).collect()
            }
            Some((meta, Facts::Service(service))) => vec![(meta, service)],
            _ => Vec::new(),
        };
        let templates = all.into_iter().flat_map(|(meta, service)| model.selected_by(meta, service));
        let mut others: Vec<ObjectId> = templates.map(|(id, _)| id).filter(|id| *id != pods.id).collect();
        others.sort_unstable();
        others.dedup();
        let value = Scalar::string(checked.text);
        found.push(Reference::Field { object: checked.object, path: checked.path(), value, others });
    }
}

/// Whether a health check calls a port of the Service by its name: then the load balancer's controller takes no name as its
/// `targetPort` (the same source, `buildTargetGroupHealthCheckPort`).
pub(super) fn is_named(model: &Model, pods: Pods<'_>, service: ObjectId, port: Option<&str>) -> bool {
    port.is_some_and(|port| {
        checked(model, pods, false).iter().any(|found| found.text == port && found.services.contains(&service))
    })
}
