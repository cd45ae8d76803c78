//! The listeners of a pod and what each is for.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::config_file::Files;
use super::config_map::ConfigPlace;
use super::evidence::{Guess, Name, PortSetting, Surroundings, TextPlace, Weight, Witness, Witnesses};
use super::map_variables::MapVariables;
use super::package::{self, PackageKind};
use super::placeholder::has_placeholder;
use super::pod::PodTemplate;
use super::port_name::name_all;
use super::role::Role;
use super::seen_ports::{Declared, SeenPorts, seen_ports};
use super::told::Reader;
use super::version::ProgramVersion;
use super::{Meta, Model, ObjectId};
use crate::catalog::{Program, Tell};

/// What a config knows that neither manifest nor catalogue says.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// The program of the workload's containers, and its version.
    pub program: Option<(Arc<Program>, ProgramVersion)>,
    /// Programs of the config's own.
    pub programs: Arc<[Arc<Program>]>,
    /// How listeners are told their numbers.
    pub told: Vec<Told>,
}

/// How one listener is told its number.
#[derive(Debug, Clone)]
pub struct Told {
    /// The container's name.
    pub container: String,
    /// The port's name.
    pub port: String,
    /// The number it listens on now.
    pub number: Option<u16>,
    /// The flag or variable.
    pub tell: Tell,
    /// Its value, `{port}` for the number.
    pub value: String,
}

/// A process of a pod that listens on a port.
#[derive(Debug, Clone)]
pub struct Listener {
    /// The container, by its position in the template's.
    pub container: usize,
    /// Its declaration, by its position in the container's ports.
    pub declared: Option<usize>,
    /// The declared name.
    pub name: Option<String>,
    /// The declared name, or the one that it gets when it is declared.
    pub label: String,
    /// The number.
    pub number: u16,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: Cow<'static, str>,
    /// What it is for.
    pub role: Role,
    /// Whether nothing but the words of a name says what it is for.
    pub is_role_by_word: bool,
    /// How it is told its number.
    pub binding: Binding,
    /// Texts with the number that the catalogue does not know, and that nothing speaks against: they change with it.
    pub also: Vec<PortSetting>,
    /// What shows that it listens.
    pub witnesses: Witnesses,
}

impl Listener {
    /// What shows it, and the texts that tell it its number: `catalogue`, `declared + --port`, `any-address`.
    #[must_use]
    pub fn evidence(&self) -> String {
        let first = self.witnesses.iter().next().map_or("", Witness::as_str).to_owned();
        let alone = [Witness::Bind, Witness::Catalogue, Witness::ConfigFile, Witness::AnyAddress, Witness::Scaffold];
        if alone.into_iter().any(|witness| first == witness.as_str()) {
            return first;
        }
        let mut names: Vec<&str> = self.binding.places().map(|(.., name)| name).collect();
        names.dedup();
        names.into_iter().fold(first, |evidence, name| format!("{evidence} + {name}"))
    }
}

/// How a listener is told its number.
#[derive(Debug, Clone)]
pub enum Binding {
    /// By the manifest, in these places.
    Visible(Vec<PortSetting>),
    /// By a `ConfigMap` of the input: a variable, or a field of the program's config file.
    ConfigMap(Box<ConfigPlace>),
    /// By a flag or variable that the manifest does not have yet.
    Add {
        /// The flag or variable.
        tell: Box<Tell>,
        /// Its value, `{port}` for the number.
        value: String,
        /// Arguments may be made where there are none.
        no_cmd: bool,
        /// What makes this uncertain.
        doubt: Option<String>,
    },
    /// It cannot be told: why.
    Fixed(String),
    /// Nobody listens: the number is free.
    Phantom,
    /// Nobody knows; the places where the number stands without telling whether it is the listener's.
    Unknown(Vec<String>),
}

impl Binding {
    /// By this place of a `ConfigMap`.
    pub(super) fn of_config_map(place: ConfigPlace) -> Self {
        Self::ConfigMap(Box::new(place))
    }

    /// The places that tell the number now: the object when it is not the workload's own, the place, the name.
    pub fn places(&self) -> impl Iterator<Item = (Option<ObjectId>, &TextPlace, &str)> {
        let (visible, map) = match self {
            Self::Visible(places) => (places.as_slice(), None),
            Self::ConfigMap(told) => (&[][..], Some((Some(told.object), &told.place, told.name.as_str()))),
            _ => (&[][..], None),
        };
        visible.iter().map(|visible| (None, &visible.place, visible.name.as_str())).chain(map)
    }
}

/// What is known of the ports of a workload's pods.
#[derive(Debug, Clone, Default)]
pub struct Ports {
    /// The listeners: declared ones first, container by container.
    pub listeners: Vec<Listener>,
    /// Numbers that may be listeners', for which only a name speaks.
    pub guesses: Vec<Guess>,
}

