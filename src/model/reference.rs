//! What refers to a listener's number, and must move with it (P5; facts: Kubernetes, which field names whose port).

use std::collections::{BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::evidence::{Form, Leftover, Name, TextPlace, shown};
use super::labels::Labels;
use super::listener::Listener;
use super::pod::{HeldPort, PodTemplate, Scalar};
use super::pod_texts::PodTexts;
use super::service::ServicePort;
use super::text::{listed_ports, mentions};
use super::{
    Meta, Model, ObjectId, config_references, health_check, monitor, network_policy, plugin_policy, probe_marker, seen,
};
use crate::catalog::{self, Program};
use crate::yaml::Path;

/// A reference to a listener's number.
#[derive(Debug, Clone)]
pub enum Reference {
    /// A field whose whole value is the number: probes, hooks, annotations, monitors.
    Field {
        /// The object that has the field.
        object: ObjectId,
        /// The field.
        path: Path,
        /// Its value.
        value: Scalar,
        /// Other workloads whose pods it is about as well: they must move alike.
        others: Vec<ObjectId>,
    },
    /// The number inside a text: an address of the pod itself, a flag of an exec probe.
    Text {
        /// The object that has the text.
        object: ObjectId,
        /// Where the number stands.
        place: TextPlace,
        /// Other workloads whose pods it is about as well: they must move alike.
        others: Vec<ObjectId>,
    },
    /// A port that a network policy opens.
    Opening(Opening),
    /// A port that a policy opens, which may be about the listener or not: it is reported and stops nothing.
    MayOpen {
        /// The policy.
        object: ObjectId,
        /// The path of the port.
        path: Path,
        /// All that the rule opens for the protocol.
        open: Vec<RangeInclusive<u16>>,
        /// Whether it keeps them closed instead.
        denies: bool,
    },
    /// A target port of a Service.
    Target(ServiceTarget),
    /// A reference that cannot be moved: it stops the move.
    Stuck {
        /// The object that has it.
        object: ObjectId,
        /// Where.
        path: Path,
        /// Why it cannot be moved, after "because".
        why: String,
    },
    /// Something that may be a reference; it is reported and stops nothing.
    Seen {
        /// The object that has it.
        object: ObjectId,
        /// Where.
        path: Path,
        /// What it is.
        what: String,
    },
}

impl Reference {
    /// The field of a pod template that a probe, a text or a variable of its own is.
    fn own_path(&self) -> Option<&Path> {
        match self {
            Self::Field { path, .. } | Self::Stuck { path, .. } | Self::Seen { path, .. } => Some(path),
            Self::Text { place, .. } => Some(&place.path),
            Self::Opening(_) | Self::MayOpen { .. } | Self::Target(_) => None,
        }
    }
}

/// A target port of a Service that leads to a listener by number.
#[derive(Debug, Clone)]
pub struct ServiceTarget {
    /// The Service.
    pub service: ObjectId,
    /// The port of the Service.
    pub port: Path,
    /// `targetPort`, where it is written.
    pub target: Option<Scalar>,
    /// The templates that the Service leads to.
    pub templates: Vec<ObjectId>,
    /// A port name that means this listener, and only it, in every template that the Service leads to.
    pub name: Option<String>,
    /// `clusterIP: None`: clients dial the number itself.
    pub headless: bool,
}

/// A port that a rule of a network policy opens.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The policy.
    pub object: ObjectId,
    /// The path of `port`.
    pub path: Path,
    /// `port`
    pub value: Scalar,
    /// Whether it opens a range.
    pub is_range: bool,
    /// How many ports the rule has.
    pub count: usize,
    /// All that the rule opens for the protocol.
    pub open: Vec<RangeInclusive<u16>>,
    /// Other workloads whose pods the rule is about: those that have the number must move alike.
    pub others: Vec<ObjectId>,
}

/// A workload and the listeners of its pods.
#[derive(Debug, Clone, Copy)]
pub struct Pods<'m> {
    /// The object.
    pub id: ObjectId,
    /// Its identity.
    pub meta: &'m Meta,
    /// Its template.
    pub template: &'m PodTemplate,
    /// Its listeners.
    pub listeners: &'m [Listener],
    /// The programs of its containers, where the catalogue or the config knows them.
    pub programs: &'m [Option<Arc<Program>>],
}

