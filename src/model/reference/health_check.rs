//! Ports that a load balancer checks: annotations of Services, and of Ingresses with such a Service as backend; and
//! other annotations of such Ingresses with a port of the pods.
//!
//! Source: kubernetes-sigs/aws-load-balancer-controller@9a312139e `pkg/ingress/model_build_target_group.go`
//! (annotations of the Service override annotations of the Ingress) and `pkg/service/model_build_target_group.go`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::named_port::{Group, NamedPort, Subject};
use super::service;
use crate::catalog::{self, HealthCheck};
use crate::model::facts::{AppliesTo, Count, Effect, FieldPort, Ingress, PodsView, PortField, Reach, Service, is_of};
use crate::model::id::ObjectId;
use crate::model::index::Model;
use crate::model::meta::Meta;
use crate::model::pod::{Scalar, TCP};
use crate::model::text::Name;
use lossless_yaml::Path;

/// Health checks by object, position of the annotation in the catalogue, and `node` of [`checks`]: pods share them.
pub(in crate::model) type HealthCheckCache<'m> = HashMap<(ObjectId, usize, bool), Group<'m>>;

/// A Service with annotations of its own or of its Ingresses.
type Checked<'m> = (ObjectId, &'m Meta, &'m Service);

/// Health checks of the pods of these Services; with `node`, also checks of their nodes.
fn checks<'m>(
    model: &'m Model,
    known: &mut HealthCheckCache<'m>,
    services: &[Checked<'m>],
    node: bool,
) -> Vec<Group<'m>> {
    let mut found = Vec::new();
    for (at, check) in catalog::HEALTH_CHECKS.iter().enumerate() {
        for &(object, meta, _) in services {
            if let Some(text) = meta.annotations.get(check.key)
                && is_of(check, meta)
                && (node || !on_nodes(model, check, meta))
            {
                let group = known.entry((object, at, node)).or_insert_with(|| field(check, object, vec![object], text));
                found.push(Rc::clone(group));
            }
        }
        let checking = services.iter().flat_map(|&(_, service, _)| {
            let ingresses = model.ingresses_of(service).filter(|(_, meta, _)| is_of(check, meta));
            ingresses.filter(|(_, meta, ingress)| ingress.checks(check, meta, service, node))
        });
        let checking: BTreeMap<_, _> = checking.map(|(id, meta, ingress)| (id, (meta, ingress))).collect();
        for (object, (meta, ingress)) in checking {
            let Some(text) = meta.annotations.get(check.key) else { continue };
            let group = known.entry((object, at, node)).or_insert_with(|| {
                // An Ingress configures the same health check port for all its backends.
                let backends = ingress.backends.iter().flat_map(|name| model.services_named(name));
                let checked = backends.filter(|(_, service, _)| ingress.checks(check, meta, service, node));
                field(check, object, checked.map(|(id, ..)| id).collect(), text)
            });
            found.push(Rc::clone(group));
        }
    }
    found
}

/// Annotations of the Ingresses of these Services that name a port of the pods and that hostnet cannot edit.
fn unknown<'m>(model: &'m Model, services: &[Checked<'m>]) -> Group<'m> {
    let mut found = Vec::new();
    for &(service, meta, facts) in services {
        for (object, ingress, _) in model.ingresses_of(meta) {
            let of_pods = |host: &str, _: u16| host.split('.').next() == Some(meta.name.as_str());
            let metadata = Path::root().key("metadata");
            let wanted = Name::is_port_of_backend;
            let fields = service::unknown_annotations(&metadata, &ingress.annotations, wanted, of_pods);
            found.extend(service::without_service_port_numbers(fields, facts).into_iter().map(|field| {
                let subject = Subject::Services(vec![service]);
                NamedPort { object, field: Cow::Owned(field), reach: Reach::Sure, subject }
            }));
        }
    }
    found.into_iter().collect()
}

/// Annotation of an object as a port field of the pods of Services; empty if the text is not a port.
fn field<'m>(check: &HealthCheck, object: ObjectId, mut services: Vec<ObjectId>, text: &str) -> Group<'m> {
    services.sort_unstable();
    let named = FieldPort::parse(text).map(|(port, range)| NamedPort {
        object,
        field: Cow::Owned(PortField {
            path: Path::dotted("metadata.annotations").key(check.key),
            value: Scalar::string(text),
            range,
            port,
            protocol: Some(TCP),
            applies_to: Arc::new(AppliesTo::AllPods),
            effect: Effect::Follows(Count::All),
        }),
        reach: Reach::Sure,
        subject: Subject::Services(services),
    });
    named.into_iter().collect()
}

/// True if the load balancers of a Service send to nodes: by the annotation of the Service, else by the annotations of
/// all Ingresses of the Service.
fn on_nodes(model: &Model, check: &HealthCheck, service: &Meta) -> bool {
    if let Some(target) = service.annotations.get(check.target_type) {
        return target == "instance";
    }
    let ingresses = model.ingresses_of(service).filter(|(_, meta, _)| is_of(check, meta));
    let mut targets = ingresses.map(|(_, meta, _)| meta.annotations.get(check.target_type)).peekable();
    targets.peek().is_some() && targets.all(|target| target == Some("instance"))
}

/// Ports of these pods that load balancers check. A check of the nodes applies to pods on the network of their node,
/// and to the host ports of other pods.
pub(in crate::model) fn fields<'m>(
    model: &'m Model,
    known: &mut HealthCheckCache<'m>,
    pods: PodsView<'_>,
) -> Vec<Group<'m>> {
    let on_host = pods.template.on_host_network();
    let services = model.services_sending_to(pods);
    let services =
        services.filter(|(_, meta, _)| !meta.annotations.is_empty() || model.ingresses_of(meta).next().is_some());
    let services: Vec<Checked<'m>> = services.collect();
    let mut found = checks(model, known, &services, on_host);
    found.push(unknown(model, &services));
    if !on_host && pods.template.held_ports().next().is_some() {
        let is_held = |port: &FieldPort| pods.template.held_ports().any(|held| port.has(held.number));
        let has = |group: &Group<'_>, port: &NamedPort<'_>| {
            group.iter().any(|known| (known.object, &known.field.path) == (port.object, &port.field.path))
        };
        for group in checks(model, known, &services, true) {
            if group.iter().all(|port| is_held(&port.field.port) && !found.iter().any(|known| has(known, port))) {
                found.push(group);
            }
        }
    }
    found
}

/// True if a health check refers to a port of the Service by name. The load balancer controller then accepts no name
/// as `targetPort` (same source, `buildTargetGroupHealthCheckPort`).
pub(in crate::model) fn is_named(model: &Model, service: &Meta, port: Option<&str>) -> bool {
    let Some(port) = port else { return false };
    catalog::HEALTH_CHECKS.iter().any(|check| {
        let names_port = |meta: &Meta| meta.annotations.get(check.key) == Some(port) && is_of(check, meta);
        let by_ingress = |(_, meta, ingress): (ObjectId, &Meta, &Ingress)| {
            names_port(meta) && ingress.checks(check, meta, service, false)
        };
        names_port(service) && !on_nodes(model, check, service) || model.ingresses_of(service).any(by_ingress)
    })
}
