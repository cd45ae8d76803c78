//! What to say of a key that matches no listener.

use std::collections::BTreeSet;

use super::guesses;
use super::workload::Workload;
use crate::api::{Config, Target, did_you_mean, unknown};
use crate::model::text::port as port_number;
use crate::plan::{Finding, listed};
use crate::rule::{self, Severity};
use crate::yaml::Path;

/// How many listeners a message lists.
pub(super) const LISTED: usize = 20;

/// `TEMPLATE/CONTAINER/PORT`, `CONTAINER/PORT` of any template, or a port of any container.
pub(super) struct Parts<'k> {
    pub(super) template: Option<&'k str>,
    pub(super) container: Option<&'k str>,
    pub(super) port: &'k str,
}

impl<'k> Parts<'k> {
    pub(super) fn of(key: &'k str) -> Self {
        let mut parts = key.rsplitn(3, '/');
        let port = parts.next().unwrap_or(key);
        let container = parts.next();
        Self { template: parts.next(), container, port }
    }
}

/// A key that matches none of the listeners of what its target matched; they are listed, and the nearest is proposed, when `compare` is set.
pub(super) fn no_match(
    place: &str,
    key: &str,
    matched: &[&Workload<'_>],
    listeners: &[(&Workload<'_>, usize)],
    compare: bool,
) -> String {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut list: BTreeSet<String> = BTreeSet::new();
    for (workload, position) in listeners.iter().filter(|_| compare) {
        let Some(listener) = workload.listeners.get(*position) else { continue };
        let container = workload.container(listener).map(|container| container.name.as_str()).unwrap_or_default();
        let (key, number) = (Workload::key(listener), listener.number.to_string());
        let shown = if key == number { String::new() } else { format!("{number}, ") };
        list.insert(format!("{container}/{key} ({shown}{})", listener.role));
        known.extend([key, listener.role.to_string(), number]);
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let port = key.rsplit('/').next().unwrap_or(key);
    let near = did_you_mean(port, &known).map_or_else(|| ".".to_owned(), |meant| format!("; {meant}?"));
    let objects: Vec<String> = matched.iter().take(3).map(std::string::ToString::to_string).collect();
    let objects = objects.join(", ");
    let said = format!("{place}: `{key}` matches no port of {objects}");
    if !compare {
        return said;
    }
    let count = list.len();
    let list = match count {
        0 => "no listeners".to_owned(),
        _ => listed(list.into_iter(), LISTED),
    };
    format!("{said}{near} There are: {list}")
}

/// A key that matches nothing but a guess: what to write when it is a listener.
pub(super) fn guessed(place: &str, key: &str, matched: &[&Workload<'_>]) -> Option<String> {
    let Parts { container, port, .. } = Parts::of(key);
    let (workload, guess) = matched.iter().find_map(|workload| {
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
        workload,
        guesses::bind_line(workload, guess)
    ))
}

/// `bind` for a container that no selected object has is a mistake that nothing else would show.
pub(super) fn unknown_containers(
    config: &Config,
    index: usize,
    target: &Target,
    matched: &[&Workload<'_>],
    findings: &mut Vec<Finding>,
) {
    if target.bind.is_empty() {
        return;
    }
    let names: BTreeSet<&str> = matched
        .iter()
        .flat_map(|workload| &workload.template.containers)
        .map(|container| container.name.as_str())
        .collect();
    for (position, bind) in target.bind.iter().enumerate().filter(|(_, bind)| !names.contains(bind.container.as_str()))
    {
        let path = Path::dotted("spec.targets").item(index).key("bind").item(position).key("container");
        let names: Vec<&str> = names.iter().copied().take(LISTED).collect();
        let message = format!("{}: {}", config.place_of(&path), unknown("container", &bind.container, &names));
        findings.push(Finding::new(Severity::Error, rule::PORT_KEY, message));
    }
}