/// All references to a listener's number; `texts` are those of its pod.
#[must_use]
pub fn references<'m>(model: &'m Model, pods: Pods<'m>, texts: &PodTexts<'m>, listener: &Listener) -> Vec<Reference> {
    let mut found = Vec::new();
    if listener.protocol == "TCP" {
        probes(pods, listener, &mut found);
        self::texts(pods, texts, listener, &mut found);
        let metadata = pods.template.path.key("metadata");
        known_annotations(pods.id, &metadata, &pods.template.annotations, listener, &[], &mut found);
        other_annotations(pods, listener, &mut found);
        monitor::references(model, pods, listener, &mut found);
        probe_marker::references(model, pods, listener, &mut found);
        health_check::references(model, pods, listener, &mut found);
    }
    seen::references(model, pods, listener, &mut found);
    services(model, pods, listener, &mut found);
    homeless_services(model, pods, listener, &mut found);
    network_policy::references(model, pods, listener, &mut found);
    plugin_policy::references(model, pods, listener, &mut found);
    config_references::references(model, pods, texts, listener, &mut found);
    leftovers(pods, texts, listener, &mut found);
    named_by_others(model, pods, texts, listener, &mut found);
    found
}

/// Flags and variables of other workloads that name this one, or a Service that leads to it, and hold the number: `WEB_PORT=8080`.
/// What clients of a Service dial is the Service's own port, which stays.
fn named_by_others(
    model: &Model,
    pods: Pods<'_>,
    texts: &PodTexts<'_>,
    listener: &Listener,
    found: &mut Vec<Reference>,
) {
    let services: BTreeSet<&str> =
        model.services_of(pods.meta, pods.template).map(|(_, service, _)| service.name.as_str()).collect();
    let own_names = services.into_iter().chain([pods.meta.name.as_str()]);
    let told = model.told_ports(listener.number, pods.meta.namespace.as_deref(), own_names);
    for (object, port) in told.into_iter().filter(|(object, _)| *object != pods.id) {
        let here = model.object(object).is_some_and(|other| other.meta.namespace == pods.meta.namespace);
        let name = Name::of(&port.name);
        let own = |name_of: &str| name.names(name_of);
        let services = || model.services_of(pods.meta, pods.template);
        let named = own(&pods.meta.name) || services().any(|(_, service, _)| own(&service.name));
        let is_service_port = services().any(|(_, service, _)| {
            own(&service.name) && texts.surroundings().is_own_service_port(&service.name, listener.number)
        });
        if here && named && !is_service_port {
            let what = format!("`{}` names it and holds {}", port.name, listener.number);
            found.push(Reference::Seen { object, path: port.place.path.clone(), what });
        }
    }
}

/// The number in other texts of the listener's own container, which nothing changes and nothing explains: after a move they
/// would name a port on which nothing listens.
fn leftovers(pods: Pods<'_>, texts: &PodTexts<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let Some(container) = texts.of(listener.container) else { return };
    let not_listen = pods.programs.get(listener.container).and_then(Option::as_ref);
    let not_listen = not_listen.map_or(&[][..], |program| &program.not_listen);
    let of_listeners = texts.listeners(listener.number).iter().filter_map(|&other| pods.listeners.get(other));
    let told = of_listeners.flat_map(|other| other.binding.places()).filter(|(object, ..)| object.is_none());
    let told = told.map(|(_, place, _)| place);
    let own = found.iter().filter_map(|reference| match reference {
        Reference::Text { object, place, .. } if *object == pods.id => Some(place),
        _ => None,
    });
    let changed: BTreeSet<(&Path, usize)> = told.chain(own).map(|place| (&place.path, place.range.start)).collect();
    // What stops the move already is said once.
    let stuck: BTreeSet<&Path> = found
        .iter()
        .filter(|reference| matches!(reference, Reference::Stuck { .. }))
        .filter_map(Reference::own_path)
        .collect();
    let is_changed =
        |place: &TextPlace| changed.contains(&(&place.path, place.range.start)) || stuck.contains(&place.path);
    let left = container.texts.leftovers(texts.surroundings(), listener.number, not_listen, is_changed);
    let mut seen = BTreeSet::new();
    let stuck =
        left.into_iter().filter(|left| seen.insert(left.place.path.clone())).map(|left| stays(pods, listener, &left));
    let stuck: Vec<Reference> = stuck.collect();
    found.extend(stuck);
}

/// What is said of a text that would keep the old number.
fn stays(pods: Pods<'_>, listener: &Listener, left: &Leftover) -> Reference {
    let (path, text) = shown(&left.place);
    let number = listener.number;
    let container = pods.template.containers.get(listener.container).map(|c| c.name.as_str()).unwrap_or_default();
    let remedy = match &left.name {
        Some(name) => {
            let key = if name.starts_with('-') { "arg" } else { "env" };
            format!(
                "where it is this port, add to the target `bind: [{{container: {container}, port: {}, {key}: {name}}}]`; where \
                 it is not, list `{name}` as `notListen` of the program under `programs`",
                listener.label
            )
        }
        None => "change it there by hand, or let the port keep its number".to_owned(),
    };
    let why = format!("`{text}` has {number} as well, and whether it means this port is not known: {remedy}");
    Reference::Stuck { object: pods.id, path, why }
}

