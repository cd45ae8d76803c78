//! The listeners of a pod (H5), what each is for (H2) and how each is told its number (P0, P1).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::pod::{Container, PodTemplate};
use super::role::Role;
use super::text::{Host, ends_as_listen_name, is_listen_name, words};
use super::version::ProgramVersion;
use super::visible::{Flag, TextPlace, Visible, flags, switch, visible};
use super::{Meta, Model};
use crate::catalog::{self, Program, Tell};

/// The longest name of a port (Kubernetes: `IsValidPortName`).
const LONGEST_NAME: usize = 15;

/// What a config knows that neither manifest nor catalogue says.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// The program of the workload's containers, and its version.
    pub program: Option<(Arc<Program>, ProgramVersion)>,
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
    pub protocol: String,
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
    /// By a flag or variable that the manifest does not have yet.
    Add {
        /// The flag or variable.
        tell: Tell,
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

/// The catalogue's program of a container, and its version.
#[must_use]
pub fn program_of(container: &Container, meta: &Meta, hints: &Hints) -> Option<(Arc<Program>, ProgramVersion)> {
    let (name, tag) = image_parts(&container.image);
    let version = || match tag {
        Some(tag) => ProgramVersion::read(tag),
        None => meta.labels.get("app.kubernetes.io/version").map_or(ProgramVersion::unknown(), ProgramVersion::read),
    };
    if let Some((program, version)) = &hints.program {
        return fits(container, program).then(|| (Arc::clone(program), version.clone()));
    }
    catalog::programs_of_image(name).find(|program| fits(container, program)).map(|program| (program, version()))
}

/// Whether command and subcommand of a container are those of a program.
fn fits(container: &Container, program: &Program) -> bool {
    let mut words = container.words().map(|(_, _, word)| word);
    program.command.iter().all(|wanted| words.any(|word| word == wanted))
}

/// The last path segment of an image and its tag.
fn image_parts(image: &str) -> (&str, Option<&str>) {
    let image = image.split('@').next().unwrap_or_default();
    let last = image.rsplit('/').next().unwrap_or_default();
    match last.split_once(':') {
        Some((name, tag)) => (name, Some(tag)),
        None => (last, None),
    }
}

/// The listeners of a workload's pods: declared ones first, container by container.
#[must_use]
pub fn listeners(model: &Model, meta: &Meta, template: &PodTemplate, hints: &Hints) -> Vec<Listener> {
    let mut found = Vec::new();
    for (index, container) in template.running() {
        found.extend(Reader::new(index, container, meta, hints).read());
    }
    drop_neighbours(&mut found);
    add_undeclared(template, &mut found);
    name_all(&mut found, template);
    found.shrink_to_fit();
    let called = called_ports(model, meta, template);
    let scraped = scraped_ports(model, meta, template);
    let probed: BTreeSet<u16> =
        template.running().flat_map(|(_, c)| &c.probes).filter_map(super::probe::Probe::number).collect();
    for listener in &mut found {
        let own_probe = template.containers.get(listener.container).is_some_and(|container| {
            container.probes.iter().any(|probe| Some(&probe.port.text) == listener.name.as_ref())
        });
        let by_call = called.iter().find(|(target, _)| match target {
            Target::Number(number) => *number == listener.number,
            Target::Name(name) => Some(name) == listener.name.as_ref(),
        });
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

fn named_role(listener: &Listener) -> Role {
    let flags = match &listener.binding {
        Binding::Visible(places) => places.iter().find_map(|place| Role::of_name(&place.name)),
        _ => None,
    };
    Role::of_name(&listener.label).or(flags).unwrap_or(Role::Other)
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
        .filter_map(super::text::port)
        .collect()
}

/// Reads the listeners of one container.
struct Reader<'m> {
    index: usize,
    container: &'m Container,
    hints: &'m Hints,
    program: Option<(Arc<Program>, ProgramVersion)>,
    flags: Vec<Flag>,
    visible: Vec<Visible>,
    /// Positions in `visible` that tell a listener its number, or that belong to one that is off.
    used: BTreeSet<usize>,
    /// Declared ports that have a listener.
    declared: BTreeSet<usize>,
}

impl<'m> Reader<'m> {
    fn new(index: usize, container: &'m Container, meta: &'m Meta, hints: &'m Hints) -> Self {
        Self {
            index,
            container,
            hints,
            program: program_of(container, meta, hints),
            flags: flags(container),
            visible: visible(container),
            used: BTreeSet::new(),
            declared: BTreeSet::new(),
        }
    }

    fn read(mut self) -> Vec<Listener> {
        let mut found = Vec::new();
        if let Some((program, version)) = self.program.clone() {
            for row in &program.listeners {
                found.extend(self.catalogued(&program, &version, row));
            }
        }
        let container = self.container;
        for (position, port) in container.ports.iter().flatten().enumerate() {
            if let Some(number) = port.number()
                && !self.declared.contains(&position)
            {
                let binding = self.binding_of(number);
                let label = port.name.clone().unwrap_or_default();
                let mut listener = self.listener(number, Some(position), label, binding);
                port.protocol.clone_into(&mut listener.protocol);
                found.push(listener);
            }
        }
        self.hinted(&mut found);
        self.told(&mut found);
        found.sort_by_key(|listener| listener.declared.unwrap_or(usize::MAX));
        found
    }

    fn listener(&self, number: u16, declared: Option<usize>, label: String, binding: Binding) -> Listener {
        let port = declared.and_then(|position| self.container.ports.iter().flatten().nth(position));
        Listener {
            container: self.index,
            declared,
            name: port.and_then(|port| port.name.clone()),
            label: port.and_then(|port| port.name.clone()).unwrap_or(label),
            number,
            protocol: port.map_or_else(|| "TCP".to_owned(), |port| port.protocol.clone()),
            role: Role::Other,
            binding,
        }
    }

    /// A listener of the catalogue: where it listens in this container, if it does.
    fn catalogued(&mut self, program: &Program, version: &ProgramVersion, row: &catalog::Listener) -> Option<Listener> {
        let told: Vec<usize> = self.places(|place| row.tell.iter().any(|tell| tell.name() == place.name));
        let flag_value =
            |name: &str| self.flags.iter().rev().find(|flag| flag.name == name).and_then(|f| f.value.clone());
        let on = row.enabled_by.as_ref().is_none_or(|by| switch(&self.flags, &by.arg).unwrap_or(by.default));
        let off = row.tell.iter().filter_map(|tell| {
            let env = tell
                .env
                .as_deref()
                .and_then(|name| self.container.env_var(name)?.1.value.as_deref().map(str::to_owned));
            tell.arg.as_deref().and_then(flag_value).or(env)
        });
        if !on || off.into_iter().any(|value| row.off.contains(&value)) {
            self.used.extend(told);
            return None;
        }
        let number = told.first().and_then(|&position| self.visible.get(position)).map(|place| place.port);
        let ports = || self.container.ports.iter().flatten().enumerate();
        let free = |position: usize| !self.declared.contains(&position);
        let named = ports().find(|(position, port)| {
            free(*position) && port.name.as_ref().is_some_and(|name| row.names.contains(name))
        });
        let numbered = |number: u16| {
            ports()
                .find(|(position, port)| free(*position) && port.number() == Some(number))
                .map(|(position, _)| position)
        };
        let declared = match number {
            Some(number) => numbered(number),
            None => named.map(|(position, _)| position).or_else(|| numbered(row.default)),
        };
        if number.is_none() && declared.is_none() {
            let too_old = row.since.as_deref().is_some_and(|since| version.has(since) == Some(false));
            if row.if_declared || row.phantom || too_old {
                return None;
            }
        }
        let declared_number = declared.and_then(|position| ports().nth(position)?.1.number());
        let number = number.or(declared_number).unwrap_or(row.default);
        let binding = if told.is_empty() {
            self.catalogue_binding(program, version, row)
        } else {
            Binding::Visible(self.take(&told))
        };
        self.declared.extend(declared);
        let mut listener = self.listener(number, declared, row.names.first().cloned().unwrap_or_default(), binding);
        listener.role = Role::of_catalog(&row.role);
        Some(listener)
    }

    fn catalogue_binding(&self, program: &Program, version: &ProgramVersion, row: &catalog::Listener) -> Binding {
        if row.phantom {
            return Binding::Phantom;
        }
        let Some(tell) = row.tell.first() else {
            return Binding::Fixed(format!("{} has no flag or variable for it in any version", program.name));
        };
        // The name is there with a value that is no number: a placeholder, a valueFrom, somebody else's address.
        let env = tell.env.as_deref().and_then(|name| self.container.env_var(name));
        let flag = tell.arg.as_deref().and_then(|name| self.flags.iter().find(|flag| flag.name == name));
        if env.is_some() || flag.is_some() {
            let given = env
                .map(|(_, var)| var.value.as_deref().map(str::to_owned))
                .or_else(|| flag.map(|flag| flag.value.clone()))
                .flatten();
            let given = given.map_or_else(|| "a value from elsewhere".to_owned(), |value| format!("`{value}`"));
            return Binding::Fixed(format!("`{}` is {given}, not a port number", tell.name()));
        }
        let since = tell.since.as_deref().unwrap_or_default();
        let doubt = match version.has(since) {
            Some(false) => {
                return Binding::Fixed(format!(
                    "{} {version} has no flag or variable for it: `{}` comes with {since}",
                    program.name,
                    tell.name()
                ));
            }
            None if tell.arg.is_some() => {
                return Binding::Fixed(format!(
                    "the version of {} is unknown, and flag `{}` comes with {since}: say `program: {}@VERSION`",
                    program.name,
                    tell.name(),
                    program.name
                ));
            }
            None => Some(format!("the version of {} is unknown; `{}` comes with {since}", program.name, tell.name())),
            Some(true) => None,
        };
        Binding::Add { tell: tell.clone(), value: row.value.clone(), no_cmd: program.no_cmd, doubt }
    }

    /// Positions of visible values that are not used yet.
    fn places(&self, wanted: impl Fn(&Visible) -> bool) -> Vec<usize> {
        let free = self.visible.iter().enumerate().filter(|(position, _)| !self.used.contains(position));
        free.filter(|(_, place)| wanted(place)).map(|(position, _)| position).collect()
    }

    fn take(&mut self, positions: &[usize]) -> Vec<Visible> {
        self.used.extend(positions);
        let mut taken: Vec<Visible> = Vec::new();
        for place in positions.iter().filter_map(|&position| self.visible.get(position)) {
            // `--listen=:$(PORT)` and the variable PORT are one place.
            if !taken.iter().any(|known| known.place == place.place) {
                taken.push(place.clone());
            }
        }
        taken.shrink_to_fit();
        taken
    }

    /// How a declared port that the catalogue does not know is told its number.
    fn binding_of(&mut self, number: u16) -> Binding {
        let listen = self.places(|place| place.port == number && self.is_listen(&place.name));
        if !listen.is_empty() {
            return Binding::Visible(self.take(&listen));
        }
        let elsewhere = self.places(|place| place.port == number);
        // Another listener of the same number (TCP beside UDP) may be told by the same place.
        let shared: Vec<usize> = self
            .visible
            .iter()
            .enumerate()
            .filter(|(_, place)| place.port == number && self.is_listen(&place.name))
            .map(|(position, _)| position)
            .collect();
        if !shared.is_empty() {
            return Binding::Visible(self.take(&shared));
        }
        let places = elsewhere.iter().filter_map(|&position| self.visible.get(position));
        Binding::Unknown(places.map(|place| format!("`{}` ({})", place.name, place.place.path)).collect())
    }

    fn is_listen(&self, name: &str) -> bool {
        let not =
            self.program.as_ref().is_some_and(|(program, _)| program.not_listen.iter().any(|known| known == name));
        let short = name.len() == 2 && name.starts_with('-');
        !not && (is_listen_name(name) || (short && name == "-p"))
    }

    /// What `bind` of the config says.
    fn hinted(&self, found: &mut Vec<Listener>) {
        for told in self.hints.told.iter().filter(|told| told.container == self.container.name) {
            let same = |listener: &Listener| {
                listener.name.as_ref() == Some(&told.port) || (told.number == Some(listener.number))
            };
            let position = found.iter().position(same);
            let number = position.and_then(|p| found.get(p)).map(|l| l.number).or(told.number);
            let Some(number) = number else { continue };
            let binding = self.told_binding(told, number);
            let listener = match position.and_then(|position| found.get_mut(position)) {
                Some(listener) => listener,
                None => {
                    found.push(self.listener(number, None, told.port.clone(), Binding::Phantom));
                    let Some(listener) = found.last_mut() else { continue };
                    listener
                }
            };
            if !matches!(listener.binding, Binding::Visible(_)) {
                listener.binding = binding;
            }
            if let Some(role) = Role::of_name(&told.port) {
                listener.role = role;
            }
        }
    }

    /// A flag or variable that is there is changed, one that is not there is added.
    fn told_binding(&self, told: &Told, number: u16) -> Binding {
        let name = told.tell.name();
        let places: Vec<Visible> =
            self.visible.iter().filter(|v| v.name == name && v.port == number).cloned().collect();
        if !places.is_empty() {
            return Binding::Visible(places);
        }
        let env = told.tell.env.as_deref().and_then(|name| self.container.env_var(name));
        let flag = self.flags.iter().rev().find(|flag| told.tell.arg.as_deref() == Some(flag.name.as_str()));
        let there = match (env, flag) {
            (Some((index, var)), _) => var.value.as_deref().map(|value| {
                let path = self.container.env_path(index);
                (value, TextPlace { path, text: value.to_owned(), range: 0..value.len() })
            }),
            (None, Some(flag)) => flag.value.as_deref().map(|value| (value, flag.place.clone())),
            (None, None) => {
                let value = told.value.clone();
                return Binding::Add { tell: told.tell.clone(), value, no_cmd: false, doubt: None };
            }
        };
        let expected = told.value.replace("{port}", &number.to_string());
        match there.filter(|(value, _)| *value == expected) {
            Some((_, place)) => {
                let start = place.range.start + told.value.find("{port}").unwrap_or_default();
                let range = start..start + number.to_string().len();
                Binding::Visible(vec![Visible {
                    name: name.to_owned(),
                    host: Host::Any,
                    port: number,
                    address: true,
                    env: env.is_some(),
                    place: TextPlace { range, ..place },
                }])
            }
            None => {
                Binding::Fixed(format!("`{name}` is there with another value than `{expected}`, which `bind` tells"))
            }
        }
    }

    /// Visible listen values that nothing declares.
    fn told(&mut self, found: &mut Vec<Listener>) {
        let free = self.places(|place| {
            // A bare number is a port only where the name ends as a port's does: `--server-timeout=30` is none.
            self.is_listen(&place.name) && (place.address || ends_as_listen_name(&place.name))
        });
        for position in free {
            if self.used.contains(&position) {
                continue;
            }
            let Some(first) = self.visible.get(position).cloned() else { continue };
            if let Some(known) = found.iter_mut().find(|l| l.number == first.port && l.protocol == "TCP") {
                // A second place that tells a known listener its number.
                if let Binding::Visible(places) = &mut known.binding {
                    self.used.insert(position);
                    if !places.iter().any(|place| place.place == first.place) {
                        places.push(first);
                    }
                    continue;
                }
                self.used.insert(position);
                known.binding = Binding::Visible(vec![first]);
                continue;
            }
            let same = self.places(|place| place.port == first.port && self.is_listen(&place.name));
            let binding = Binding::Visible(self.take(&same));
            let label = label_of(&first.name);
            found.push(self.listener(first.port, None, label, binding));
        }
    }
}

/// A port name made of a flag's or variable's words, without those that every such name has.
fn label_of(name: &str) -> String {
    let dull = ["bind", "listen", "addr", "address", "port", "server", "host"];
    let words: Vec<String> = words(name).into_iter().filter(|word| !dull.contains(&word.as_str())).collect();
    if words.is_empty() { "listen".to_owned() } else { words.join("-") }
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
fn add_undeclared(template: &PodTemplate, found: &mut Vec<Listener>) {
    let mut add = |container: usize, number: u16, label: &str| {
        if !found.iter().any(|listener| listener.number == number && listener.protocol == "TCP") {
            found.push(Listener {
                container,
                declared: None,
                name: None,
                label: label.to_owned(),
                number,
                protocol: "TCP".to_owned(),
                role: Role::Other,
                binding: Binding::Unknown(Vec::new()),
            });
        }
    };
    for (index, container) in template.running() {
        for number in container.probes.iter().filter_map(super::probe::Probe::number) {
            add(index, number, "health");
        }
    }
    let first = template.running().next().map(|(index, _)| index);
    for key in catalog::port_annotations() {
        if let (Some(first), Some(number)) = (first, template.annotations.get(key).and_then(super::text::port)) {
            add(first, number, "metrics");
        }
    }
}

/// Gives every listener without a declared name one that is valid and unique in the pod.
fn name_all(found: &mut [Listener], template: &PodTemplate) {
    let mut taken: BTreeSet<String> = template
        .containers
        .iter()
        .flat_map(|c| c.ports.iter().flatten())
        .filter_map(|port| port.name.clone())
        .collect();
    for listener in found.iter_mut().filter(|listener| listener.name.is_none()) {
        let base = valid_name(&listener.label, listener.role);
        let mut name = base.clone();
        let mut count = 2;
        while !taken.insert(name.clone()) {
            let suffix = format!("-{count}");
            let room = LONGEST_NAME - suffix.len();
            let cut: String = base.chars().take(room).collect();
            name = format!("{}{suffix}", cut.trim_end_matches('-'));
            count += 1;
        }
        listener.label = name;
    }
}

/// A port name as Kubernetes allows: at most 15 of `[-a-z0-9]`, a letter, no dash at an end and no two in a row.
fn valid_name(wish: &str, role: Role) -> String {
    let words: Vec<&str> = wish.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let name: String = words.join("-").to_ascii_lowercase().chars().take(LONGEST_NAME).collect();
    let name = name.trim_matches('-');
    if name.bytes().any(|byte| byte.is_ascii_lowercase()) { name.to_owned() } else { role.as_str().to_owned() }
}
