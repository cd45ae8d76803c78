//! ConfigMaps: port numbers in their data, for pods that mount them or take variables from them (P5).

use std::sync::Arc;

use super::listener::{Binding, Listener};
use super::pod::Container;
use super::reference::{Pods, Reference};
use super::text::{is_listen_name, leading_port, listen_value};
use super::visible::TextPlace;
use super::{Meta, Model, ObjectId};
use crate::yaml::{NodeRef, Path};

/// A `v1` `ConfigMap` as the rules need it.
#[derive(Debug, Clone, Default)]
pub struct ConfigMap {
    /// The port numbers of its data.
    pub numbers: Vec<ConfigNumber>,
    /// The texts of its data, by key, that may tell a process where to listen.
    texts: Vec<(Box<str>, Arc<str>)>,
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
    pub readers: Vec<ObjectId>,
}

/// Texts longer than this are no configuration of a port: bundles of certificates, dashboards, scripts.
const LONGEST: usize = 256 * 1024;

/// Parts of words that a text has when one of its fields tells where to listen, as `words.yaml` has them.
const HINTS: [&str; 6] = ["port", "Port", "addr", "Addr", "bind", "Bind"];

impl ConfigMap {
    /// Reads the data: whole values, and values of a line (`port: 8080`, `address = ":8080"`).
    #[must_use]
    pub fn of(object: NodeRef<'_, '_>) -> Self {
        let mut found = Self::default();
        for (key, value) in object.get("data").into_iter().flat_map(NodeRef::entries) {
            let (Some(key), Some(text)) = (key.text(), value.text()) else { continue };
            if text.len() > LONGEST {
                continue;
            }
            let mut number = |port, line| found.numbers.push(ConfigNumber { key: key.to_owned(), port, line });
            let whole = listen_value(text.trim());
            if let Some((_, whole)) = &whole {
                number(whole.port, 1);
            } else {
                for (index, line) in text.lines().enumerate() {
                    if let Some(port) = line_value(line) {
                        number(port, index + 1);
                    }
                }
            }
            if whole.is_some() || HINTS.iter().any(|hint| text.contains(hint)) {
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

/// The listen value that a line ends with, after `:` or `=` and a name.
fn line_value(line: &str) -> Option<u16> {
    let start = line.find([':', '='])?;
    let value = line.get(start + 1..)?.trim().trim_end_matches([',', ';']).trim_matches(['"', '\'']);
    listen_value(value).map(|(_, number)| number.port).or_else(|| leading_port(value))
}

/// The path of a key's text.
pub(super) fn data_path(key: &str) -> Path {
    Path::root().key("data").key(key.to_owned())
}

/// The variables of a container that take a port number from a `ConfigMap`.
pub(super) fn variables(model: &Model, meta: &Meta, container: &Container) -> Vec<ConfigPlace> {
    let namespace = meta.namespace.as_deref();
    let mut found = Vec::new();
    let mut add = |name: &str, key: &str, variable: String| {
        let Some((object, map)) = model.config_map(namespace, name) else { return };
        let Some(text) = map.text(key) else { return };
        let Some((_, number)) = listen_value(text.trim()) else { return };
        let start = text.len() - text.trim_start().len();
        let range = start + number.range.start..start + number.range.end;
        let place = TextPlace { path: data_path(key), text: text.to_string(), range };
        let readers = model.readers(namespace, name, key);
        found.push(ConfigPlace { object, place, port: number.port, name: variable, readers });
    };
    for var in &container.env {
        if let Some((name, key)) = var.config_map.as_deref() {
            add(name, key, var.name.to_string());
        }
    }
    for source in &container.env_from {
        let Some((_, map)) = model.config_map(namespace, &source.config_map) else { continue };
        for (key, _) in &map.texts {
            let variable = format!("{}{key}", source.prefix);
            // Kubernetes: `env` wins over `envFrom`.
            if container.env_var(&variable).is_none() {
                add(&source.config_map, key, variable);
            }
        }
    }
    found
}

/// Keys that variables of the pods take the number from, and mounted files that hold it.
pub(super) fn references(model: &Model, pods: Pods<'_>, listener: &Listener, found: &mut Vec<Reference>) {
    let told = match &listener.binding {
        Binding::ConfigMap(told) => Some(told),
        _ => None,
    };
    let is_told =
        |place: &ConfigPlace| told.is_some_and(|told| told.object == place.object && told.place == place.place);
    let mut known: Vec<ConfigPlace> = Vec::new();
    for (index, container) in pods.template.running() {
        let own = index == listener.container;
        let listens = pods.listeners.iter().any(|l| l.container == index && l.number == listener.number);
        for place in variables(model, pods.meta, container) {
            let listen = place.port == listener.number && is_listen_name(&place.name);
            let same = |other: &ConfigPlace| other.object == place.object && other.place == place.place;
            if !listen || is_told(&place) || known.iter().any(same) || (listens && !own) {
                continue;
            }
            if own {
                let (object, others) = (place.object, place.readers.clone());
                found.push(Reference::Text { object, place: place.place.clone(), others });
            } else {
                let why = format!("variable `{}` of container `{}` may mean it", place.name, container.name);
                found.push(Reference::Stuck { object: place.object, path: place.place.path.clone(), why });
            }
            known.push(place);
        }
    }
    let namespace = pods.meta.namespace.as_deref();
    for name in pods.template.mounted_config_maps() {
        let Some((id, map)) = model.config_map(namespace, name) else { continue };
        let edited = |number: &ConfigNumber| {
            told.into_iter().chain(&known).any(|place| {
                let before = place.place.text.get(..place.place.range.start).unwrap_or_default();
                let line = before.matches('\n').count() + 1;
                place.object == id && place.place.path == data_path(&number.key) && line == number.line
            })
        };
        for number in map.numbers.iter().filter(|number| number.port == listener.number && !edited(number)) {
            let what = format!("line {} of the mounted file `{}` holds {}", number.line, number.key, number.port);
            found.push(Reference::Seen { object: id, path: data_path(&number.key), what });
        }
    }
}
