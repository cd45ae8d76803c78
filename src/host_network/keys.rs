//! Port keys: resolves the keys of a target to listeners, and assigns numbers to the listeners.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::assignments::{Assignment, Assignments};
use super::key_hints::{KeyParts, LISTED, guessed_key_message, mistaken_binds, unmatched_key_message};
use super::several_programs;
use super::workload::{Workload, has_host_port};
use crate::api::{HostNetworkConfig, PortChoice, PortRange, Ports};
use crate::model::WorkloadId;
use crate::model::listener::declared;
use crate::model::text::port as port_number;
use crate::plan::Finding;
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// Resolves the keys of all targets.
pub(super) fn resolve(
    config: &HostNetworkConfig,
    workloads: &[Workload<'_>],
    findings: &mut Vec<Finding>,
) -> Assignments {
    let mut assignments = Assignments::default();
    let mut by_target: BTreeMap<usize, Vec<&Workload<'_>>> = BTreeMap::new();
    for workload in workloads {
        by_target.entry(workload.target).or_default().push(workload);
    }
    for (index, matched) in by_target {
        let Some(target) = config.host_network.spec.targets.get(index) else { continue };
        mistaken_binds(config, index, target, &matched, findings);
        match &target.ports {
            Ports::Keep => {}
            Ports::Auto => {
                for workload in matched.iter().filter(|workload| workload.may_declare) {
                    let positions = 0..workload.listeners.len();
                    positions.for_each(|position| assignments.set(workload.id, position, Assignment::Auto));
                }
            }
            Ports::Map(map) => Keys::new(config, index, map, matched.clone()).resolve(&mut assignments, findings),
        }
        several_programs::report(config, index, target, &matched, &assignments, findings);
    }
    let fixed: BTreeSet<WorkloadId> =
        workloads.iter().filter(|workload| !workload.may_declare).map(|workload| workload.id).collect();
    if !fixed.is_empty() {
        assignments.keep_numbers_without_declaration(&fixed);
    }
    assignments
}

/// Keys of a target, and the listeners of its matched workloads.
struct Keys<'c, 'w> {
    config: &'c HostNetworkConfig,
    /// Position of the target.
    index: usize,
    map: &'c [(String, PortChoice)],
    matched: Vec<&'w Workload<'w>>,
    /// All listeners, as workload and position. The maps `named`, `numbered` and `called` contain indices into this
    /// list, by declared name, by number, and by role or label.
    listeners: Vec<(&'w Workload<'w>, usize)>,
    named: HashMap<&'w str, Vec<usize>>,
    numbered: HashMap<u16, Vec<usize>>,
    called: HashMap<&'w str, Vec<usize>>,
    /// Declared ports with a placeholder as their number, by name: label for messages, and container name.
    later: HashMap<&'w str, Vec<(String, &'w str)>>,
    /// Keys by the port number that they assign.
    moving_to: HashMap<u16, Vec<&'c str>>,
}

/// Maximum number of unmatched keys for which similar names are searched.
const MAX_KEYS_WITH_SUGGESTIONS: usize = 20;

impl<'c, 'w> Keys<'c, 'w> {
    /// Indexes the listeners of the workloads of a target by name, number, role and label.
    fn new(
        config: &'c HostNetworkConfig,
        index: usize,
        map: &'c [(String, PortChoice)],
        matched: Vec<&'w Workload<'w>>,
    ) -> Self {
        let mut keys = Self {
            config,
            index,
            map,
            matched,
            listeners: Vec::new(),
            named: HashMap::new(),
            numbered: HashMap::new(),
            called: HashMap::new(),
            later: HashMap::new(),
            moving_to: HashMap::new(),
        };
        for &workload in &keys.matched {
            for (position, listener) in workload.listeners.iter().enumerate() {
                let index = keys.listeners.len();
                keys.listeners.push((workload, position));
                if let Some(name) = listener.name.as_deref() {
                    keys.named.entry(name).or_default().push(index);
                }
                keys.numbered.entry(listener.number).or_default().push(index);
                let role = listener.role.as_str();
                keys.called.entry(role).or_default().push(index);
                if listener.declared.is_none() && listener.label != role {
                    keys.called.entry(&listener.label).or_default().push(index);
                }
            }
            for port in declared(workload.template) {
                let (container, name) = (port.container.name.as_str(), port.name());
                let label = format!("{}, container {container}, port {name} (`{}`)", workload, port.text);
                keys.later.entry(name).or_default().push((label, container));
            }
        }
        for (key, choice) in map {
            if let PortChoice::Number(number) = choice {
                keys.moving_to.entry(number.get()).or_default().push(key);
            }
        }
        keys
    }

