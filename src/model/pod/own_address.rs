//! Addresses of the pod itself in texts. Such an address with a listener's number refers to that listener.

use std::sync::Arc;

use super::container::Container;
use super::env::AddressOwner;
use super::template::PodTemplate;
use crate::model::text::{
    Number, TextPlace, host_before, is_own_host, literal_ip, names_own_host, numbers, places, variable_in_host,
};
use lossless_yaml::Path;

/// A port of an address of the pod itself in a word or variable of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) struct OwnAddress {
    /// Position of the number.
    pub(in crate::model) place: TextPlace,
    /// Port number.
    pub(in crate::model) port: u16,
    /// Variable with the address of the node, if the host is this address.
    pub(in crate::model) node: Option<String>,
}

/// True for an IP address in a flag or variable of the pod, at which its process listens: node-local-dns with `-localip
/// 169.254.20.10` answers probes at that address alone.
pub fn listens_at(template: &PodTemplate, host: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let has = |text: &str| {
        let around = |at: usize| (text.get(..at).unwrap_or_default(), text.get(at + host.len()..).unwrap_or_default());
        text.match_indices(host).any(|(at, _)| !around(at).0.ends_with(is_part) && !around(at).1.starts_with(is_part))
    };
    let sets = |container: &Container| {
        let mut words = container.command.iter().chain(&container.args).flatten();
        words.any(|word| has(word)) || container.env.iter().any(|variable| variable.value.is_some_and(has))
    };
    literal_ip(host).is_some() && template.running().any(|(_, container)| sets(container))
}

/// Words of command and arguments, with their paths.
fn words(container: &Container) -> impl Iterator<Item = (Path, &str)> {
    container.words().map(|(list, index, word)| (container.word_path(list, index), word))
}

/// Values of environment variables, with their paths.
fn values(container: &Container) -> impl Iterator<Item = (Path, &str)> {
    container.env.iter().filter_map(|var| Some((container.env_path(var.index), var.value?)))
}

/// The addresses of the pod in the command, arguments and variables of a container.
pub(in crate::model) fn own_addresses(container: &Container) -> Vec<OwnAddress> {
    let words: Vec<_> = words(container).collect();
    let ip_of = |host: &str| container.env_var(variable_in_host(host)?).and_then(|(_, var)| var.ip);
    let mut found = Vec::new();
    let mut add = |texts: &[(Path, &str)]| {
        let own = places(texts, |host| is_own_host(host) || ip_of(host) == Some(AddressOwner::Pod));
        found.extend(own.into_iter().map(|(place, port)| OwnAddress { place, port, node: None }));
        for (place, port) in places(texts, |host| ip_of(host) == Some(AddressOwner::Node)) {
            let host = host_before(&place.text, place.range.start).and_then(|host| variable_in_host(host.text));
            found.push(OwnAddress { port, node: Some(host.unwrap_or("the host").to_owned()), place });
        }
    };
    add(&words);
    values(container).for_each(|value| add(&[value]));
    found
}

/// Numbers as separate words, with their positions, in a container that also names a host of the same
/// pod: `-h localhost -p 8080`, `/dev/tcp/localhost/8080`. The host and the number may be
/// unrelated.
pub(in crate::model) fn separate_numbers(container: &Container) -> Vec<(u16, TextPlace)> {
    let texts: Vec<(Path, &str)> = words(container).chain(values(container)).collect();
    let own_ip = container.env.iter().any(|var| var.ip == Some(AddressOwner::Pod));
    if !own_ip && !texts.iter().any(|(_, text)| names_own_host(text)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (path, text) in texts {
        let mut alone = numbers(text).filter(|number| is_separate_number(text, number)).peekable();
        if alone.peek().is_some() {
            let whole: Arc<str> = text.into();
            found.extend(alone.map(|Number { port, range }| {
                (port, TextPlace { path: path.clone(), text: Arc::clone(&whole), range })
            }));
        }
    }
    found
}

/// True if a number in a text is a word, the value of a flag, or the port of a shell's `/dev/tcp/HOST` or
/// `/dev/udp/HOST`.
fn is_separate_number(text: &str, number: &Number) -> bool {
    let (Some(before), Some(after)) = (text.get(..number.range.start), text.get(number.range.end..)) else {
        return false;
    };
    let of_path = || {
        // A host is never longer than the rest of its word.
        let word = before.rsplit(char::is_whitespace).next().and_then(|word| word.strip_suffix('/'));
        let host = ["/dev/tcp/", "/dev/udp/"].into_iter().find_map(|device| word?.rsplit_once(device));
        host.is_some_and(|(_, host)| is_own_host(host))
    };
    let apart = |c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | ';');
    (before.is_empty() || before.ends_with(apart) || of_path()) && (after.is_empty() || after.starts_with(apart))
}