fn probes(pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let probes = pods.template.running().flat_map(|(_, container)| &container.probes);
    for probe in probes.filter(|probe| probe.number() == Some(listener.number)) {
        let (path, value) = (probe.path.clone(), probe.port.clone());
        found.push(Reference::Field { object: pods.id, path, value, others: Vec::new() });
    }
}

fn texts(pods: Pods<'_>, texts: &PodTexts<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    // Texts that the catalogue does not know change with the one that it does.
    for place in &listener.also {
        found.push(Reference::Text { object: pods.id, place: place.place.clone(), others: Vec::new() });
    }
    let also: BTreeSet<(&Path, usize)> =
        listener.also.iter().map(|also| (&also.place.path, also.place.range.start)).collect();
    let known = |at: &TextPlace| texts.tells(at) || also.contains(&(&at.path, at.range.start));
    let is_own = |port: HeldPort<'_>| (port.number, port.protocol) == (listener.number, listener.protocol.as_ref());
    let mut on_node = None;
    for address in texts.own_addresses(listener.number).filter(|address| !known(&address.place)).cloned() {
        let mut is_on_node = || {
            *on_node.get_or_insert_with(|| pods.template.on_host_network() || pods.template.held_ports().any(is_own))
        };
        found.push(match address.node.filter(|_| !is_on_node()) {
            None => Reference::Text { object: pods.id, place: address.place, others: Vec::new() },
            Some(name) => {
                let why = format!(
                    "`{name}` is the address of the node, where the pod has no hostPort {}, so it may mean another pod",
                    listener.number
                );
                Reference::Stuck { object: pods.id, path: address.place.path, why }
            }
        });
    }
    neighbours(pods, texts, listener, found);
    variables(pods, texts, listener, found);
    found.extend(texts.execs_with(listener.number).flat_map(|exec| exec.references(pods.id, listener.number)));
    apart(pods, texts, listener, found);
}

/// The number in other containers, apart from an address of the pod itself; where the field is known already, nothing is said.
fn apart(pods: Pods<'_>, texts: &PodTexts<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let known: HashSet<&Path> = found.iter().filter_map(Reference::own_path).collect();
    let mut seen = Vec::new();
    // The flags of its own container are those of the listener's program.
    let alone = texts.alone(listener.number).iter().filter(|(index, _)| *index != listener.container);
    for (index, path) in alone.filter(|(_, path)| !texts.is_telling(path) && !known.contains(path)) {
        let container = pods.template.containers.get(*index).map(|c| c.name.as_str()).unwrap_or_default();
        let what = format!("container `{container}` has {} beside an address of the pod itself", listener.number);
        seen.push(Reference::Seen { object: pods.id, path: path.clone(), what });
    }
    found.append(&mut seen);
}

/// Other uses of the variables that tell the number: somebody else's port would move with it.
fn variables(pods: Pods<'_>, texts: &PodTexts<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let Some(container) = pods.template.containers.get(listener.container) else { return };
    let places = listener.binding.places().filter_map(|(_, place, _)| container.env_at(&place.path));
    for var in places {
        let astray = texts.uses(listener.container).map(|uses| uses.astray(&var.name)).unwrap_or_default();
        for (path, text) in astray {
            let why = format!("`{text}` is the port of something else, and has the variable `{}` as well", var.name);
            found.push(Reference::Stuck { object: pods.id, path, why });
        }
    }
}

/// Other containers that are told the number under the name of a listen address, without a host that tells whose it is.
fn neighbours(pods: Pods<'_>, texts: &PodTexts<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    for (index, place) in texts.telling(listener.number) {
        if index == listener.container || texts.listens(index, listener.number) {
            continue;
        }
        if place.form != Form::Loopback && !place.is_url() && Name::of(&place.name).is_listen() {
            let container = pods.template.containers.get(index).map(|c| c.name.as_str()).unwrap_or_default();
            let why = format!("`{}` of container `{container}` may mean it", place.name);
            found.push(Reference::Stuck { object: pods.id, path: place.place.path, why });
        }
    }
}

