//! Settings of a container, indexed by name, number and position: a pod may have thousands, and each port needs them.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Deref;

use super::expanded::{Expanded, ports_of_loopback};
use super::remotes::HostsByCommand;
use super::siblings::SettingHosts;
use super::spans::Spans;
use super::types::{PortSetting, Setting};
use crate::model::pod::Container;
use crate::model::text::{Form, TextPlace};
use lossless_yaml::Path;

/// Settings of a container, in order.
#[derive(Debug, Default)]
pub(in crate::model) struct Settings {
    all: Vec<Setting>,
    /// First variable of each name, and the first variable of this name with a value.
    variables: HashMap<String, (usize, Option<usize>)>,
    /// Variables with a port number at a position, each with the index of the number; at most two with different names.
    sources: HashMap<(Path, usize), Vec<(usize, usize)>>,
    numbers: HashMap<u16, Vec<(usize, usize)>>,
    pub(in crate::model) spans: OnceCell<Spans>,
    pub(in crate::model) siblings: OnceCell<SettingHosts>,
    remotes: OnceCell<HostsByCommand>,
    /// Positions of the port numbers in addresses of the pod itself.
    in_addresses: OnceCell<HashSet<(Path, usize)>>,
    ports_of_loopback: OnceCell<HashSet<String>>,
    expanded: OnceCell<Expanded>,
}

impl Deref for Settings {
    type Target = [Setting];

    fn deref(&self) -> &[Setting] {
        &self.all
    }
}

impl Settings {
    /// Creates the index. `more` are variables from ConfigMaps: their hosts count like hosts in the manifest.
    pub(in crate::model) fn new(mut all: Vec<Setting>, more: Vec<Setting>) -> Self {
        let mut open: HashMap<String, usize> = HashMap::new();
        for (position, setting) in
            all.iter().enumerate().filter(|(_, setting)| setting.variable && setting.value.is_none())
        {
            open.entry(setting.name.clone()).or_insert(position);
        }
        for from in more {
            match open.remove(&from.name).and_then(|position| all.get_mut(position)) {
                Some(setting) => setting.value = from.value,
                None => all.push(from),
            }
        }
        let mut found = Self::default();
        for (position, setting) in all.iter().enumerate() {
            for (number, (_, port, place)) in setting.numbers.iter().enumerate() {
                found.numbers.entry(*port).or_default().push((position, number));
                if !setting.variable {
                    continue;
                }
                let sources = found.sources.entry((place.path.clone(), place.range.start)).or_default();
                let is_new =
                    |(known, _): &(usize, usize)| all.get(*known).is_some_and(|other| other.name != setting.name);
                if sources.len() < 2 && sources.iter().all(is_new) {
                    sources.push((position, number));
                }
            }
            if setting.variable {
                let entry = found.variables.entry(setting.name.clone()).or_insert((position, None));
                entry.1 = entry.1.or(setting.value.is_some().then_some(position));
            }
        }
        Self { all, ..found }
    }

    /// First variable with this name.
    pub(in crate::model) fn variable(&self, name: &str) -> Option<&Setting> {
        self.variables.get(name).and_then(|(first, _)| self.all.get(*first))
    }

    /// First variable with this name and a value.
    pub(in crate::model) fn variable_with_value(&self, name: &str) -> Option<&Setting> {
        self.variables.get(name).and_then(|(_, valued)| self.all.get((*valued)?))
    }

    /// First variable with another name that has the port number at a position: the number of `-p $DB_PORT` is the
    /// number of `DB_PORT`.
    pub(in crate::model) fn source(&self, setting: &Setting, place: &TextPlace) -> Option<(&Setting, PortSetting)> {
        let sources = self.sources.get(&(place.path.clone(), place.range.start))?;
        sources.iter().find_map(|&(position, number)| {
            let other = self.all.get(position).filter(|other| other.name != setting.name)?;
            Some((other, other.port(number).filter(|port| port.place == *place)?))
        })
    }

    /// All port numbers in the settings, each once.
    pub(in crate::model) fn ports(&self) -> impl Iterator<Item = u16> {
        self.numbers.keys().copied()
    }

    /// All positions in the settings with a port number.
    pub(in crate::model) fn of_port(&self, port: u16) -> impl Iterator<Item = PortSetting> {
        self.port_places_with_settings(port).map(|(_, port)| port)
    }

    /// All positions in the settings with a port number, each with its setting.
    pub(in crate::model) fn port_places_with_settings(
        &self,
        port: u16,
    ) -> impl Iterator<Item = (&Setting, PortSetting)> {
        let places = self.numbers.get(&port).into_iter().flatten();
        places.filter_map(|&(position, number)| {
            let setting = self.all.get(position)?;
            Some((setting, setting.port(number)?))
        })
    }

    /// Words of the container's command lines that may be the hosts that these dial.
    pub(in crate::model) fn remotes(&self, container: &Container) -> &HostsByCommand {
        self.remotes.get_or_init(|| HostsByCommand::for_container(container))
    }

    /// True if another setting or a text of the container uses the number in an address of the pod itself:
    /// `--listen=:$(PORT)`, `curl http://localhost:$(PORT)/healthz`.
    pub(in crate::model) fn is_used_in_own_address(&self, container: &Container, port: &PortSetting) -> bool {
        let all = || {
            let numbers = self.all.iter().flat_map(|setting| &setting.numbers).filter(|(form, ..)| *form != Form::Bare);
            numbers.map(|(.., place)| (place.path.clone(), place.range.start)).collect()
        };
        let place = (port.place.path.clone(), port.place.range.start);
        self.in_addresses.get_or_init(all).contains(&place)
            || (port.variable
                && self.ports_of_loopback.get_or_init(|| ports_of_loopback(container)).contains(&port.name))
    }

    /// True if another text of the container expands a variable.
    pub(in crate::model) fn is_expanded(&self, container: &Container, variable: &str) -> bool {
        self.expanded.get_or_init(|| Expanded::for_container(container)).has(variable)
    }

    /// Settings whose values contain a position, in order.
    pub(in crate::model) fn containing(&self, place: &TextPlace) -> Vec<&Setting> {
        let spans = self.spans.get_or_init(|| Spans::new(self.all.iter().map(|setting| &setting.place).enumerate()));
        let mut containing: Vec<usize> = spans.containing(place).collect();
        containing.sort_unstable();
        containing.into_iter().filter_map(|position| self.all.get(position)).collect()
    }

    /// Name of the flag or variable whose value contains a position.
    pub(in crate::model) fn name_of(&self, place: &TextPlace) -> Option<&str> {
        self.containing(place).first().map(|setting| setting.name.as_str())
    }
}
