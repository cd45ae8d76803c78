//! The listeners of a pod (H5) and what each is for (H2).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::config_file::Files;
use super::config_map::{self, ConfigPlace};
use super::package::{self, PackageKind};
use super::placeholder::has_placeholder;
use super::pod::PodTemplate;
use super::port_name::name_all;
use super::protocol::TCP;
use super::role::Role;
use super::text::is_listen_name;
use super::told::Reader;
use super::version::ProgramVersion;
use super::visible::{TextPlace, Visible};
use super::{Meta, Model, ObjectId};
use crate::catalog::{self, Program, Tell};

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
    /// How it is told its number.
    pub binding: Binding,
}

/// How a listener is told its number.
#[derive(Debug, Clone)]
pub enum Binding {
    /// By the manifest, in these places.
    Visible(Vec<Visible>),
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

/// The listeners of a workload's pods: declared ones first, container by container.
#[must_use]
pub fn listeners(model: &Model, meta: &Meta, template: &PodTemplate, hints: &Hints) -> Vec<Listener> {
    let mut found = Vec::new();
    for (index, container) in template.running() {
        let files = Files { model, meta, template };
        found.extend(Reader::new(index, container, files, hints).read());
    }
    drop_neighbours(&mut found);
    add_undeclared(model, meta, template, &mut found);
    name_all(&mut found, template);
    found.shrink_to_fit();
    let called = called_ports(model, meta, template);
    let scraped = scraped_ports(model, meta, template);
    let probed: BTreeSet<u16> =
        template.running().flat_map(|(_, c)| &c.probes).filter_map(super::probe::Probe::number).collect();
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
            Role::Other if scraped.contains(&listener.number) => Role::Metrics,
            Role::Other if own_probe || probed.contains(&listener.number) => Role::Health,
            Role::Other => named_role(listener),
            known => known,
        };
    }
    found
}

/// Why a Function's port cannot move (facts: Crossplane 3).
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

/// The ports that annotations of the template or of its Services have scraped.
fn scraped_ports(model: &Model, meta: &Meta, template: &PodTemplate) -> BTreeSet<u16> {
    let services = model.services_of(meta, template).map(|(_, service, _)| &service.annotations);
    std::iter::once(&template.annotations)
        .chain(services)
        .flat_map(|annotations| catalog::port_annotations().iter().filter_map(|key| annotations.get(key)))
        .flat_map(super::text::listed_ports)
        .map(|number| number.port)
        .collect()
}

/// A flag or variable that nothing but its words makes a listener, with the number of another container's declared port,
/// is more likely that port's address than a second listener: what holds it is a reference. The same number in several
/// containers is the address of something that all of them use.
fn drop_neighbours(found: &mut Vec<Listener>) {
    let declared: BTreeSet<(u16, usize)> =
        found.iter().filter(|l| l.declared.is_some()).map(|l| (l.number, l.container)).collect();
    let guessed = |listener: &Listener| listener.declared.is_none() && listener.role == Role::Other;
    let mut told: BTreeMap<u16, BTreeSet<usize>> = BTreeMap::new();
    for listener in found.iter().filter(|listener| guessed(listener)) {
        told.entry(listener.number).or_default().insert(listener.container);
    }
    found.retain(|listener| {
        let elsewhere =
            declared.iter().any(|(number, container)| *number == listener.number && *container != listener.container);
        let several = told.get(&listener.number).is_some_and(|containers| containers.len() > 1);
        !guessed(listener) || !(elsewhere || several)
    });
}

/// Numeric probe, hook and scrape-annotation ports that no container declares or tells.
fn add_undeclared(model: &Model, meta: &Meta, template: &PodTemplate, found: &mut Vec<Listener>) {
    let unknown = template.running().any(|(_, container)| has_placeholder(container));
    let mut add = |container: usize, number: u16, label: &str| {
        // It may be the port whose number is not known yet.
        if !unknown && !found.iter().any(|listener| listener.number == number && listener.protocol == "TCP") {
            let variables = template.containers.get(container).map(|c| config_map::variables(model, meta, c));
            let tells = |place: &ConfigPlace| place.port == number && is_listen_name(&place.name);
            let told = variables.into_iter().flatten().find(tells);
            found.push(Listener {
                container,
                declared: None,
                name: None,
                label: label.to_owned(),
                number,
                protocol: TCP,
                role: Role::Other,
                binding: told.map_or(Binding::Unknown(Vec::new()), Binding::of_config_map),
            });
        }
    };
    for (index, container) in template.running() {
        for number in container.probes.iter().filter_map(super::probe::Probe::number) {
            add(index, number, "health");
        }
    }
    let first = template.running().next().map(|(index, _)| index);
    let scraped = catalog::port_annotations().iter().filter_map(|key| template.annotations.get(key));
    for number in scraped.flat_map(super::text::listed_ports) {
        if let Some(first) = first {
            add(first, number.port, "metrics");
        }
    }
}
