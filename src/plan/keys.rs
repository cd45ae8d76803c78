//! Port keys (H2): which listener each key of a target means, and which number each listener gets.

use std::collections::{BTreeMap, BTreeSet};

use super::allocate::has_host_port;
use super::guesses;
use super::rule;
use super::target::Selected;
use super::{Finding, Severity};
use crate::api::{Config, PortChoice, PortRange, Ports, Target, nearest, unknown};
use crate::model::ObjectId;
use crate::model::listener::Listener;
use crate::model::placeholder::{Declared, declared};
use crate::model::text::port as port_number;
use crate::yaml::Path;

/// What a listener is to get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The number that it has.
    Keep,
    /// The config's number.
    Number(u16),
    /// A number of the pool, not yet chosen.
    Auto,
    /// The number that was chosen, and whether the config records it.
    Given {
        /// The number.
        number: u16,
        /// Whether `assigned` has it.
        recorded: bool,
    },
}

/// What is wanted of listeners: by workload and position in its listeners. What nothing is said of is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    choices: BTreeMap<(ObjectId, usize), Choice>,
    /// Listeners that a key names: what cannot be done for them is an error.
    named: BTreeSet<(ObjectId, usize)>,
    /// What is in the way of listeners that could be told another number and keep theirs.
    stuck: BTreeMap<(ObjectId, usize), Vec<Finding>>,
}

impl Wanted {
    /// The number that a listener is to have.
    pub(super) fn number(&self, workload: &Selected<'_>, position: usize) -> Option<u16> {
        match self.choice(workload.id, position) {
            Choice::Number(number) | Choice::Given { number, .. } => Some(number),
            Choice::Keep | Choice::Auto => None,
        }
    }

    /// What a listener is to get.
    pub(super) fn choice(&self, workload: ObjectId, position: usize) -> Choice {
        self.choices.get(&(workload, position)).copied().unwrap_or(Choice::Keep)
    }

    /// Gives an automatic number to a listener.
    pub(super) fn give(&mut self, workload: ObjectId, position: usize, number: u16, recorded: bool) {
        self.choices.insert((workload, position), Choice::Given { number, recorded });
    }

    /// Lets a listener keep its number after all.
    pub(super) fn keep(&mut self, workload: ObjectId, position: usize) {
        self.choices.insert((workload, position), Choice::Keep);
    }

    /// Lets a listener keep its number, since something else than its own process is in the way of another one.
    pub(super) fn keep_for(&mut self, workload: ObjectId, position: usize, why: Vec<Finding>) {
        self.keep(workload, position);
        self.stuck.insert((workload, position), why);
    }

    /// What is in the way of another number, beside the process.
    pub(super) fn stuck(&self, workload: &Selected<'_>, position: usize) -> &[Finding] {
        self.stuck.get(&(workload.id, position)).map_or(&[], Vec::as_slice)
    }

    /// Whether a key of the config names the listener, with a number, `auto` or `keep`.
    pub(super) fn names(&self, workload: &Selected<'_>, position: usize) -> bool {
        self.named.contains(&(workload.id, position))
    }

    /// Whether a listener got an automatic number that nobody asked for by name: then it may as well keep its own.
    pub(super) fn is_free(&self, workload: &Selected<'_>, position: usize) -> bool {
        matches!(self.choice(workload.id, position), Choice::Given { .. }) && !self.names(workload, position)
    }

    /// The number that a listener has in the end.
    pub(super) fn final_number(&self, workload: &Selected<'_>, position: usize) -> Option<u16> {
        self.number(workload, position).or_else(|| workload.listeners.get(position).map(|listener| listener.number))
    }
}

impl Choice {
    fn of(choice: PortChoice) -> Self {
        match choice {
            PortChoice::Keep => Self::Keep,
            PortChoice::Auto => Self::Auto,
            PortChoice::Number(number) => Self::Number(number.get()),
        }
    }
}