/// The listeners of a workload's pods, and what may be some more.
#[must_use]
pub fn ports(model: &Model, meta: &Meta, template: &PodTemplate, hints: &Hints) -> Ports {
    let mut found = Vec::new();
    let mut guesses = Vec::new();
    let surroundings = Surroundings::of(model, meta, template);
    let seen = seen_ports(model, meta, template);
    let mut declared = Declared::of(template);
    for (index, container) in template.running() {
        let files = Files { model, meta, template };
        let here = seen.of_container(index, &declared);
        let reading = Reader::new(index, container, files, hints, &surroundings, &here).read();
        declared.add(&reading.listeners);
        found.extend(reading.listeners);
        guesses.extend(reading.guesses);
    }
    drop_neighbours(&mut found);
    add_undeclared(model, meta, template, &seen, &mut found);
    let numbers: HashSet<u16> = found.iter().map(|listener| listener.number).collect();
    guesses.retain(|guess| !numbers.contains(&guess.setting.port));
    name_all(&mut found, template);
    found.shrink_to_fit();
    let called = called_ports(model, meta, template);
    for listener in &mut found {
        let own_probe = template.containers.get(listener.container).is_some_and(|container| {
            container.probes.iter().any(|probe| Some(probe.port.text.as_ref()) == listener.name.as_deref())
        });
        let by_call = called.iter().find(|(target, _)| match target {
            Target::Number(number) => *number == listener.number,
            Target::Name(name) => Some(name) == listener.name.as_ref(),
        });
        if is_dialled(meta, template, listener) {
            listener.binding = Binding::Fixed(DIALLED.to_owned());
        }
        listener.role = match listener.role {
            Role::Other if by_call.is_some_and(|(_, api)| *api) => Role::ApiService,
            Role::Other if by_call.is_some() => Role::Webhook,
            Role::Other if seen.is_scraped(listener.number) => Role::Metrics,
            Role::Other if own_probe || seen.is_probed(listener.number) => Role::Health,
            Role::Other => {
                // The ports of a package are called so by Crossplane.
                listener.is_role_by_word = PackageKind::of(meta).is_none();
                named_role(listener)
            }
            known => known,
        };
    }
    Ports { listeners: found, guesses }
}

/// Why a Function's port cannot move.
const DIALLED: &str = "Crossplane dials port 9443 of a Function's own pod, whatever its Service says";

/// Whether a listener is the one of a Function that Crossplane dials.
fn is_dialled(meta: &Meta, template: &PodTemplate, listener: &Listener) -> bool {
    let container = template.containers.get(listener.container);
    PackageKind::of(meta) == Some(PackageKind::Function)
        && container.is_some_and(|container| container.name == package::CONTAINER)
        && (listener.name.as_deref() == Some("grpc") || listener.number == 9443)
}

fn named_role(listener: &Listener) -> Role {
    let told = || listener.binding.places().find_map(|(_, _, name)| Role::of_name(name));
    Role::of_name(&listener.label).or_else(told).unwrap_or(Role::Other)
}

/// What a Service dials on a pod.
enum Target {
    Number(u16),
    Name(String),
}

/// The ports that the API server calls through Services of the input; true for an aggregated API.
fn called_ports(model: &Model, meta: &Meta, template: &PodTemplate) -> Vec<(Target, bool)> {
    let mut found = Vec::new();
    for (_, service_meta, service) in model.services_of(meta, template) {
        for call in model.calls_of(service_meta) {
            for port in service.ports.iter().filter(|port| port.port == Some(call.port)) {
                let name = port.target_name().map(|name| Target::Name(name.to_owned()));
                let target = port.target_number().map(Target::Number).or(name);
                found.extend(target.map(|target| (target, call.api_service)));
            }
        }
    }
    found
}

/// A listener that nothing declares, with the number of another container's declared port, is that port: what holds the
/// number is a reference to it. Of several containers that are told one number the first has it.
fn drop_neighbours(found: &mut Vec<Listener>) {
    let mut known: BTreeMap<u16, usize> = BTreeMap::new();
    for listener in found.iter().filter(|l| l.declared.is_some()).chain(found.iter()) {
        known.entry(listener.number).or_insert(listener.container);
    }
    let by_text = |listener: &Listener| {
        let certain = |witness: Witness| witness.weight() == Weight::Certain || witness == Witness::Scaffold;
        listener.declared.is_none() && !listener.witnesses.iter().any(certain)
    };
    found.retain(|listener| !by_text(listener) || known.get(&listener.number) == Some(&listener.container));
}

/// Numbers that are seen from outside of the process, and that no container declares or is told.
fn add_undeclared(model: &Model, meta: &Meta, template: &PodTemplate, seen: &SeenPorts, found: &mut Vec<Listener>) {
    // One of them may be the port whose number is not known yet.
    if template.running().any(|(_, container)| has_placeholder(container)) {
        return;
    }
    let mut known: HashSet<(u16, Cow<'static, str>)> =
        found.iter().map(|listener| (listener.number, listener.protocol.clone())).collect();
    let mut variables: HashMap<usize, HashMap<u16, ConfigPlace>> = HashMap::new();
    for port in seen.iter() {
        if !known.insert((port.number, port.protocol.clone())) {
            continue;
        }
        let Some(container) = port.container.or_else(|| template.running().next().map(|(index, _)| index)) else {
            continue;
        };
        let variables = variables.entry(container).or_insert_with(|| {
            let container = template.containers.get(container);
            let all = container.map(|own| MapVariables::of(model, meta.namespace.as_deref(), own));
            let all = all.iter().flat_map(MapVariables::listening).filter(|own| Name::of(&own.name).is_listen());
            let mut first = HashMap::new();
            all.for_each(|place| _ = first.entry(place.port).or_insert(place));
            first
        });
        let told = variables.get(&port.number).cloned();
        let mut witnesses = port.witnesses;
        if told.is_some() {
            witnesses.add(Witness::Named);
        }
        found.push(Listener {
            container,
            declared: None,
            name: None,
            label: port.label.clone(),
            number: port.number,
            protocol: port.protocol.clone(),
            role: Role::Other,
            is_role_by_word: false,
            binding: told.map_or(Binding::Unknown(Vec::new()), Binding::of_config_map),
            also: Vec::new(),
            witnesses,
        });
    }
}
