//! What refers to a listener's number, and must move with it (P5; facts: Kubernetes, which field names whose port).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::evidence::{Form, Leftover, Name, PortSetting, TextPlace, shown};
use super::exec::exec_references_of;
use super::labels::Labels;
use super::listener::Listener;
use super::own_address::{OwnAddress, beside};
use super::pod::{HeldPort, PodTemplate, Scalar};
use super::pod_texts::PodTexts;
use super::service::ServicePort;
use super::text::{listed_ports, mentions};
use super::transport::{Means, Transports};
use super::{
    Meta, Model, ObjectId, config_map, health_check, monitor, network_policy, peers, plugin_policy, probe_marker, seen,
    variable,
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
    /// The same where listeners of several protocols have the number, and nothing tells which of them is meant: all move alike, or
    /// none.
    Either {
        /// The object that has the text.
        object: ObjectId,
        /// Where the number stands.
        place: TextPlace,
        /// Other workloads whose pods it is about as well: they must move alike.
        others: Vec<ObjectId>,
        /// The protocols of the other listeners.
        protocols: Vec<Cow<'static, str>>,
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
    /// A number inside a text, as far as it means the listener; none when it means one of another protocol.
    pub(super) fn text(object: ObjectId, place: TextPlace, others: Vec<ObjectId>, means: Means) -> Option<Self> {
        match means {
            Means::Own => Some(Self::Text { object, place, others }),
            Means::Either(protocols) => Some(Self::Either { object, place, others, protocols }),
            Means::Another => None,
        }
    }

    /// The field of an object that is only reported.
    fn seen_elsewhere(&self) -> Option<(ObjectId, Path)> {
        match self {
            Self::Seen { object, path, .. } => Some((*object, path.clone())),
            _ => None,
        }
    }

    /// The field of a pod template that a probe, a text or a variable of its own is.
    fn own_path(&self) -> Option<&Path> {
        match self {
            Self::Field { path, .. } | Self::Stuck { path, .. } | Self::Seen { path, .. } => Some(path),
            Self::Text { place, .. } | Self::Either { place, .. } => Some(&place.path),
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
pub fn references(model: &Model, pods: Pods<'_>, texts: &PodTexts<'_>, listener: &Listener) -> Vec<Reference> {
    let mut found = Vec::new();
    if listener.protocol == "TCP" {
        probes(pods, listener, &mut found);
    }
    self::texts(pods, texts, listener, &mut found);
    if listener.protocol == "TCP" {
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
    peers::references(model, pods, texts, listener, &mut found);
    config_map::references(model, pods, texts, listener, &mut found);
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
    // Its hosts may have said it.
    let known: BTreeSet<(ObjectId, Path)> = found.iter().filter_map(Reference::seen_elsewhere).collect();
    let is_known = |object: ObjectId, port: &PortSetting| known.contains(&(object, port.place.path.clone()));
    let others = model.told_ports(listener.number).filter(|(object, _)| *object != pods.id);
    for (object, port) in others.filter(|(object, port)| !is_known(*object, port)) {
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
    let of_listeners = pods.listeners.iter().filter(|other| other.number == listener.number);
    let told = of_listeners.flat_map(|other| other.binding.places()).filter(|(object, ..)| object.is_none());
    let told = told.map(|(_, place, _)| place);
    let own = found.iter().filter_map(|reference| match reference {
        Reference::Text { object, place, .. } | Reference::Either { object, place, .. } if *object == pods.id => {
            Some(place)
        }
        _ => None,
    });
    let changed: BTreeSet<(&Path, usize)> = told.chain(own).map(|place| (&place.path, place.range.start)).collect();
    // What stops the move already is said once.
    let stuck: BTreeSet<&Path> = found
        .iter()
        .filter(|reference| matches!(reference, Reference::Stuck { .. }))
        .filter_map(Reference::own_path)
        .collect();
    let transports = Transports::of(pods.listeners, listener);
    let is_anothers = |place: &TextPlace| transports.means(|| container.spoken(place)) == Means::Another;
    let is_changed = |place: &TextPlace| {
        changed.contains(&(&place.path, place.range.start)) || stuck.contains(&place.path) || is_anothers(place)
    };
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
    // What tells a listener of the pod where to listen refers to none.
    let told: BTreeSet<(&Path, usize)> = pods
        .listeners
        .iter()
        .flat_map(|listener| listener.binding.places())
        .filter(|(object, ..)| object.is_none())
        .map(|(_, place, _)| (&place.path, place.range.start))
        .collect();
    let mut held = pods.template.held_ports();
    let is_own = |port: HeldPort<'_>| (port.number, port.protocol) == (listener.number, listener.protocol.as_ref());
    let on_node = pods.template.on_host_network() || held.any(is_own);
    // Texts that the catalogue does not know change with the one that it does.
    for place in &listener.also {
        found.push(Reference::Text { object: pods.id, place: place.place.clone(), others: Vec::new() });
    }
    let transports = Transports::of(pods.listeners, listener);
    let also: BTreeSet<(&Path, usize)> =
        listener.also.iter().map(|also| (&also.place.path, also.place.range.start)).collect();
    for (index, _) in pods.template.running() {
        let addresses = texts.of(index).into_iter().flat_map(|container| &container.own_addresses);
        let is_public = |address: &OwnAddress| texts.of(index).is_some_and(|own| own.texts.is_public(&address.place));
        let addresses = addresses.filter(|address| address.port == listener.number && !is_public(address));
        let place = |at: &OwnAddress| (at.place.path.clone(), at.place.range.start);
        let known = |at: &&OwnAddress| {
            let (path, start) = place(at);
            told.contains(&(&path, start)) || also.contains(&(&path, start))
        };
        for address in addresses.filter(|address| !known(address)).cloned() {
            let means = transports.means(|| texts.spoken(index, &address.place));
            found.extend(match address.node.filter(|_| !on_node && means != Means::Another) {
                None => Reference::text(pods.id, address.place, Vec::new(), means),
                Some(name) => {
                    let why = format!(
                        "`{name}` is the address of the node, where the pod has no hostPort {}, so it may mean another pod",
                        listener.number
                    );
                    Some(Reference::Stuck { object: pods.id, path: address.place.path, why })
                }
            });
        }
    }
    neighbours(pods, texts, listener, &transports, found);
    variables(pods, texts, listener, found);
    for (_, container) in pods.template.running() {
        for (path, command) in &container.execs {
            found.extend(exec_references_of(pods.id, path, command, listener.number, &transports));
        }
    }
    apart(pods, texts, listener, &transports, &told, found);
}

/// The number in other containers, apart from an address of the pod itself; where the field is known already, nothing is said.
fn apart(
    pods: Pods<'_>,
    texts: &PodTexts<'_>,
    listener: &Listener,
    transports: &Transports<'_>,
    told: &BTreeSet<(&Path, usize)>,
    found: &mut Vec<Reference>,
) {
    let known: BTreeSet<&Path> =
        told.iter().map(|(path, _)| *path).chain(found.iter().filter_map(Reference::own_path)).collect();
    let mut seen = Vec::new();
    // The flags of its own container are those of the listener's program.
    for (index, container) in pods.template.running().filter(|(index, _)| *index != listener.container) {
        let places = beside(container, listener.number).into_iter().filter(|place| !known.contains(&place.path));
        for place in places.filter(|place| transports.means(|| texts.spoken(index, place)) != Means::Another) {
            let path = place.path;
            let what =
                format!("container `{}` has {} beside an address of the pod itself", container.name, listener.number);
            seen.push(Reference::Seen { object: pods.id, path, what });
        }
    }
    found.append(&mut seen);
}

/// Other uses of the variables that tell the number: somebody else's port would move with it.
fn variables(pods: Pods<'_>, texts: &PodTexts<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let Some(container) = pods.template.containers.get(listener.container) else { return };
    let is_peer = |host: &str| texts.peer(listener.container, host).is_some();
    for (_, place, _) in listener.binding.places() {
        let Some(var) = container.env.iter().find(|var| container.env_path(var.index) == place.path) else { continue };
        for (path, text) in variable::astray(container, &var.name, &is_peer) {
            let why = format!("`{text}` is the port of something else, and has the variable `{}` as well", var.name);
            found.push(Reference::Stuck { object: pods.id, path, why });
        }
    }
}

/// Other containers that are told the number under the name of a listen address, without a host that tells whose it is.
fn neighbours(
    pods: Pods<'_>,
    texts: &PodTexts<'_>,
    listener: &Listener,
    transports: &Transports<'_>,
    found: &mut Vec<Reference>,
) {
    for (index, container) in pods.template.running() {
        let own = pods.listeners.iter().any(|l| l.container == index && l.number == listener.number);
        if index == listener.container || own {
            continue;
        }
        for place in texts.port_settings(index).filter(|place| place.port == listener.number) {
            let is_anothers = || transports.means(|| texts.spoken(index, &place.place)) == Means::Another;
            if place.form != Form::Loopback && !place.is_url() && Name::of(&place.name).is_listen() && !is_anothers() {
                let why = format!("`{}` of container `{}` may mean it", place.name, container.name);
                found.push(Reference::Stuck { object: pods.id, path: place.place.path, why });
            }
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