/// Annotations whose value is a port of the pod or a list of them, of a template or a Service.
fn known_annotations(
    object: ObjectId,
    metadata: &Path,
    annotations: &Labels,
    listener: &Listener,
    others: &[ObjectId],
    found: &mut Vec<Reference>,
) {
    for key in catalog::port_annotations() {
        let Some(text) = annotations.get(key) else { continue };
        let path = metadata.key("annotations").key(*key);
        let listed = listed_ports(text);
        if listed.is_empty() && mentions(text, listener.number) {
            let why = format!("`{text}` names the port in a form that is not understood");
            found.push(Reference::Stuck { object, path: path.clone(), why });
        }
        for number in listed.into_iter().filter(|number| number.port == listener.number) {
            let (path, others) = (path.clone(), others.to_vec());
            found.push(if number.range == (0..text.len()) {
                Reference::Field { object, path, value: Scalar::string(text), others }
            } else {
                Reference::Text { object, place: TextPlace { path, text: text.into(), range: number.range }, others }
            });
        }
    }
}

/// Other annotations of a template that name the number: nobody knows how they would move.
fn other_annotations(pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let metadata = pods.template.path.key("metadata");
    for (key, value) in pods.template.annotations.iter() {
        let known = catalog::port_annotations().contains(&key);
        if !known && is_port_annotation(key) && mentions(value, listener.number) {
            let path = metadata.key("annotations").key(key.to_owned());
            let why = format!("annotation `{key}` names the port and is not one that is known how to move");
            found.push(Reference::Stuck { object: pods.id, path, why });
        }
    }
}

/// Annotations of hosts and of `kubectl` hold whole objects or positions, never a reference to a port.
fn is_port_annotation(key: &str) -> bool {
    !(key.contains("config.kubernetes.io/")
        || key.contains("config.k8s.io/")
        || key.starts_with("kubectl.kubernetes.io/"))
}

fn services(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    for (id, meta, service) in model.services_of(pods.meta, pods.template) {
        let templates: Vec<(ObjectId, &PodTemplate)> = model.selected_by(meta, service).collect();
        let others: Vec<ObjectId> = templates.iter().map(|(id, _)| *id).filter(|id| *id != pods.id).collect();
        known_annotations(id, &Path::root().key("metadata"), &meta.annotations, listener, &others, found);
        for port in &service.ports {
            let named = service.headless && listener.name.is_some() && port.target_name() == listener.name.as_deref();
            let numbered = port.target_number() == Some(listener.number);
            if port.protocol != listener.protocol || !(numbered || named) {
                continue;
            }
            let alone = |name: &String| {
                occurs_once(pods, listener, name)
                    && templates.iter().filter(|(id, _)| *id != pods.id).all(|(_, template)| {
                        let ports = || template.running().flat_map(|(_, c)| c.ports.iter().flatten());
                        let mut named = ports().filter(|port| port.name.as_ref() == Some(name));
                        let first = named.next().map(|port| (port.number(), port.protocol.as_ref()));
                        first == Some((Some(listener.number), listener.protocol.as_ref())) && named.next().is_none()
                    })
            };
            found.push(Reference::Target(ServiceTarget {
                service: id,
                port: port.path.clone(),
                target: port.target.clone(),
                templates: templates.iter().map(|(id, _)| *id).collect(),
                name: future_name(listener)
                    .filter(|name| named || alone(name))
                    .filter(|_| named || !health_check::is_named(model, pods, id, port.name.as_deref())),
                headless: service.headless,
            }));
        }
    }
}

/// Services without a namespace, which may be meant for that of the pods (`kubectl apply -n`): nothing but the selector tells.
fn homeless_services(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    for (object, meta, service) in model.services_in(None, pods.template) {
        // It has pods of its own.
        if model.selected_by(meta, service).next().is_some() {
            continue;
        }
        let what = |port: &ServicePort| match port.target_name() {
            Some(name) => (service.headless && listener.name.as_deref() == Some(name)).then(|| {
                format!(
                    "clients dial {} as port `{name}` of a headless Service with these labels and no namespace,",
                    listener.number
                )
            }),
            None => (port.target_number() == Some(listener.number))
                .then(|| format!("{} is a target port, with these labels and no namespace,", listener.number)),
        };
        let ports = service.ports.iter().filter(|port| port.protocol == listener.protocol);
        found.extend(
            ports.filter_map(|port| Some(Reference::Seen { object, path: port.path.clone(), what: what(port)? })),
        );
    }
}

/// The port's name when all is done: an undeclared one gets its label, an unnamed one stays unnamed.
fn future_name(listener: &Listener) -> Option<String> {
    match listener.declared {
        Some(_) => listener.name.clone(),
        None => Some(listener.label.clone()),
    }
}

fn occurs_once(pods: Pods<'_>, listener: &Listener, name: &String) -> bool {
    let declared = pods.template.running().flat_map(|(_, c)| c.ports.iter().flatten());
    let declared = declared.filter(|port| port.name.as_ref() == Some(name)).count();
    declared + usize::from(listener.declared.is_none()) == 1
}
