//! Reads the listeners of one container and their settings: from the config, from command, args and env, and from the
//! catalogue.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::config_file::Files;
use super::evidence_kind::{EvidenceKind, EvidenceKinds, Guess};
use super::hints::Hints;
use super::map_variables::MapVariables;
use super::number_settings::NumberSettings;
use super::program::program_of;
use super::rejection::PodNames;
use super::role::Role;
use super::types::{Binding, Listener};
use crate::catalog::{self, Program};
use crate::model::facts::ConfigPlace;
use crate::model::pod::{Container, TCP, without_spare};
use crate::model::setting::{PortSetting, Setting, Settings, expanded_variables, settings};
use crate::model::text::{Form, Name, transport};
use crate::version::ProgramVersion;
use lossless_yaml::Path;

/// Reads the listeners of one container.
pub(in crate::model) struct Reader<'m> {
    pub(super) index: usize,
    pub(super) container: &'m Container,
    pub(super) files: Files<'m>,
    pub(super) hints: &'m Hints,
    pub(super) pod_names: &'m PodNames<'m>,
    /// Other evidence for each number: probes, Services, annotations, monitors.
    pub(super) seen: &'m BTreeMap<u16, EvidenceKinds>,
    pub(super) program: Option<(Arc<Program>, ProgramVersion)>,
    pub(super) settings: Settings,
    /// Numbers in the settings, each with the position of its setting.
    pub(super) visible: Vec<(usize, PortSetting)>,
    /// Positions in `visible` by number.
    pub(super) by_number: HashMap<u16, Vec<usize>>,
    /// Variables with a port number from a `ConfigMap`, after the flags that expand such a variable. `maps_by_number`
    /// has their positions by number.
    pub(super) from_maps: Vec<ConfigPlace>,
    pub(super) maps_by_number: HashMap<u16, Vec<usize>>,
    /// Flags and variables with an address of all interfaces, each with its command line.
    pub(super) listen_lists: OnceCell<HashSet<(String, Option<usize>)>>,
    /// Certain settings by number.
    pub(super) certain: HashMap<u16, NumberSettings>,
    /// Positions in `visible` that set the number of a known listener, or of a disabled one.
    pub(super) used: BTreeSet<usize>,
    /// Positions in `visible` of variables that this version of the program ignores.
    pub(super) ignored: BTreeSet<usize>,
    /// Positions of declared ports with a known listener.
    pub(super) declared: BTreeSet<usize>,
    /// Listeners of the catalogue that a flag, variable or file of the manifest switches off.
    pub(super) switched_off: Vec<catalog::Listener>,
}

/// Listeners of a container, and guesses.
pub(in crate::model) struct Reading {
    pub(in crate::model) listeners: Vec<Listener>,
    pub(in crate::model) guesses: Vec<Guess>,
}

impl<'m> Reader<'m> {
    pub(in crate::model) fn new(
        index: usize,
        container: &'m Container,
        files: Files<'m>,
        hints: &'m Hints,
        pod_names: &'m PodNames<'m>,
        seen: &'m BTreeMap<u16, EvidenceKinds>,
    ) -> Self {
        let from_maps = MapVariables::for_container(files.model, files.meta.namespace.as_deref(), container);
        let settings = Settings::new(settings(container), from_maps.hosts());
        let overridden = overridden_flags(&settings, hints);
        let numbers =
            |(index, setting): (usize, &Setting)| setting.ports().map(|port| (index, port)).collect::<Vec<_>>();
        let visible = settings.iter().enumerate().filter(|(index, _)| !overridden.contains(index));
        let visible: Vec<_> = visible.flat_map(numbers).collect();
        let variables: Vec<ConfigPlace> = from_maps.listening().collect();
        let mut from_maps = expanded_in_flags(container, &settings, &variables);
        from_maps.extend(variables);
        Self {
            index,
            container,
            files,
            hints,
            pod_names,
            seen,
            program: program_of(container, files.meta, hints),
            settings,
            by_number: by_number(visible.iter().map(|(_, place)| place.port)),
            visible,
            maps_by_number: by_number(from_maps.iter().map(|place| place.port)),
            from_maps,
            listen_lists: OnceCell::new(),
            certain: HashMap::new(),
            used: BTreeSet::new(),
            ignored: BTreeSet::new(),
            declared: BTreeSet::new(),
            switched_off: Vec::new(),
        }
    }

