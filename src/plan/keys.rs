//! Port keys (H2): which listener each key of a target means, and which number each listener gets.

use std::collections::BTreeMap;

use super::rule;
use super::target::Selected;
use super::{Finding, Severity};
use crate::api::{Config, PortChoice, Ports, Target, nearest, unknown};
use crate::model::ObjectId;
use crate::model::listener::Listener;
use crate::yaml::Path;

/// What the config says of listeners: by workload and position in its listeners. What is not named is kept.
#[derive(Debug, Default)]
pub(super) struct Wanted(BTreeMap<(ObjectId, usize), PortChoice>);

impl Wanted {
    /// The number that a listener is to have.
    pub(super) fn number(&self, workload: &Selected<'_>, position: usize) -> Option<u16> {
        match self.0.get(&(workload.id, position)) {
            Some(PortChoice::Number(number)) => Some(number.get()),
            _ => None,
        }
    }

    /// Whether the config names the listener at all, by a number or by `keep`.
    pub(super) fn names(&self, workload: &Selected<'_>, position: usize) -> bool {
        self.0.contains_key(&(workload.id, position))
    }

    /// The number that a listener has in the end.
    pub(super) fn final_number(&self, workload: &Selected<'_>, position: usize) -> Option<u16> {
        self.number(workload, position).or_else(|| workload.listeners.get(position).map(|listener| listener.number))
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
        let Ports::Map(map) = &target.ports else { continue };
        let mut by: BTreeMap<(ObjectId, usize), &str> = BTreeMap::new();
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
            if hits.is_empty() {
                error(meets_nothing(&place(), key, &met));
                continue;
            }
            if matches!(choice, PortChoice::Number(_)) && hits.len() > 1 {
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
                wanted.0.insert((workload.id, position), *choice);
            }
        }
    }
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
    let number = super::moves::port_number(key.rsplit('/').next()?)?;
    let moves_here = |choice: &PortChoice| matches!(choice, PortChoice::Number(to) if to.get() == number);
    map.iter().find(|(other, choice)| other != key && moves_here(choice)).map(|(other, _)| other.as_str())
}

/// The listeners of a workload that a key meets: by name, else by number, else by role.
fn hits(workload: &Selected<'_>, key: &str, choice: PortChoice) -> Vec<usize> {
    let (container, port) = match key.split_once('/') {
        Some((container, port)) => (Some(container), port),
        None => (None, key),
    };
    let number = super::moves::port_number(port);
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
        return find(&|listener| matches!(choice, PortChoice::Number(asked) if asked.get() == listener.number));
    }
    find(&|listener| listener.role.as_str() == port || (listener.declared.is_none() && listener.label == port))
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
    let near = nearest(port, &known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let objects: Vec<String> = met.iter().take(3).map(|workload| workload.meta.to_string()).collect();
    let list = if list.is_empty() { "no listeners".to_owned() } else { list.join(", ") };
    format!("{place}: `{key}` meets no port of {}{near} There are: {list}", objects.join(", "))
}
