//! Variables of a container with values from ConfigMaps, found by name and by number.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::model::facts::{ConfigMap, ConfigPlace};
use crate::model::id::ObjectId;
use crate::model::index::{Model, Objects};
use crate::model::pod::Container;
use crate::model::setting::Setting;
use crate::model::text::{Form, Name, Number, TextPlace};
use lossless_yaml::Path;

/// Maximum number of sources without an index.
const MAX_UNINDEXED_SOURCES: usize = 4;

/// Variables of a container that come from ConfigMaps of the input and may hold a port or a host.
#[derive(Debug)]
pub(in crate::model) struct MapVariables<'m> {
    container: &'m Container,
    /// Variables of `env`, and their positions by the port numbers in them.
    own: Vec<Variable<'m>>,
    own_holding: HashMap<u16, Vec<usize>>,
    /// ConfigMaps of `envFrom`, and the prefixes of their variables.
    sources: Vec<(ObjectId, &'m ConfigMap, &'m str)>,
    /// Index for many sources: the last source of each variable, and in `holding` the sources by number.
    last: HashMap<String, usize>,
    holding: HashMap<u16, Vec<usize>>,
}

/// Variable with a key of a `ConfigMap` as its value.
#[derive(Debug, Clone)]
pub(in crate::model) struct Variable<'m> {
    pub(in crate::model) object: ObjectId,
    pub(in crate::model) name: String,
    pub(in crate::model) text: &'m Arc<str>,
    map: &'m ConfigMap,
    /// Position of the text in the `ConfigMap`.
    at: usize,
}

impl Variable<'_> {
    pub(in crate::model) fn path(&self) -> Path {
        self.map.index().path(self.at)
    }

    /// Position of a number in the text.
    pub(in crate::model) fn place(&self, number: &Number) -> ConfigPlace {
        self.place_with_form(number, self.form(number))
    }

    /// Position of a number in the variable's text, with the form of the text.
    fn place_with_form(&self, number: &Number, form: Form) -> ConfigPlace {
        let place = TextPlace { path: self.path(), text: Arc::clone(self.text), range: number.range.clone() };
        ConfigPlace { object: self.object, place, port: number.port, form, name: self.name.clone(), in_file: false }
    }

    /// Form of a number in the text; [`Form::Bare`] if the text contains more than listen
    /// addresses.
    pub(in crate::model) fn form(&self, number: &Number) -> Form {
        let values = self.listen_values();
        let at = values.partition_point(|(_, value)| value.range.start < number.range.start);
        values.get(at).filter(|(_, value)| value.range == number.range).map_or(Form::Bare, |(form, _)| *form)
    }

    /// Position of the whole text.
    pub(in crate::model) fn whole_place(&self) -> TextPlace {
        TextPlace { path: self.path(), text: Arc::clone(self.text), range: 0..self.text.len() }
    }

    /// Position of the text without the blanks around it.
    pub(in crate::model) fn trimmed_place(&self) -> TextPlace {
        let start = self.text.len() - self.text.trim_start().len();
        TextPlace { range: start..start + self.text.trim().len(), ..self.whole_place() }
    }

    /// Ports in the text, if it only consists of ports and listen addresses.
    pub(in crate::model) fn listen_values(&self) -> &[(Form, Number)] {
        self.map.index().listen_values(self.at)
    }

    /// All runs of digits in the text with this number.
    pub(in crate::model) fn numbers(&self, port: u16) -> impl Iterator<Item = &Number> {
        self.map.index().numbers(port, self.at)
    }
}

impl<'m> MapVariables<'m> {
    /// Reads the variables that a container has from ConfigMaps.
    pub(in crate::model) fn for_container(model: &'m Model, namespace: Option<&str>, container: &'m Container) -> Self {
        let mut found = Self {
            container,
            own: Vec::new(),
            own_holding: HashMap::new(),
            sources: Vec::new(),
            last: HashMap::new(),
            holding: HashMap::new(),
        };
        for var in container.env.iter().filter(|var| var.config_map.is_some()) {
            let Some((name, key)) = var.config_map else { continue };
            // Only the last variable with a name counts.
            if container.env_var(var.name).is_none_or(|(index, _)| index != var.index) {
                continue;
            }
            let map = model.config_map(namespace, name);
            let at = map.and_then(|(_, map)| map.index().position(key));
            let variable = map.zip(at).and_then(|((object, map), at)| variable(object, map, at, var.name.to_owned()));
            let Some(variable) = variable else { continue };
            for port in variable.map.index().ports_of(variable.at) {
                found.own_holding.entry(port).or_default().push(found.own.len());
            }
            found.own.push(variable);
        }
        let sources = container.env_from.iter().filter_map(|source| {
            let (object, map) = model.config_map(namespace, &source.config_map)?;
            Some((object, map, source.prefix.as_str()))
        });
        found.sources = sources.collect();
        if found.sources.len() > MAX_UNINDEXED_SOURCES {
            for (index, (_, map, prefix)) in found.sources.iter().enumerate() {
                found.last.extend(map.keys().map(|key| (format!("{prefix}{key}"), index)));
                for port in map.index().ports() {
                    found.holding.entry(port).or_default().push(index);
                }
            }
        }
        found
    }

    /// Names and texts of all variables that no other variable overrides.
    pub(in crate::model) fn texts(&self) -> impl Iterator<Item = (String, &'m str)> {
        let own = self.own.iter().map(|variable| (variable.name.clone(), variable.text.as_ref()));
        let of_sources = self.sources.iter().enumerate().flat_map(move |(source, (_, map, prefix))| {
            let texts = map.texts().iter().map(move |(key, text)| (format!("{prefix}{key}"), text.as_ref()));
            texts.filter(move |(name, _)| !self.is_overridden(source, name))
        });
        own.chain(of_sources)
    }