    /// Assigns the listeners that each key matches, and reports keys that match none or are ambiguous.
    fn resolve(&self, assignments: &mut Assignments, findings: &mut Vec<Finding>) {
        let mut by: BTreeMap<(WorkloadId, usize), &str> = BTreeMap::new();
        let mut again: Option<Vec<(&Workload<'_>, usize)>> = None;
        let mut missed = 0;
        for (key, choice) in self.map {
            let path = Path::dotted("spec.targets").item(self.index).key("ports").key(key.clone());
            let place = || self.config.place_of(&path);
            let mut error = |message: String| findings.push(Finding::new(Severity::Error, rule::PORT_KEY, message));
            if let Some(other) = self.other_key_of_number(key) {
                error(format!(
                    "{}: `{key}` is also the new number of `{other}`, so a second run could not tell these ports apart; use port names",
                    place()
                ));
                continue;
            }
            let listeners = self.listeners_of_key(key, *choice);
            if listeners.is_empty() && *choice == PortChoice::Auto && is_number(key) {
                let again = again.get_or_insert_with(|| self.numbered_by_earlier_run());
                for (workload, position) in again.iter() {
                    assignments.set_for_named_listener(workload.id, *position, Assignment::Auto);
                }
                if !again.is_empty() {
                    continue;
                }
            }
            let later = self.placeholder_label(key);
            if let (Some(label), PortChoice::Auto | PortChoice::Number(_)) = (later, choice) {
                error(format!(
                    "{}: `{key}` matches {label}, which is a placeholder and cannot be moved; fill in the intended \
                     number, and remove this key from `ports`",
                    place()
                ));
                continue;
            }
            if listeners.is_empty() && later.is_some() {
                continue;
            }
            if listeners.is_empty() {
                missed += 1;
                let guessed = guessed_key_message(&place(), key, &self.matched);
                error(guessed.unwrap_or_else(|| {
                    unmatched_key_message(
                        &place(),
                        key,
                        &self.matched,
                        &self.listeners,
                        missed <= MAX_KEYS_WITH_SUGGESTIONS,
                    )
                }));
                continue;
            }
            if matches!(choice, PortChoice::Number(_)) && !have_one_number(&listeners) {
                let list =
                    listeners.iter().take(LISTED).filter_map(|(w, p)| Some(w.display_name(w.listeners.get(*p)?)));
                let list: Vec<String> = list.collect();
                let more = match listeners.len() - list.len() {
                    0 => String::new(),
                    more => format!("; and {more} more"),
                };
                let first = listeners.first().map(|(workload, _)| workload.id);
                let is_one_object =
                    |(workload, _): &(&Workload<'_>, usize)| Some(workload.id.object) == first.map(|id| id.object);
                let remedy = match listeners.iter().all(is_one_object) {
                    true if listeners.iter().any(|(workload, _)| Some(workload.id) != first) => {
                        "Write TEMPLATE/CONTAINER/PORT"
                    }
                    _ => "Write CONTAINER/PORT, or a target for each object",
                };
                error(format!(
                    "{}: `{key}` matches {} listeners, and a number can be given to one only: {}{more}. {remedy}",
                    place(),
                    listeners.len(),
                    list.join("; ")
                ));
                continue;
            }
            for (workload, position) in listeners {
                if let Some(other) = by.insert((workload.id, position), key) {
                    let listener =
                        workload.listeners.get(position).map(|l| workload.display_name(l)).unwrap_or_default();
                    error(format!(
                        "{}: keys `{other}` and `{key}` both match {listener}; remove one of the keys",
                        place()
                    ));
                    continue;
                }
                assignments.set_for_named_listener(workload.id, position, Assignment::from_choice(*choice));
            }
        }
    }

    /// Listeners that a key matches. In each workload names match first, then numbers or roles.
    fn listeners_of_key(&self, key: &str, choice: PortChoice) -> Vec<(&'w Workload<'w>, usize)> {
        let KeyParts { template, container, port } = KeyParts::new(key);
        let mut found: BTreeSet<usize> = BTreeSet::new();
        let mut done: BTreeSet<WorkloadId> = BTreeSet::new();
        let mut add = |indices: Option<&Vec<usize>>| {
            let listener = |&index: &usize| Some((index, self.listeners.get(index)?));
            let here = |(_, (workload, position)): &(usize, &(&Workload<'_>, usize))| {
                let listener = workload.listeners.get(*position);
                let listener_container = listener.and_then(|listener| workload.container(listener));
                template.is_none_or(|name| workload.template.name.as_deref() == Some(name))
                    && container.is_none_or(|name| listener_container.is_some_and(|container| container.name == name))
            };
            let new: Vec<_> = indices.into_iter().flatten().filter_map(listener).filter(here).collect();
            let new: Vec<_> = new.into_iter().filter(|(_, (workload, _))| !done.contains(&workload.id)).collect();
            found.extend(new.iter().map(|(index, _)| *index));
            done.extend(new.iter().map(|(_, (workload, _))| workload.id));
        };
        add(self.named.get(port));
        match port_number(port) {
            Some(number) => {
                add(self.numbered.get(&number));
                // On a second run the listener has the requested number already.
                if let PortChoice::Number(number) = choice {
                    add(self.numbered.get(&number.get()));
                }
            }
            None => add(self.called.get(port)),
        }
        found.into_iter().filter_map(|index| self.listeners.get(index).copied()).collect()
    }

    /// Another key of the target whose new port number is the number in this key.
    fn other_key_of_number(&self, key: &str) -> Option<&'c str> {
        let number = port_number(KeyParts::new(key).port)?;
        self.moving_to.get(&number)?.iter().copied().find(|other| *other != key)
    }

    /// Label of a port that a key matches by name and whose number is a placeholder.
    fn placeholder_label(&self, key: &str) -> Option<&str> {
        let KeyParts { container, port, .. } = KeyParts::new(key);
        let mut ports = self.later.get(port)?.iter();
        ports
            .find(|(_, container_name)| container.is_none_or(|name| name == *container_name))
            .map(|(label, _)| label.as_str())
    }

    /// Listeners that no key matches and whose number `auto` chose in an earlier run. A key that consists of a port
    /// number, with the value `auto`, refers to these listeners then, because the input no longer contains its number.
    fn numbered_by_earlier_run(&self) -> Vec<(&'w Workload<'w>, usize)> {
        let spec = &self.config.host_network.spec;
        let pool = spec.port_pool.unwrap_or(PortRange::POOL);
        let assigned: BTreeSet<u16> = spec.assigned.values().map(|port| port.get()).collect();
        let matched: BTreeSet<(WorkloadId, usize)> = self
            .map
            .iter()
            .flat_map(|(key, choice)| self.listeners_of_key(key, *choice))
            .map(|(workload, position)| (workload.id, position))
            .collect();
        let of_auto = self.listeners.iter().filter(|(workload, position)| {
            let number = workload.listeners.get(*position).map_or(0, |listener| listener.number);
            let is_given = pool.contains(number) || assigned.contains(&number);
            is_given && has_host_port(workload, *position) && !matched.contains(&(workload.id, *position))
        });
        of_auto.copied().collect()
    }
}

/// True if all listeners have the same port number and container: TCP and UDP move together.
fn have_one_number(listeners: &[(&Workload<'_>, usize)]) -> bool {
    let number = |(workload, position): &(&Workload<'_>, usize)| {
        let listener = workload.listeners.get(*position)?;
        Some((workload.id, listener.container, listener.number))
    };
    listeners.iter().zip(listeners.iter().skip(1)).all(|(one, other)| number(one) == number(other))
}

/// True for a key that names a port by its number: `8080`, `manager/8080`.
fn is_number(key: &str) -> bool {
    key.rsplit('/').next().and_then(port_number).is_some()
}
