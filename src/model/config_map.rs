//! ConfigMaps: port numbers in their data, for pods that mount them or take variables from them (P5).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::config_lines::{numbers, shown};
use super::dialled::hosts_in;
use super::evidence::{
    Form, Name, Objection, Setting, TextPlace, host_before, listen_value, of_literal, whole_numbers,
};
use super::listener::{Binding, Listener};
use super::own_address::own_ports;
use super::pod::Container;
use super::pod_texts::PodTexts;
use super::reference::{Pods, Reference};
use super::text::Number;
use super::transport::{self, Means, Transports};
use super::{Meta, Model, ObjectId, WorkloadId, peers};
use crate::yaml::{NodeRef, Path};

/// A `v1` `ConfigMap` as the rules need it.
#[derive(Debug, Clone, Default)]
pub struct ConfigMap {
    /// The port numbers of its data.
    pub numbers: Vec<ConfigNumber>,
    /// `immutable: true`: the API server refuses every change of its data.
    pub immutable: bool,
    /// The texts of its data, by key, that may tell a process where to listen, or where somebody is.
    texts: Vec<(Box<str>, Arc<str>)>,
    /// The hosts by name that its texts have with numbers.
    pub(super) dialled: Vec<DialledLine>,
    /// All keys: each becomes a variable of a container that takes all of them.
    keys: Vec<Box<str>>,
}

/// A port number in a `ConfigMap`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigNumber {
    /// The key of the data.
    pub key: String,
    /// The number.
    pub port: u16,
    /// The line of the text, counted from 1.
    pub line: usize,
}

/// A number behind the name of a host in a `ConfigMap`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DialledLine {
    /// The key of the data.
    pub(super) key: Arc<str>,
    /// Its text.
    pub(super) text: Arc<str>,
    /// The number.
    pub(super) number: Number,
    /// The host.
    pub(super) host: Box<str>,
    /// The line of the text, counted from 1.
    pub(super) line: usize,
}

/// The hosts in the text of a key.
fn dialled(key: &str, text: &str) -> Vec<DialledLine> {
    let (mut line, mut from) = (1, 0);
    let mut shared: Option<(Arc<str>, Arc<str>)> = None;
    let hosts = hosts_in(text).map(|(number, host)| {
        line += text.get(from..number.range.start).unwrap_or_default().matches('\n').count();
        from = number.range.start;
        let (key, text) = shared.get_or_insert_with(|| (key.into(), text.into()));
        DialledLine { key: Arc::clone(key), text: Arc::clone(text), number, host: host.into(), line }
    });
    hosts.collect()
}

/// A number in a `ConfigMap` that tells a process where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigPlace {
    /// The `ConfigMap`.
    pub object: ObjectId,
    /// The number in the text of a key.
    pub place: TextPlace,
    /// The number.
    pub port: u16,
    /// The variable that takes it from there, or the field of a config file.
    pub name: String,
    /// The workloads whose pods read the key.
    pub readers: Vec<WorkloadId>,
}

/// Texts longer than this are no configuration of a port: bundles of certificates, dashboards, scripts.
const LONGEST: usize = 256 * 1024;

/// A longer text is not the address of somebody.
const LONGEST_ADDRESS: usize = 1024;

/// Parts of words that a text has when one of its fields tells where to listen, as `words.yaml` has them.
const HINTS: [&str; 6] = ["port", "Port", "addr", "Addr", "bind", "Bind"];

impl ConfigMap {
    /// Reads the data: whole values, and numbers of lines (`port: 8080`, `listen 8080;`, `http://localhost:8080`).
    #[must_use]
    pub fn of(object: NodeRef<'_, '_>) -> Self {
        let immutable = object.get("immutable").and_then(NodeRef::as_bool) == Some(true);
        let mut found = Self { immutable, ..Self::default() };
        for (key, value) in object.get("data").into_iter().flat_map(NodeRef::entries) {
            let (Some(key), Some(text)) = (key.text(), value.text()) else { continue };
            found.keys.push(key.into());
            if text.len() > LONGEST {
                continue;
            }
            let number = |(line, port)| ConfigNumber { key: key.to_owned(), port, line };
            found.numbers.extend(numbers(text).into_iter().map(number));
            found.dialled.extend(dialled(key, text));
            if listen_value(text.trim()).is_some()
                || HINTS.iter().any(|hint| text.contains(hint))
                || !own_ports(text).is_empty()
                || (text.len() <= LONGEST_ADDRESS && Name::of(key).host_stem().is_some())
            {
                found.texts.push((key.into(), text.into()));
            }
        }
        found
    }

    /// The text of a key, if it may tell where to listen.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&Arc<str>> {
        self.texts.iter().find(|(known, _)| **known == *key).map(|(_, text)| text)
    }
}

/// The path of a key's text.
pub(super) fn data_path(key: &str) -> Path {
    Path::root().key("data").key(key.to_owned())
}

/// A variable of a container whose value is a key of a `ConfigMap`.
struct Variable {
    object: ObjectId,
    config_map: String,
    key: String,
    name: String,
    text: Arc<str>,
}

