//! What refers to a listener's number, and must move with it.
//!
//! Outside of pod templates it is a field ([`PortField`]) of an object that applies to some pods ([`AppliesTo`]); [`AllPods`] finds those
//! that are about a pod. Inside of a template it is a probe, an annotation, or a number in a text.

mod applies_to;
mod field;
mod index;
mod pod_fields;
mod rows;
mod service;
mod unknown;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

pub(super) use applies_to::NAMESPACE;
pub use applies_to::{AppliesTo, Endpoints, PodsView, Reach};
pub use field::{Effect, FieldPort, PodCommand, PolicyRule, PortField, PortFields};
pub(super) use index::FieldIndex;
pub(super) use pod_fields::Subject;
pub use pod_fields::{AllPods, NamedPort, PodFields};
pub(super) use rows::fields as fields_of_kind;
pub use unknown::{Around, Naming};

pub use super::network_policy::Peer;
use super::network_policy::peers_reach;

use super::evidence::{Form, Leftover, Name, PortSetting, TextPlace, shown};
use super::listener::Listener;
use super::pod::{HeldPort, PodTemplate, Scalar};
use super::pod_texts::PodTexts;
use super::transport::{Means, Transports};
use super::{Meta, Model, ObjectId, WorkloadId, config_references, health_check, peers, siblings};
use crate::catalog::Program;
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
        /// The workloads whose pods it is about: they must move alike.
        others: Others,
    },
    /// The number inside a text: an address of the pod itself, a flag of an exec probe.
    Text {
        /// The object that has the text.
        object: ObjectId,
        /// Where the number stands.
        place: TextPlace,
        /// The workloads whose pods it is about: they must move alike.
        others: Others,
    },
    /// The same where listeners of several protocols have the number, and nothing tells which of them is meant: all move alike, or
    /// none.
    Either {
        /// The object that has the text.
        object: ObjectId,
        /// Where the number stands.
        place: TextPlace,
        /// The workloads whose pods it is about: they must move alike.
        others: Others,
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
        /// The rule.
        rule: Arc<PolicyRule>,
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
    pub(super) fn text(object: ObjectId, place: TextPlace, others: Others, means: Means) -> Option<Self> {
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

    /// The text of an object in which the number stands.
    pub(super) fn text_elsewhere(&self) -> Option<(ObjectId, Path)> {
        match self {
            Self::Text { object, place, .. } | Self::Either { object, place, .. } => {
                Some((*object, place.path.clone()))
            }
            Self::Seen { object, path, .. } | Self::Stuck { object, path, .. } => Some((*object, path.clone())),
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

/// The workloads that a reference is about; the listener's own may be among them.
#[derive(Debug, Clone, Default)]
pub struct Others {
    /// The workloads.
    pub workloads: Arc<[WorkloadId]>,
    /// Which of them count.
    pub count: Count,
}

/// Which workloads need a reference as it is, unless they move alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Count {
    /// All of them: a probe is run in each.
    #[default]
    All,
    /// Those that declare the number or listen on it.
    Having,
    /// Those that declare it.
    Declaring,
}

impl From<Vec<WorkloadId>> for Others {
    fn from(workloads: Vec<WorkloadId>) -> Self {
        Self { workloads: workloads.into(), count: Count::All }
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
    pub templates: Vec<WorkloadId>,
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
    /// The rule.
    pub rule: Arc<PolicyRule>,
    /// The workloads whose pods the rule is about: those that have the number must move alike.
    pub others: Arc<[WorkloadId]>,
}

/// A workload and the listeners of its pods.
#[derive(Debug, Clone, Copy)]
pub struct Pods<'m> {
    /// The workload.
    pub id: WorkloadId,
    /// The identity of its object.
    pub meta: &'m Meta,
    /// Its template.
    pub template: &'m PodTemplate,
    /// Its listeners.
    pub listeners: &'m [Listener],
    /// The programs of its containers, where the catalogue or the config knows them.
    pub programs: &'m [Option<Arc<Program>>],
}

/// All references to a listener's number; `fields` are those outside of the templates that are about its pod, and `texts` those of its
/// pod.
#[must_use]
pub fn references(
    all: &AllPods<'_>,
    pods: Pods<'_>,
    fields: &PodFields<'_>,
    texts: &PodTexts<'_>,
    listener: &Listener,
) -> Vec<Reference> {
    let mut found = Vec::new();
    if listener.protocol == "TCP" {
        probes(pods, listener, &mut found);
    }
    let transports = texts.transports(listener);
    self::texts(pods, texts, listener, &transports, &mut found);
    if listener.protocol == "TCP" {
        annotations(pods, listener, &mut found);
    }
    for named in fields.iter() {
        found.extend(outside(all, pods, named, listener));
    }
    if listener.protocol == "TCP" {
        for named in &fields.commands {
            let others = Others { workloads: all.audience(&named.subject).sure, count: Count::All };
            found.extend(named.command.references(named.object, listener.number, &others));
        }
    }
    peers::references(all.model, pods, texts, listener, &transports, &mut found);
    siblings::references(all.model, pods, listener, &mut found);
    config_references::references(all.model, pods, texts, listener, &transports, &mut found);
    leftovers(pods, texts, listener, &transports, &mut found);
    named_by_others(all.model, pods, texts, listener, &mut found);
    found
}

/// What a field outside of the templates is to a listener.
fn outside(all: &AllPods<'_>, pods: Pods<'_>, named: &NamedPort<'_>, listener: &Listener) -> Option<Reference> {
    let (object, field) = (named.object, named.field.as_ref());
    if let Effect::Target(index) = field.effect {
        return target(all, pods, named, index, listener);
    }
    if !field.names(listener.number, &listener.protocol) {
        return None;
    }
    let path = field.path.clone();
    let follows =
        |count: Count| field.reference(object, Others { workloads: all.audience(&named.subject).sure, count });
    Some(match &field.effect {
        Effect::MayOpen(rule) => Reference::MayOpen { object, path, rule: Arc::clone(rule) },
        Effect::Opens(rule) => {
            let audience = all.audience(&named.subject);
            let rule = Arc::clone(rule);
            if named.reach == Reach::Maybe || audience.more {
                return Some(Reference::MayOpen { object, path, rule });
            }
            let is_range = matches!(&field.port, FieldPort::Numbers(numbers) if numbers.start() != numbers.end());
            let value = field.value.clone();
            Reference::Opening(Opening { object, path, value, is_range, rule, others: audience.sure })
        }
        Effect::SaidUnlessOwn(_, around) if around.is_own_port(all.model, listener.number) => return None,
        Effect::Said(what) | Effect::SaidUnlessOwn(what, _) => Reference::Seen { object, path, what: what.clone() },
        _ if named.reach == Reach::Maybe => Reference::Seen { object, path, what: maybe(listener, "a port") },
        Effect::Blocks(why) => Reference::Stuck { object, path, why: why.clone() },
        Effect::Follows(count) => follows(*count),
        Effect::Target(_) => follows(Count::All),
    })
}

/// What is said of a field that may be about the pods.
fn maybe(listener: &Listener, what: &str) -> String {
    format!("{} is {what} with these labels, and only one of the two has a namespace,", listener.number)
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
    let services: BTreeSet<&str> =
        model.services_of(pods.meta, pods.template).map(|(_, service, _)| service.name.as_str()).collect();
    let own_names = services.into_iter().chain([pods.meta.name.as_str()]);
    let told = model.told_ports(listener.number, pods.meta.namespace.as_deref(), own_names);
    let others = told.into_iter().filter(|(id, _)| *id != pods.id);
    for (id, port) in others.filter(|(id, port)| !is_known(id.object, port)) {
        let object = id.object;
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
fn leftovers(
    pods: Pods<'_>,
    texts: &PodTexts<'_>,
    listener: &Listener,
    transports: &Transports<'_>,
    found: &mut Vec<Reference>,
) {
    let Some(container) = texts.of(listener.container) else { return };
    let not_listen = pods.programs.get(listener.container).and_then(Option::as_ref);
    let not_listen = not_listen.map_or(&[][..], |program| &program.not_listen);
    let of_listeners = texts.listeners(listener.number).iter().filter_map(|&other| pods.listeners.get(other));
    let told = of_listeners.flat_map(|other| other.binding.places()).filter(|(object, ..)| object.is_none());
    let told = told.map(|(_, place, _)| place);
    let own = found.iter().filter_map(|reference| match reference {
        Reference::Text { object, place, .. } | Reference::Either { object, place, .. }
            if *object == pods.id.object =>
        {
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
    Reference::Stuck { object: pods.id.object, path, why }
}

fn probes(pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let probes = pods.template.running().flat_map(|(_, container)| &container.probes);
    for probe in probes.filter(|probe| probe.number() == Some(listener.number)) {
        let (path, value) = (probe.path.clone(), probe.port.clone());
        found.push(Reference::Field { object: pods.id.object, path, value, others: Others::default() });
    }
}

fn texts(
    pods: Pods<'_>,
    texts: &PodTexts<'_>,
    listener: &Listener,
    transports: &Transports<'_>,
    found: &mut Vec<Reference>,
) {
    // Texts that the catalogue does not know change with the one that it does.
    for place in &listener.also {
        found.push(Reference::Text { object: pods.id.object, place: place.place.clone(), others: Others::default() });
    }
    let also: BTreeSet<(&Path, usize)> =
        listener.also.iter().map(|also| (&also.place.path, also.place.range.start)).collect();
    let known = |at: &TextPlace| texts.tells(at) || also.contains(&(&at.path, at.range.start));
    let is_own = |port: HeldPort<'_>| (port.number, port.protocol) == (listener.number, listener.protocol.as_ref());
    let mut on_node = None;
    for (index, address) in texts.own_addresses(listener.number).filter(|(_, address)| !known(&address.place)) {
        let address = address.clone();
        let mut is_on_node = || {
            *on_node.get_or_insert_with(|| pods.template.on_host_network() || pods.template.held_ports().any(is_own))
        };
        let means = transports.means(|| texts.spoken(index, &address.place));
        found.extend(match address.node.filter(|_| means != Means::Another && !is_on_node()) {
            None => Reference::text(pods.id.object, address.place, Others::default(), means),
            Some(name) => {
                let why = format!(
                    "`{name}` is the address of the node, where the pod has no hostPort {}, so it may mean another pod",
                    listener.number
                );
                Some(Reference::Stuck { object: pods.id.object, path: address.place.path, why })
            }
        });
    }
    neighbours(pods, texts, listener, transports, found);
    variables(pods, texts, listener, found);
    let execs = texts.execs_with(listener.number);
    found.extend(execs.flat_map(|exec| exec.references(pods.id.object, listener.number, transports)));
    apart(pods, texts, listener, transports, found);
}

/// The number in other containers, apart from an address of the pod itself; where the field is known already, nothing is said.
fn apart(
    pods: Pods<'_>,
    texts: &PodTexts<'_>,
    listener: &Listener,
    transports: &Transports<'_>,
    found: &mut Vec<Reference>,
) {
    let mut known: HashSet<&Path> = found.iter().filter_map(Reference::own_path).collect();
    let mut seen = Vec::new();
    // The flags of its own container are those of the listener's program.
    let alone = texts.alone(listener.number).iter().filter(|(index, _)| *index != listener.container);
    for (index, place) in alone.filter(|(_, place)| !texts.is_telling(&place.path)) {
        if known.contains(&place.path) || transports.means(|| texts.spoken(*index, place)) == Means::Another {
            continue;
        }
        known.insert(&place.path);
        let container = pods.template.containers.get(*index).map(|c| c.name.as_str()).unwrap_or_default();
        let what = format!("container `{container}` has {} beside an address of the pod itself", listener.number);
        seen.push(Reference::Seen { object: pods.id.object, path: place.path.clone(), what });
    }
    found.append(&mut seen);
}

/// Other uses of the variables that tell the number: somebody else's port would move with it.
fn variables(pods: Pods<'_>, texts: &PodTexts<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let Some(container) = pods.template.containers.get(listener.container) else { return };
    let is_peer = |host: &str| texts.peer(listener.container, host).is_some();
    let places = listener.binding.places().filter_map(|(_, place, _)| container.env_at(&place.path));
    for var in places {
        let uses = texts.uses(listener.container);
        for (path, text) in uses.map(|uses| uses.astray(&var.name, &is_peer)).unwrap_or_default() {
            let why = format!("`{text}` is the port of something else, and has the variable `{}` as well", var.name);
            found.push(Reference::Stuck { object: pods.id.object, path, why });
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
    for (index, place) in texts.telling(listener.number) {
        if index == listener.container || texts.listens(index, listener.number) {
            continue;
        }
        let is_anothers = || transports.means(|| texts.spoken(index, &place.place)) == Means::Another;
        if place.form != Form::Loopback && !place.is_url() && Name::of(&place.name).is_listen() && !is_anothers() {
            let container = pods.template.containers.get(index).map(|c| c.name.as_str()).unwrap_or_default();
            let why = format!("`{}` of container `{container}` may mean it", place.name);
            found.push(Reference::Stuck { object: pods.id.object, path: place.place.path, why });
        }
    }
}

/// The annotations of a template whose value is a port of the pod.
#[must_use]
pub fn own_annotations(template: &PodTemplate) -> Vec<PortField> {
    service::annotations(&template.path.key("metadata"), &template.annotations)
}

/// Annotations of the template with a port of the pod; those that nobody knows how to move are in the way.
fn annotations(pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let metadata = pods.template.path.key("metadata");
    let known = own_annotations(pods.template);
    let unknown = service::unknown_annotations(&metadata, &pods.template.annotations, &[]);
    let own = known.into_iter().chain(unknown).filter(|field| field.names(listener.number, &listener.protocol));
    let object = pods.id.object;
    found.extend(own.map(|field| match &field.effect {
        Effect::Blocks(why) => Reference::Stuck { object, path: field.path, why: why.clone() },
        _ => field.reference(object, Others::default()),
    }));
}

/// A target port of a Service, where it leads to the listener.
fn target(
    all: &AllPods<'_>,
    pods: Pods<'_>,
    named: &NamedPort<'_>,
    index: usize,
    listener: &Listener,
) -> Option<Reference> {
    let (_, service) = all.model.service(named.object)?;
    let port = service.ports.get(index)?;
    let by_name = service.headless && listener.name.is_some() && port.target_name() == listener.name.as_deref();
    let by_number = port.target_number() == Some(listener.number);
    if port.protocol != listener.protocol || !(by_number || by_name) {
        return None;
    }
    if named.reach == Reach::Maybe {
        let what = match port.target_name() {
            Some(name) => maybe(listener, &format!("what clients dial as port `{name}` of a headless Service")),
            None => maybe(listener, "a target port"),
        };
        return Some(Reference::Seen { object: named.object, path: port.path.clone(), what });
    }
    let templates: Vec<WorkloadId> = all.audience(&named.subject).sure.to_vec();
    let alone = |name: &String| {
        let others = templates.iter().filter(|id| **id != pods.id).filter_map(|id| all.template(*id));
        occurs_once(pods, listener, name)
            && others.into_iter().all(|template| {
                let ports = template.running().flat_map(|(_, c)| c.ports.iter().flatten());
                let mut named = ports.filter(|port| port.name.as_ref() == Some(name));
                let first = named.next().map(|port| (port.number(), port.protocol.as_ref()));
                first == Some((Some(listener.number), listener.protocol.as_ref())) && named.next().is_none()
            })
    };
    let view = PodsView { meta: pods.meta, template: pods.template };
    let is_checked = || health_check::is_named(all.model, view, named.object, port.name.as_deref());
    Some(Reference::Target(ServiceTarget {
        service: named.object,
        port: port.path.clone(),
        target: port.target.clone(),
        name: future_name(listener).filter(|name| by_name || alone(name)).filter(|_| by_name || !is_checked()),
        templates,
        headless: service.headless,
    }))
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