    /// Returns the listeners: declared ports first, then listeners that only the catalogue, the config or a flag shows.
    pub(in crate::model) fn read(mut self) -> Reading {
        let mut found = Vec::new();
        if let Some((program, version)) = self.program.clone() {
            for row in &program.listeners {
                let row = self.with_default_of(row, &version);
                found.extend(self.catalogued(&program, &version, &row));
            }
        }
        self.add_scaffold_file_listeners(&mut found);
        for row in std::mem::take(&mut self.switched_off) {
            found.extend(self.switched_off_declared_listener(&row));
        }
        self.collect_number_settings(&found);
        let container = self.container;
        for (position, port) in container.ports.iter().flatten().enumerate() {
            if let Some(number) = port.number()
                && !self.declared.contains(&position)
            {
                let binding = self.binding_of(number);
                let label = port.name.clone().unwrap_or_default();
                let mut listener = self.listener(number, Some(position), label, binding);
                listener.protocol.clone_from(&port.protocol);
                found.push(listener);
            }
        }
        self.add_hinted_listeners(&mut found);
        let guesses = self.undeclared(&mut found);
        self.followers(&mut found);
        for listener in found.iter_mut().filter(|listener| listener.role == Role::Other) {
            if let Binding::Visible(places) = &listener.binding {
                let role = places.iter().find_map(|place| self.scaffold_role(&place.name));
                listener.role = role.unwrap_or(Role::Other);
            }
        }
        for listener in &mut found {
            self.evidence_kinds(listener);
        }
        found.sort_by_key(|listener| listener.declared.unwrap_or(usize::MAX));
        Reading { listeners: found, guesses }
    }

    /// Adds the remaining evidence of a listener.
    fn evidence_kinds(&self, listener: &mut Listener) {
        if listener.declared.is_some() {
            listener.evidence_kinds.add(EvidenceKind::Declared);
        }
        if listener.protocol == TCP || listener.declared.is_none() {
            listener.evidence_kinds.add_all(self.seen.get(&listener.number).copied().unwrap_or_default());
        }
        for binding in std::iter::once(&listener.binding).chain(&listener.more) {
            match binding {
                Binding::Visible(places) => {
                    for place in places {
                        listener.evidence_kinds.add(self.evidence_kind_of_text(place));
                    }
                }
                Binding::ConfigMap(_) => listener.evidence_kinds.add(EvidenceKind::Named),
                _ => {}
            }
        }
    }

    /// Returns the kind of evidence for a text if there is no other evidence for its port number.
    pub(super) fn evidence_kind_of_text(&self, place: &PortSetting) -> EvidenceKind {
        match place.form {
            _ if self.scaffold_role(&place.name).is_some() => EvidenceKind::Scaffold,
            Form::AnyAddress if is_listener_address_name(&Name::new(&place.name)) => EvidenceKind::AnyAddress,
            Form::Loopback if self.is_in_listen_list(place) => EvidenceKind::AnyAddress,
            _ => EvidenceKind::Named,
        }
    }

    /// Creates a listener; `declared` is its position in the container's `ports`.
    pub(super) fn listener(&self, number: u16, declared: Option<usize>, label: String, binding: Binding) -> Listener {
        let port = declared.and_then(|position| self.container.ports.iter().flatten().nth(position));
        let transport_of_text = || match &binding {
            Binding::Visible(places) => {
                places.iter().find_map(|place| transport::of_text(&place.place.text, &place.place.range))
            }
            _ => None,
        };
        Listener {
            container: self.index,
            declared,
            name: port.and_then(|port| port.name.clone()),
            label: port.and_then(|port| port.name.clone()).unwrap_or(label),
            number,
            protocol: port.map_or_else(|| transport_of_text().map_or(TCP, Cow::Borrowed), |port| port.protocol.clone()),
            role: Role::Other,
            is_role_by_word: false,
            binding,
            more: Vec::new(),
            also: Vec::new(),
            evidence_kinds: EvidenceKinds::default(),
        }
    }
}