impl Variable {
    fn place(&self, model: &Model, namespace: Option<&str>, number: &Number) -> ConfigPlace {
        let (path, text) = (data_path(&self.key), Arc::clone(&self.text));
        ConfigPlace {
            object: self.object,
            place: TextPlace { path, text, range: number.range.clone() },
            port: number.port,
            name: self.name.clone(),
            readers: model.readers(namespace, &self.config_map, &self.key),
        }
    }

    /// The number, when it is the whole value.
    fn number(&self) -> Option<Number> {
        let (_, number) = listen_value(self.text.trim())?;
        let start = self.text.len() - self.text.trim_start().len();
        Some(Number { range: start + number.range.start..start + number.range.end, ..number })
    }
}

/// The variables of a container that come from ConfigMaps of the input and may name a port.
fn from_config_maps(model: &Model, namespace: Option<&str>, container: &Container) -> Vec<Variable> {
    let mut found = Vec::new();
    let mut add = |config_map: &str, key: &str, name: String| {
        let Some((object, map)) = model.config_map(namespace, config_map) else { return };
        let Some(text) = map.text(key).cloned() else { return };
        found.push(Variable { object, config_map: config_map.to_owned(), key: key.to_owned(), name, text });
    };
    for var in &container.env {
        if let Some((name, key)) = var.config_map.as_deref() {
            add(name, key, var.name.to_string());
        }
    }
    for (index, source) in container.env_from.iter().enumerate() {
        let Some((_, map)) = model.config_map(namespace, &source.config_map) else { continue };
        // Of several sources the last one wins.
        let overridden = |name: &str| {
            container.env_from.iter().skip(index + 1).any(|later| {
                let key = name.strip_prefix(later.prefix.as_str());
                let map = model.config_map(namespace, &later.config_map);
                key.zip(map).is_some_and(|(key, (_, map))| map.keys.iter().any(|own| **own == *key))
            })
        };
        for (key, _) in &map.texts {
            let name = format!("{}{key}", source.prefix);
            // Kubernetes: `env` wins over `envFrom`.
            if container.env_var(&name).is_none() && !overridden(&name) {
                add(&source.config_map, key, name);
            }
        }
    }
    found
}

/// The variables of a container that take a port number from a `ConfigMap`.
pub(super) fn variables(model: &Model, meta: &Meta, container: &Container) -> Vec<ConfigPlace> {
    let namespace = meta.namespace.as_deref();
    let all = from_config_maps(model, namespace, container).into_iter();
    all.filter_map(|variable| Some(variable.place(model, namespace, &variable.number()?))).collect()
}

/// The variables of a container that come from ConfigMaps of the input: names and values, as far as they may be addresses.
pub(super) fn texts(model: &Model, meta: &Meta, container: &Container) -> Vec<Setting> {
    let all = from_config_maps(model, meta.namespace.as_deref(), container).into_iter();
    all.map(|variable| {
        let range = 0..variable.text.len();
        let place = TextPlace { path: data_path(&variable.key), text: variable.text, range };
        Setting::of_variable(variable.name, place)
    })
    .collect()
}

/// The addresses of the pod itself with a number in the variables of a container that come from a `ConfigMap`.
fn addresses(model: &Model, meta: &Meta, container: &Container, port: u16) -> Vec<ConfigPlace> {
    let namespace = meta.namespace.as_deref();
    let mut found = Vec::new();
    for variable in from_config_maps(model, namespace, container) {
        // Whether to listen or to dial there, `variables` tell.
        if Name::of(&variable.name).is_listen()
            && !variable.text.contains("://")
            && listen_value(variable.text.trim()).is_some_and(|(form, _)| form != Form::Loopback)
        {
            continue;
        }
        let numbers = own_ports(&variable.text).into_iter().filter(|number| number.port == port);
        found.extend(numbers.map(|number| variable.place(model, namespace, &number)));
    }
    found
}