/// Resolves the keys of all targets.
pub(super) fn resolve(config: &Config, workloads: &[Selected<'_>], findings: &mut Vec<Finding>) -> Wanted {
    let mut wanted = Wanted::default();
    for (index, target) in config.host_network.spec.targets.iter().enumerate() {
        let met: Vec<&Selected<'_>> = workloads.iter().filter(|workload| workload.target == index).collect();
        if met.is_empty() {
            continue;
        }
        bound_containers(config, index, target, &met, findings);
        let map = match &target.ports {
            Ports::Keep => continue,
            Ports::Auto => {
                let free = met.iter().filter(|workload| workload.may_declare);
                let all = free.flat_map(|workload| (0..workload.listeners.len()).map(|p| (workload.id, p)));
                wanted.choices.extend(all.map(|listener| (listener, Choice::Auto)));
                continue;
            }
            Ports::Map(map) => map,
        };
        let mut by: BTreeMap<(ObjectId, usize), &str> = BTreeMap::new();
        let again = given_before(config, map, &met);
        for (key, choice) in map {
            let crossed = crossed(map, key);
            let path = Path::dotted("spec.targets").item(index).key("ports").key(key.clone());
            let place = || config.place_of(&path);
            let mut error = |message: String| findings.push(Finding::new(Severity::Error, rule::PORT_KEY, message));
            let hits: Vec<(&Selected<'_>, usize)> = met
                .iter()
                .flat_map(|workload| {
                    hits(workload, key, *choice).into_iter().map(move |position| (*workload, position))
                })
                .collect();
            if let Some(other) = crossed {
                error(format!(
                    "{}: `{key}` is a number that `{other}` moves to, so a second run would take one for the other; use \
                     port names",
                    place()
                ));
                continue;
            }
            if hits.is_empty() && *choice == PortChoice::Auto && is_number(key) && !again.is_empty() {
                for (workload, position) in &again {
                    wanted.named.insert((workload.id, *position));
                    wanted.choices.insert((workload.id, *position), Choice::Auto);
                }
                continue;
            }
            let later = filled_in_later(&met, key);
            if let (Some(call), PortChoice::Auto | PortChoice::Number(_)) = (later.first(), choice) {
                error(format!(
                    "{}: `{key}` meets {call}, which is filled in later and cannot be moved; fill in the number that it is to \
                     have, and leave it out of `ports`",
                    place()
                ));
                continue;
            }
            if hits.is_empty() && !later.is_empty() {
                continue;
            }
            if hits.is_empty() {
                error(guessed(&place(), key, &met).unwrap_or_else(|| meets_nothing(&place(), key, &met)));
                continue;
            }
            if matches!(choice, PortChoice::Number(_)) && !is_one_number(&hits) {
                let list: Vec<String> = hits.iter().filter_map(|(w, p)| Some(w.call(w.listeners.get(*p)?))).collect();
                error(format!(
                    "{}: `{key}` meets {} listeners, and a number can be given to one only: {}. Write CONTAINER/PORT, \
                     or a target for each object",
                    place(),
                    list.len(),
                    list.join("; ")
                ));
                continue;
            }
            for (workload, position) in hits {
                if let Some(other) = by.insert((workload.id, position), key) {
                    let listener = workload.listeners.get(position).map(|l| workload.call(l)).unwrap_or_default();
                    error(format!(
                        "{}: keys `{other}` and `{key}` both meet {listener}; leave one of them out",
                        place()
                    ));
                    continue;
                }
                wanted.named.insert((workload.id, position));
                wanted.choices.insert((workload.id, position), Choice::of(*choice));
            }
        }
    }
    // Where no port can be declared, one that is named keeps its number as all of them do under `auto`.
    let fixed = |id| workloads.iter().any(|workload| workload.id == id && !workload.may_declare);
    wanted.choices.retain(|(id, _), choice| !(matches!(choice, Choice::Auto) && fixed(*id)));
    wanted.named.retain(|(id, _)| !fixed(*id));
    wanted
}

/// `bind` for a container that no selected object has is a mistake that nothing else would show.
fn bound_containers(
    config: &Config,
    index: usize,
    target: &Target,
    met: &[&Selected<'_>],
    findings: &mut Vec<Finding>,
) {
    let names: Vec<&str> = met
        .iter()
        .flat_map(|workload| &workload.template.containers)
        .map(|container| container.name.as_str())
        .collect();
    for (position, bind) in target.bind.iter().enumerate().filter(|(_, bind)| !names.contains(&bind.container.as_str()))
    {
        let path = Path::dotted("spec.targets").item(index).key("bind").item(position).key("container");
        let message = format!("{}: {}", config.place_of(&path), unknown("container", &bind.container, &names));
        findings.push(Finding::new(Severity::Error, rule::PORT_KEY, message));
    }
}

/// Another key whose listener moves to the number that this key is.
fn crossed<'m>(map: &'m [(String, PortChoice)], key: &str) -> Option<&'m str> {
    let number = port_number(key.rsplit('/').next()?)?;
    let moves_here = |choice: &PortChoice| matches!(choice, PortChoice::Number(to) if to.get() == number);
    map.iter().find(|(other, choice)| other != key && moves_here(choice)).map(|(other, _)| other.as_str())
}

/// The listeners of a workload that a key meets: by name, else by number, else by role.
fn hits(workload: &Selected<'_>, key: &str, choice: PortChoice) -> Vec<usize> {
    let (container, port) = match key.split_once('/') {
        Some((container, port)) => (Some(container), port),
        None => (None, key),
    };
    let number = port_number(port);
    let find = |matches: &dyn Fn(&Listener) -> bool| -> Vec<usize> {
        let here = |listener: &Listener| {
            container.is_none_or(|name| workload.container(listener).is_some_and(|container| container.name == name))
        };
        let found = workload.listeners.iter().enumerate().filter(|(_, listener)| here(listener) && matches(listener));
        found.map(|(position, _)| position).collect()
    };
    let named = find(&|listener| listener.name.as_deref() == Some(port));
    if !named.is_empty() {
        return named;
    }
    if number.is_some() {
        let numbered = find(&|listener| Some(listener.number) == number);
        if !numbered.is_empty() {
            return numbered;
        }
        // A second run: the listener has the number that was asked for already.
        return match choice {
            PortChoice::Number(asked) => find(&|listener| asked.get() == listener.number),
            PortChoice::Auto | PortChoice::Keep => Vec::new(),
        };
    }
    find(&|listener| listener.role.as_str() == port || (listener.declared.is_none() && listener.label == port))
}

/// Whether all listeners are on one number of one container: TCP and UDP of it move together.
fn is_one_number(hits: &[(&Selected<'_>, usize)]) -> bool {
    let number = |(workload, position): &(&Selected<'_>, usize)| {
        let listener = workload.listeners.get(*position)?;
        Some((workload.id, listener.container, listener.number))
    };
    hits.iter().zip(hits.iter().skip(1)).all(|(one, other)| number(one) == number(other))
}

/// The ports that a key meets by name and whose number is a placeholder.
fn filled_in_later(met: &[&Selected<'_>], key: &str) -> Vec<String> {
    let (container, name) = match key.split_once('/') {
        Some((container, port)) => (Some(container), port),
        None => (None, key),
    };
    let ports = met.iter().flat_map(|workload| declared(workload.template).map(move |port| (workload, port)));
    let meets =
        |port: &Declared<'_>| port.name() == name && container.is_none_or(|container| port.container.name == container);
    let call = |(workload, port): (&&Selected<'_>, Declared<'_>)| {
        format!("{}, container {}, port {} (`{}`)", workload.meta, port.container.name, port.name(), port.text)
    };
    ports.filter(|(_, port)| meets(port)).map(call).collect()
}

/// Listeners that have a number which `auto` gives, and that no key meets: a number key with `auto` means these on a
/// second run, when the number that it names is gone.
fn given_before<'w>(
    config: &Config,
    map: &[(String, PortChoice)],
    met: &[&'w Selected<'w>],
) -> Vec<(&'w Selected<'w>, usize)> {
    let spec = &config.host_network.spec;
    let pool = spec.port_pool.unwrap_or(PortRange::POOL);
    let is_given = |number: u16| pool.contains(number) || spec.assigned.values().any(|port| port.get() == number);
    let mut given = Vec::new();
    for workload in met {
        let others: BTreeSet<usize> = map.iter().flat_map(|(key, choice)| hits(workload, key, *choice)).collect();
        let listeners = workload.listeners.iter().enumerate();
        let of_auto = listeners.filter(|(position, listener)| {
            is_given(listener.number) && has_host_port(workload, *position) && !others.contains(position)
        });
        given.extend(of_auto.map(|(position, _)| (*workload, position)));
    }
    given
}

/// A key that matches nothing but a guess: what to write when it is a listener.
fn guessed(place: &str, key: &str, met: &[&Selected<'_>]) -> Option<String> {
    let (container, port) = key.split_once('/').map_or((None, key), |(container, port)| (Some(container), port));
    let (workload, guess) = met.iter().find_map(|workload| {
        let guess = workload.guesses.iter().find(|guess| {
            let own = workload.template.containers.get(guess.container).map(|container| container.name.as_str());
            let is_it = port_number(port) == Some(guess.setting.port) || guess.label == port;
            is_it && container.is_none_or(|container| own == Some(container))
        })?;
        Some((workload, guess))
    })?;
    Some(format!(
        "{place}: `{key}` matches only `{}` of {}, and nothing but its name says that it is where the process listens. If it is, \
         add to the target `bind: [{}]`",
        guess.setting.name,
        workload.meta,
        guesses::bind_line(workload, guess)
    ))
}

fn is_number(key: &str) -> bool {
    key.rsplit('/').next().and_then(port_number).is_some()
}

fn meets_nothing(place: &str, key: &str, met: &[&Selected<'_>]) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut list: Vec<String> = Vec::new();
    for workload in met {
        for listener in &workload.listeners {
            let container = workload.container(listener).map(|container| container.name.clone()).unwrap_or_default();
            known.push(Selected::key(listener));
            known.push(listener.role.to_string());
            known.push(listener.number.to_string());
            let (key, number) = (Selected::key(listener), listener.number.to_string());
            let number = if key == number { String::new() } else { format!("{number}, ") };
            list.push(format!("{container}/{key} ({number}{})", listener.role));
        }
    }
    list.sort();
    list.dedup();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let port = key.rsplit('/').next().unwrap_or(key);
    let near = nearest(port, &known).map_or_else(|| ".".to_owned(), |near| format!("; did you mean `{near}`?"));
    let objects: Vec<String> = met.iter().take(3).map(|workload| workload.meta.to_string()).collect();
    let list = if list.is_empty() { "no listeners".to_owned() } else { list.join(", ") };
    format!("{place}: `{key}` meets no port of {}{near} There are: {list}", objects.join(", "))
}
