//! Ports that a load balancer checks: annotations of Services, and of Ingresses with such a Service as backend.
//!
//! Source: kubernetes-sigs/aws-load-balancer-controller@9a312139e `pkg/ingress/model_build_target_group.go` (annotations of the
//! Service win over those of the Ingress) and `pkg/service/model_build_target_group.go`.

use std::borrow::Cow;
use std::sync::Arc;

use super::named_port::{NamedPort, Subject};
use crate::catalog::{self, HealthCheck};
use crate::model::facts::{AppliesTo, Count, Effect, FieldPort, Ingress, PodsView, PortField, Reach, is_of};
use crate::model::id::ObjectId;
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{Scalar, TCP};
use lossless_yaml::Path;

/// A port that a load balancer checks on pods.
struct Checked<'m> {
    check: &'static HealthCheck,
    /// Service or `Ingress` that configures the check.
    object: ObjectId,
    /// Checked Services; all of their pods have the port.
    services: Vec<ObjectId>,
    /// The port, as written.
    text: &'m str,
}

/// Health checks of these pods; with `node`, also checks of their nodes.
fn checked<'m>(model: &'m Model, pods: PodsView<'_>, node: bool) -> Vec<Checked<'m>> {
    let mut found = Vec::new();
    let services: Vec<_> = model.services_behind(pods).collect();
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
            if services.iter().any(|(_, meta, _)| is_checked(meta)) {
                // An Ingress has the same port checked of all its backends.
                let all = model.services().filter(|(_, meta, _)| is_checked(meta)).map(|(id, ..)| id);
                found.push(Checked { check, object, services: all.collect(), text });
            }
        }
    }
    found
}

/// True if the load balancers of a Service send to nodes: by the annotation of the Service, else by the annotations of
/// all Ingresses of the Service.
fn on_nodes(model: &Model, check: &HealthCheck, service: &Meta) -> bool {
    if let Some(target) = service.annotations.get(check.target_type) {
        return target == "instance";
    }
    let ingresses =
        model.ingresses().filter(|(_, meta, ingress)| is_of(check, meta) && ingress.leads_to(meta, service));
    let mut targets = ingresses.map(|(_, meta, _)| meta.annotations.get(check.target_type)).peekable();
    targets.peek().is_some() && targets.all(|target| target == Some("instance"))
}

/// The ports of these pods that load balancers check. One of nodes means them where they are on their node's network already.
pub(in crate::model) fn fields<'m>(model: &'m Model, pods: PodsView<'_>) -> Vec<NamedPort<'m>> {
    let on_host = pods.template.on_host_network();
    let named = |checked: Checked<'m>| {
        let value = Scalar::string(checked.text);
        let (port, range) = FieldPort::parse(checked.text)?;
        let field = PortField {
            path: Path::dotted("metadata.annotations").key(checked.check.key),
            value,
            range,
            port,
            protocol: Some(TCP),
            applies_to: Arc::new(AppliesTo::Anyone),
            effect: Effect::Follows(Count::All),
        };
        let (object, subject) = (checked.object, Subject::Services(checked.services));
        Some(NamedPort { object, field: Cow::Owned(field), reach: Reach::Sure, subject })
    };
    let mut found: Vec<NamedPort<'m>> = checked(model, pods, on_host).into_iter().filter_map(named).collect();
    if !on_host && pods.template.held_ports().next().is_some() {
        let is_held = |port: &FieldPort| pods.template.held_ports().any(|held| port.has(held.number));
        for own in checked(model, pods, true).into_iter().filter_map(named).filter(|own| is_held(&own.field.port)) {
            if !found.iter().any(|known| (known.object, &known.field.path) == (own.object, &own.field.path)) {
                found.push(own);
            }
        }
    }
    found
}

/// True if a health check refers to a port of the Service by name. The load balancer controller then accepts no name
/// as `targetPort` (same source, `buildTargetGroupHealthCheckPort`).
pub(in crate::model) fn is_named(model: &Model, service: &Meta, port: Option<&str>) -> bool {
    let Some(port) = port else { return false };
    catalog::health_checks().iter().any(|check| {
        let says = |meta: &Meta| meta.annotations.get(check.key) == Some(port) && is_of(check, meta);
        let by_ingress =
            |(_, meta, ingress): (ObjectId, &Meta, &Ingress)| says(meta) && ingress.checks(check, meta, service, false);
        says(service) && !on_nodes(model, check, service) || model.ingresses().any(by_ingress)
    })
}