/// Keys that variables of the pods take the number from, and mounted files that hold it.
pub(super) fn references(
    model: &Model,
    pods: Pods<'_>,
    texts: &PodTexts<'_>,
    listener: &Listener,
    found: &mut Vec<Reference>,
) {
    let objection = |name: &str, text: &str, place: &TextPlace| {
        let form = listen_value(text.trim()).map_or(Form::Bare, |(form, _)| form);
        let own = texts.of(listener.container)?;
        own.texts.against_variable(texts.surroundings(), name, form, listener.number, place)
    };
    let told = match &listener.binding {
        Binding::ConfigMap(told) => Some(told.as_ref()),
        _ => None,
    };
    let mut known: Vec<ConfigPlace> = Vec::new();
    let mut add = |place: ConfigPlace, means: Means, stuck: Option<Reference>| {
        let same = |other: &ConfigPlace| other.object == place.object && other.place == place.place;
        if !told.is_some_and(same) && !known.iter().any(same) {
            let (object, readers) = (place.object, place.readers.clone());
            found.extend(stuck.or_else(|| Reference::text(object, place.place.clone(), readers.into(), means)));
            known.push(place);
        }
    };
    let transports = Transports::of(pods.listeners, listener);
    let means = |at: &ConfigPlace| {
        let spoken = || transport::of_text(&at.place.text, &at.place.range).or_else(|| transport::of_name(&at.name));
        transports.means(spoken)
    };
    for (_, container) in pods.template.running() {
        for place in addresses(model, pods.meta, container, listener.number) {
            let means = means(&place);
            if means != Means::Another {
                add(place, means, None);
            }
        }
    }
    for (index, container) in pods.template.running() {
        let own = index == listener.container;
        let listens = pods.listeners.iter().any(|l| l.container == index && l.number == listener.number);
        for place in variables(model, pods.meta, container) {
            let is_url = !own && place.place.text.contains("://");
            if place.port != listener.number || !Name::of(&place.name).is_listen() || (listens && !own) || is_url {
                continue;
            }
            if !own && means(&place) == Means::Another {
                continue;
            }
            if own && objection(&place.name, &place.place.text, &place.place).is_some() {
                continue;
            }
            let why = || format!("variable `{}` of container `{}` may mean it", place.name, container.name);
            let stuck = || Reference::Stuck { object: place.object, path: place.place.path.clone(), why: why() };
            let reference = (!own).then(stuck);
            add(place, Means::Own, reference);
        }
    }
    left_in_variables(
        model,
        pods,
        listener,
        &|place| told.into_iter().chain(&known).any(|own| own.is_beside(place)),
        &objection,
        found,
    );
    let namespace = pods.meta.namespace.as_deref();
    for name in pods.template.mounted_config_maps() {
        let Some((id, map)) = model.config_map(namespace, name) else { continue };
        // What a variable takes as well is not said of the file.
        let changed = |id, key: &str| {
            let path = data_path(key);
            let own = |reference: &Reference| match reference {
                Reference::Text { object, place, .. } | Reference::Either { object, place, .. } => {
                    *object == id && place.path == path
                }
                _ => false,
            };
            found.iter().any(own)
        };
        let edited = |number: &ConfigNumber| {
            told.into_iter().chain(&known).any(|place| {
                let before = place.place.text.get(..place.place.range.start).unwrap_or_default();
                let line = before.matches('\n').count() + 1;
                place.object == id && place.place.path == data_path(&number.key) && line == number.line
            })
        };
        let mut lines: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for number in map.numbers.iter().filter(|number| number.port == listener.number && !edited(number)) {
            lines.entry(&number.key).or_default().push(number.line);
        }
        for (key, line) in peers::lines(texts.peers(), map, namespace, listener.number) {
            if !changed(id, key) {
                lines.entry(key).or_default().push(line);
            }
        }
        for (key, mut lines) in lines {
            lines.sort_unstable();
            lines.dedup();
            let what = format!("the mounted file `{key}` holds {} ({})", listener.number, shown(&lines));
            found.push(Reference::Seen { object: id, path: data_path(key), what });
        }
    }
}

impl ConfigPlace {
    /// Whether another place is in the text of the same key.
    fn is_beside(&self, (object, path): (ObjectId, &Path)) -> bool {
        self.object == object && self.place.path == *path
    }
}

/// The number in variables of the listener's own container that come from a `ConfigMap`, and in which nobody knows what it means:
/// `JAVA_OPTS: -Dserver.port=8080`. Left behind it would be half a change.
fn left_in_variables(
    model: &Model,
    pods: Pods<'_>,
    listener: &Listener,
    is_known: &dyn Fn((ObjectId, &Path)) -> bool,
    objection: &dyn Fn(&str, &str, &TextPlace) -> Option<Objection>,
    found: &mut Vec<Reference>,
) {
    let Some(container) = pods.template.containers.get(listener.container) else { return };
    for variable in from_config_maps(model, pods.meta.namespace.as_deref(), container) {
        let path = data_path(&variable.key);
        let place = TextPlace { path: path.clone(), text: Arc::clone(&variable.text), range: 0..variable.text.len() };
        // Somebody's host is in front of the number.
        let is_anothers = |number: &Number| {
            let host = host_before(&variable.text, number.range.start);
            host.is_some_and(|host| host.colon && of_literal(host.text).is_none())
        };
        let holds = whole_numbers(&variable.text).any(|n| n.port == listener.number && !is_anothers(&n));
        let is_bare = super::text::port(variable.text.trim()).is_some();
        let explained = (is_bare && !Name::of(&variable.name).has_listen_word())
            || objection(&variable.name, &variable.text, &place).is_some_and(|objection| objection.explains());
        if holds && !explained && !is_known((variable.object, &path)) {
            let holds =
                format!("variable `{}` of container `{}` holds {}", variable.name, container.name, listener.number);
            // Several lines are a file, of which nobody knows who reads it.
            found.push(if variable.text.trim().contains('\n') {
                Reference::Seen { object: variable.object, path, what: holds }
            } else {
                let why = format!("{holds} as well, and whether it means this port is not known");
                Reference::Stuck { object: variable.object, path, why }
            });
        }
    }
}
