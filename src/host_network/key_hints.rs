//! Messages about keys that match no listener.

use std::collections::BTreeSet;

use super::bind_entry::BindEntry;
use super::workload::Workload;
use crate::api::{Bind, HostNetworkConfig, Target, did_you_mean, unknown};
use crate::model::pod::{Container, ContainerPort};
use crate::model::text::port as port_number;
use crate::plan::{Finding, listed};
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// Maximum number of listeners in a message.
pub(super) const LISTED: usize = 20;

/// Parts of a key: `TEMPLATE/CONTAINER/PORT`, `CONTAINER/PORT` for any template, or `PORT` for any container.
pub(super) struct KeyParts<'k> {
    pub(super) template: Option<&'k str>,
    pub(super) container: Option<&'k str>,
    pub(super) port: &'k str,
}

impl<'k> KeyParts<'k> {
    pub(super) fn new(key: &'k str) -> Self {
        let mut parts = key.rsplitn(3, '/');
        let port = parts.next().unwrap_or(key);
        let container = parts.next();
        Self { template: parts.next(), container, port }
    }
}

/// Message about a key that matches no listener of its target; with `compare` set, it lists the listeners and proposes
/// the nearest.
pub(super) fn unmatched_key_message(
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
    let message = format!("{place}: `{key}` matches no port of {objects}");
    if !compare {
        return message;
    }
    let count = list.len();
    let list = match count {
        0 => "no listeners".to_owned(),
        _ => listed(list, LISTED),
    };
    format!("{message}{near} Known are: {list}")
}

/// Message about a key that matches only a guess, with the `bind` entry to write if the guess is a listener.
pub(super) fn guessed_key_message(place: &str, key: &str, matched: &[&Workload<'_>]) -> Option<String> {
    let KeyParts { container, port, .. } = KeyParts::new(key);
    let (workload, guess) = matched.iter().find_map(|workload| {
        let guess = workload.guesses.iter().find(|guess| {
            let own = workload.template.containers.get(guess.container).map(|container| container.name.as_str());
            let is_match = port_number(port) == Some(guess.setting.port) || guess.label() == port;
            is_match && container.is_none_or(|container| own == Some(container))
        })?;
        Some((workload, guess))
    })?;
    Some(format!(
        "{place}: `{key}` matches only `{}` of {}, and only its name suggests that the process listens there. If it \
         does, {}",
        guess.setting.name,
        workload,
        workload.add_bind_remedy(&[BindEntry::for_guess(workload, guess).to_string()])
    ))
}

/// Reports entries of `bind` that match no selected object: no other rule would report the mistake.
pub(super) fn mistaken_binds(
    config: &HostNetworkConfig,
    index: usize,
    target: &Target,
    matched: &[&Workload<'_>],
    findings: &mut Vec<Finding>,
) {
    for (position, bind) in target.bind.iter().enumerate() {
        let Some((field, reason)) = mistake(bind, matched) else { continue };
        let path = Path::dotted("spec.targets").item(index).key("bind").item(position).key(field);
        let message = format!("{}: {reason}", config.place_of(&path));
        findings.push(Finding::new(Severity::Error, rule::PORT_KEY, message));
    }
}

/// Field of an entry that is wrong for all selected objects, and the reason.
fn mistake(bind: &Bind, matched: &[&Workload<'_>]) -> Option<(&'static str, String)> {
    let containers = || matched.iter().flat_map(|workload| &workload.template.containers);
    let has_container = |workload: &&Workload<'_>| {
        workload.template.containers.iter().any(|container| container.name == bind.container)
    };
    let of_name: Vec<&Workload<'_>> = matched.iter().copied().filter(has_container).collect();
    if of_name.is_empty() {
        let names: BTreeSet<&str> = containers().map(|container| container.name.as_str()).collect();
        let names: Vec<&str> = names.into_iter().take(LISTED).collect();
        return Some(("container", unknown("container", &bind.container, &names)));
    }
    // All containers of the pod count: a process may listen on a port that another container declares.
    let ports = || {
        let containers =
            of_name.iter().flat_map(|workload| workload.template.running().map(move |container| (workload, container)));
        containers.flat_map(|(workload, (_, container))| {
            container.ports.iter().flatten().map(move |port| (workload, container, port))
        })
    };
    let mut declaring = ports().filter(|(.., port)| port.name.as_ref() == Some(&bind.port)).peekable();
    if declaring.peek().is_none() {
        let is_known = |workload: &&&Workload<'_>| {
            workload.listeners.iter().any(|listener| listener.declared.is_none() && listener.label == bind.port)
        };
        if bind.number.is_some() || of_name.iter().any(|workload| is_known(&workload)) {
            return None;
        }
        let names: BTreeSet<&str> = ports().filter_map(|(.., port)| port.name.as_deref()).collect();
        let names: Vec<&str> = names.into_iter().take(LISTED).collect();
        let reason = unknown("port", &bind.port, &names);
        return Some((
            "port",
            format!("{reason}. For a port that no container declares, or that has no name, also write `number`"),
        ));
    }
    let number = bind.number?.get();
    // Skip pods on the host network: an earlier run may already have moved the port.
    let differs = |(workload, container, port): (&&Workload<'_>, &Container, &ContainerPort)| {
        let other = port.number().filter(|other| *other != number && !workload.template.on_host_network())?;
        let meant = container.ports.iter().flatten().find(|port| port.number() == Some(number));
        let or = meant.and_then(|port| port.name.as_ref()).map(|name| format!(", or `port: {name}`"));
        let reason = format!(
            "container `{}` declares port `{}` as {other}, and not {number}: write `number: {other}`{}",
            container.name,
            bind.port,
            or.unwrap_or_default()
        );
        Some(reason)
    };
    let declaring = declaring.filter(|(_, container, _)| container.name == bind.container);
    let differing = declaring.map(differs).collect::<Option<Vec<_>>>()?;
    differing.into_iter().next().map(|reason| ("number", reason))
}