impl Reader<'_> {
    /// Returns the positions in `visible` that are not used yet and whose settings `wanted`
    /// accepts.
    pub(super) fn places(&self, wanted: impl Fn(&PortSetting) -> bool) -> Vec<usize> {
        let free = self.visible.iter().enumerate().filter(|(position, _)| !self.used.contains(position));
        free.filter(|(_, (_, place))| wanted(place)).map(|(position, _)| position).collect()
    }

    /// Marks positions in `visible` as used, and returns their settings, each text once.
    pub(super) fn mark_places_used(&mut self, positions: &[usize]) -> Vec<PortSetting> {
        self.used.extend(positions);
        let mut taken: Vec<PortSetting> = Vec::new();
        let mut known: HashSet<(&Path, usize)> = HashSet::new();
        for (_, place) in positions.iter().filter_map(|&position| self.visible.get(position)) {
            // `--listen=:$(PORT)` and the variable PORT contain the same text.
            if known.insert((&place.place.path, place.place.range.start)) {
                taken.push(place.clone());
            }
        }
        without_spare(taken)
    }

    /// Returns the unused positions in `visible` with a port number.
    pub(super) fn places_of(&self, number: u16) -> Vec<usize> {
        let all = self.by_number.get(&number).into_iter().flatten();
        all.copied().filter(|position| !self.used.contains(position)).collect()
    }
}

/// Returns the positions of flags of scaffolds that a later flag of the same command line overrides with another value.
/// The parsers of scaffolds use the last value.
fn overridden_flags(settings: &[Setting], hints: &Hints) -> HashSet<usize> {
    let mut last: HashMap<(&str, Option<usize>), &str> = HashMap::new();
    let mut found = HashSet::new();
    for (position, flag) in settings.iter().enumerate().rev().filter(|(_, setting)| !setting.variable) {
        let Some(value) = flag.value.as_deref() else { continue };
        let last = *last.entry((&flag.name, flag.command)).or_insert(value);
        if last != value && hints.scaffold_role(&flag.name).is_some() {
            found.insert(position);
        }
    }
    found
}

/// Returns the numbers of the flags whose values expand one of these variables: the number of `--port=$(PORT)` is in the
/// key of the ConfigMap from which `PORT` comes.
fn expanded_in_flags(container: &Container, settings: &[Setting], variables: &[ConfigPlace]) -> Vec<ConfigPlace> {
    let mut by_name: HashMap<&str, Vec<&ConfigPlace>> = HashMap::new();
    for variable in variables {
        by_name.entry(&variable.name).or_default().push(variable);
    }
    let mut found = Vec::new();
    for flag in settings.iter().filter(|setting| !setting.variable && !by_name.is_empty()) {
        for (name, form) in expanded_variables(container, flag) {
            // An address cannot be the port of another address.
            let places = by_name.get(name.as_str()).into_iter().flatten();
            let places = places.filter(|place| form.is_none() || place.form == Form::Bare);
            found.extend(places.map(|place| ConfigPlace {
                name: flag.name.clone(),
                form: form.unwrap_or(place.form),
                ..ConfigPlace::clone(place)
            }));
        }
    }
    found
}

/// Returns the positions of each number in a list.
fn by_number(numbers: impl Iterator<Item = u16>) -> HashMap<u16, Vec<usize>> {
    let mut found: HashMap<u16, Vec<usize>> = HashMap::new();
    numbers.enumerate().for_each(|(position, number)| found.entry(number).or_default().push(position));
    found
}

/// True if a text may set a port even if no other evidence shows the number: a listen name, a loopback address under a
/// name with `listen` or `bind`, an address of all interfaces under any name, also in a URL (`http://0.0.0.0:8080`), or
/// an option of a runtime.
/// A client of such a URL reaches the pod itself, so a process of the pod listens there.
pub(in crate::model) fn is_guess(place: &PortSetting) -> bool {
    let name = Name::new(&place.name);
    name.is_listen()
        || place.form == Form::AnyAddress
        || (name.contains_listen() && place.form == Form::Loopback)
        || catalog::runtime_option(&place.name).is_some()
}

/// True if an address of all interfaces under this name shows a listener.
pub(super) fn is_listener_address_name(name: &Name) -> bool {
    name.is_listen() || name.contains_listen()
}