    /// True if the container has no variables from ConfigMaps of the input.
    pub(in crate::model) fn is_empty(&self) -> bool {
        self.own.is_empty() && self.sources.is_empty()
    }

    /// True if `env` or a later source of `envFrom` overrides the variable.
    fn is_overridden(&self, source: usize, name: &str) -> bool {
        let later = || {
            let mut later = self.sources.iter().skip(source + 1);
            later.any(|(_, map, prefix)| name.strip_prefix(*prefix).is_some_and(|key| map.has_key(key)))
        };
        let is_few = self.sources.len() <= MAX_UNINDEXED_SOURCES;
        self.container.env_var(name).is_some() || if is_few { later() } else { self.last.get(name) != Some(&source) }
    }

    /// Variable from a source and a position in it; `None` if another variable overrides it.
    fn of_source(&self, source: usize, at: usize) -> Option<Variable<'m>> {
        let (object, map, prefix) = *self.sources.get(source)?;
        let name = format!("{prefix}{}", map.texts().get(at)?.0);
        if self.is_overridden(source, &name) { None } else { variable(object, map, at, name) }
    }

    /// Returns the variables that contain a port number, in order.
    pub(in crate::model) fn holding(&self, port: u16) -> Vec<Variable<'m>> {
        let own = self.own_holding.get(&port).into_iter().flatten().filter_map(|&at| self.own.get(at).cloned());
        let few = 0..if self.sources.len() <= MAX_UNINDEXED_SOURCES { self.sources.len() } else { 0 };
        let many = self.holding.get(&port).into_iter().flatten().copied();
        let of_sources = few.chain(many).flat_map(|source| {
            let map = self.sources.get(source).map(|(_, map, _)| *map);
            let texts = map.map_or(&[][..], |map| map.index().holding(port));
            texts.iter().filter_map(move |&at| self.of_source(source, at))
        });
        own.chain(of_sources).collect()
    }

    /// Returns the value of a variable of `envFrom`, if it may be an address.
    pub(in crate::model) fn value_of(&self, name: &str) -> Option<&'m str> {
        if self.container.env_var(name).is_some() {
            return None;
        }
        let key_of = |(_, map, prefix): &(ObjectId, &'m ConfigMap, &'m str)| {
            let key = name.strip_prefix(*prefix).filter(|key| map.has_key(key))?;
            Some(map.text(key).map(AsRef::as_ref))
        };
        // The last source with the key wins.
        let mut sources = self.sources.iter().rev();
        match self.last.get(name) {
            Some(last) => self.sources.get(*last).and_then(key_of).flatten(),
            None => sources.find_map(key_of).flatten(),
        }
    }

    /// Returns the ports of the variables that only consist of ports and listen addresses.
    pub(in crate::model) fn listening(&self) -> impl Iterator<Item = ConfigPlace> {
        let own = self.own.iter().cloned();
        let of_sources = self.sources.iter().enumerate().flat_map(move |(source, (_, map, _))| {
            map.index().listening().filter_map(move |at| self.of_source(source, at))
        });
        own.chain(of_sources).flat_map(|variable| {
            let places = variable.listen_values().iter().map(|(form, number)| variable.place_with_form(number, *form));
            places.collect::<Vec<_>>()
        })
    }

    /// Returns the variables of `envFrom` that may hold a host, and all variables of `env` with a key of a `ConfigMap`,
    /// as settings.
    pub(in crate::model) fn hosts(&self) -> Vec<Setting> {
        let of_sources = self.sources.iter().enumerate().flat_map(|(source, (_, map, prefix))| {
            let of_index = prefix.is_empty().then(|| map.index().hosts().iter().copied());
            let all = (!prefix.is_empty()).then(|| 0..map.texts().len());
            let texts = of_index.into_iter().flatten().chain(all.into_iter().flatten());
            texts.filter_map(move |at| self.of_source(source, at))
        });
        let all = self.own.iter().cloned().chain(of_sources);
        all.map(|variable| Setting::from_variable(variable.name.clone(), variable.whole_place())).collect()
    }
}

/// True if a container has a variable, from `env` or by `envFrom` from a ConfigMap of the input.
pub fn has_variable(model: &Objects, namespace: Option<&str>, container: &Container, name: &str) -> bool {
    let from_map = || {
        container.env_from.iter().any(|source| {
            let key = name.strip_prefix(source.prefix.as_str());
            let map = || model.config_map(namespace, &source.config_map);
            key.is_some_and(|key| map().is_some_and(|(_, map)| map.has_key(key)))
        })
    };
    container.env_var(name).is_some() || from_map()
}

/// Names of ConfigMaps that are not in the input and from which a container takes variables that may set a port.
pub fn absent_config_maps(model: &Objects, namespace: Option<&str>, container: &Container) -> Vec<String> {
    let keys = container.env.effective().filter(|var| Name::new(var.name).is_listen());
    let keys = keys.filter_map(|var| var.config_map.map(|(map, _)| map));
    let used: BTreeSet<&str> = container.env_from.iter().map(|source| source.config_map.as_str()).chain(keys).collect();
    let absent = used.into_iter().filter(|map| !map.is_empty() && model.config_map(namespace, map).is_none());
    absent.map(|map| format!("`{map}`")).collect()
}

/// Variable from the text at a position of a ConfigMap.
fn variable(object: ObjectId, map: &ConfigMap, at: usize, name: String) -> Option<Variable<'_>> {
    let (_, text) = map.texts().get(at)?;
    Some(Variable { object, name, text, map, at })
}
