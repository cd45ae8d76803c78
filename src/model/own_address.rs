//! Addresses of the pod itself in texts: whoever dials one with a listener's number means that listener.

use std::sync::Arc;

use super::evidence::{TextPlace, Whose, host_before, numbers, of_literal, variable_of};
use super::pod::{Container, IpOf};
use super::text::{Number, is_word, port};
use crate::yaml::Path;

/// A port of an address of the pod itself in a word or variable of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnAddress {
    /// Where the number stands.
    pub(super) place: TextPlace,
    /// The number.
    pub(super) port: u16,
    /// The variable that holds the host, when that is the node's address.
    pub(super) node: Option<String>,
}

/// The ports of addresses that are the pod's own in any pod: `localhost:N`, `http://127.0.0.1:N/x`, `0.0.0.0:N`, `localhost N`.
pub(super) fn own_ports(text: &str) -> Vec<Number> {
    // Hosts in short texts are many, and most texts have neither.
    ports_behind(text, is_own_host).collect()
}

/// Whether a number of a text is the port of such an address.
pub(super) fn is_own_port(text: &str, number: &Number) -> bool {
    is_behind(text, number, &is_own_host)
}

/// The ports of addresses in the words of a command: [`own_ports`] of each, and words that are the port to the word before.
pub(super) fn own_places(words: &[(Path, &str)]) -> Vec<(TextPlace, u16)> {
    places(words, is_own_host)
}

fn words(container: &Container) -> impl Iterator<Item = (Path, &str)> {
    container.words().map(|(list, index, word)| (container.word_path(list, index), word))
}

fn values(container: &Container) -> impl Iterator<Item = (Path, &str)> {
    container.env.iter().filter_map(|var| Some((container.env_path(var.index), var.value.as_deref()?)))
}

/// The addresses of the pod in the command, arguments and variables of a container.
pub(super) fn own_addresses(container: &Container) -> Vec<OwnAddress> {
    let words: Vec<_> = words(container).collect();
    let ip_of = |host: &str| container.env_var(variable_of(host)?).and_then(|(_, var)| var.ip);
    let mut found = Vec::new();
    let mut add = |texts: &[(Path, &str)]| {
        let own = places(texts, |host| is_own_host(host) || ip_of(host) == Some(IpOf::Pod));
        found.extend(own.into_iter().map(|(place, port)| OwnAddress { place, port, node: None }));
        for (place, port) in places(texts, |host| ip_of(host) == Some(IpOf::Node)) {
            let host = host_before(&place.text, place.range.start).and_then(|host| variable_of(host.text));
            found.push(OwnAddress { port, node: Some(host.unwrap_or("the host").to_owned()), place });
        }
    };
    add(&words);
    values(container).for_each(|value| add(&[value]));
    found
}

/// Whether a value is a host that is the pod itself: the loopback, and what reaches it when it is dialled.
pub(super) fn is_own_host(value: &str) -> bool {
    !matches!(value, "" | "*" | "+") && matches!(of_literal(value), Some(Whose::Loopback | Whose::AnyAddress))
}

/// The numbers that stand alone in a container that names a host of the pod itself as well, and where: `-h localhost -p 8080`,
/// `/dev/tcp/localhost/8080`. Whether the two belong together nobody knows.
pub(super) fn stand_alone(container: &Container) -> Vec<(u16, TextPlace)> {
    let texts: Vec<(Path, &str)> = words(container).chain(values(container)).collect();
    let own_ip = container.env.iter().any(|var| var.ip == Some(IpOf::Pod));
    if !own_ip && !texts.iter().any(|(_, text)| names_own_host(text)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (path, text) in texts {
        let mut alone = numbers(text).filter(|number| stands_alone(text, number)).peekable();
        if alone.peek().is_some() {
            let whole: Arc<str> = text.into();
            found.extend(alone.map(|Number { port, range }| {
                (port, TextPlace { path: path.clone(), text: Arc::clone(&whole), range })
            }));
        }
    }
    found
}

/// Whether a host of the pod itself stands in a text, and not inside of another's name.
fn names_own_host(text: &str) -> bool {
    let hosts = text.split(|c: char| !(is_word(c) || matches!(c, '[' | ']' | ':')));
    hosts
        .filter(|host| !host.is_empty())
        .any(|host| is_own_host(host) || host.split_once(':').is_some_and(|(host, _)| is_own_host(host)))
}

/// Whether a number is in a text as a word, the value of a flag, or the port of a shell's `/dev/tcp/HOST` or `/dev/udp/HOST`.
fn stands_alone(text: &str, number: &Number) -> bool {
    let (Some(before), Some(after)) = (text.get(..number.range.start), text.get(number.range.end..)) else {
        return false;
    };
    let of_path = || {
        // No host is longer than the rest of its word.
        let word = before.rsplit(char::is_whitespace).next().and_then(|word| word.strip_suffix('/'));
        let host = ["/dev/tcp/", "/dev/udp/"].into_iter().find_map(|device| word?.rsplit_once(device));
        host.is_some_and(|(_, host)| is_own_host(host))
    };
    let apart = |c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | ';');
    (before.is_empty() || before.ends_with(apart) || of_path()) && (after.is_empty() || after.starts_with(apart))
}

/// The ports of some hosts in the words of a command.
fn places(words: &[(Path, &str)], is_host: impl Fn(&str) -> bool) -> Vec<(TextPlace, u16)> {
    let mut found = Vec::new();
    let mut after_host = false;
    for (path, word) in words {
        let whole = port(word).filter(|_| after_host).map(|port| Number { port, range: 0..word.len() });
        let mut inside = ports_behind(word, &is_host).chain(whole).peekable();
        if inside.peek().is_some() {
            let text: Arc<str> = (*word).into();
            found.extend(inside.map(|Number { port, range }| {
                (TextPlace { path: path.clone(), text: Arc::clone(&text), range }, port)
            }));
        }
        after_host = is_host(word);
    }
    found
}

/// The ports of some hosts in a text: `HOST:N`, and `HOST N` as some commands take it.
fn ports_behind(text: &str, is_host: impl Fn(&str) -> bool) -> impl Iterator<Item = Number> {
    numbers(text).filter(move |number| is_behind(text, number, &is_host))
}

fn is_behind(text: &str, number: &Number, is_host: &impl Fn(&str) -> bool) -> bool {
    let after = text.get(number.range.end..).unwrap_or_default();
    host_before(text, number.range.start)
        .is_some_and(|host| is_host(host.text) && (host.colon || !after.starts_with(is_word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_addresses_are_found_in_any_text() {
        let ports = |text: &str| own_ports(text).into_iter().map(|n| n.port).collect::<Vec<_>>();
        assert_eq!(ports("curl -f http://127.0.0.1:8080/x && nc localhost:9090"), [8080, 9090]);
        assert_eq!(ports("notlocalhost:80 localhost: localhost"), [0u16; 0]);
        assert_eq!(ports("[::1]:81"), [81]);
        // Not by the hosts, but as they stand; and where the digits are.
        assert_eq!(ports("localhost:2 127.0.0.1:1 [::1]:3 [::]:5 0.0.0.0:4"), [2, 1, 3, 5, 4]);
        assert_eq!(own_ports("to localhost:8080/")[0].range, 13..17);
        for other in
            ["xlocalhost:80", "x.localhost:80", "x-localhost:80", "x_localhost:80", "localhost/80", "localhostx:80"]
        {
            assert_eq!(ports(other), [0u16; 0], "{other}");
        }
    }

    #[test]
    fn a_host_alone_is_the_pod_too() {
        assert!(is_own_host("localhost") && is_own_host("127.0.0.1") && is_own_host("LOCALHOST."));
        assert!(!is_own_host("db") && !is_own_host("localhost:80"));
    }

    #[test]
    fn host_and_port_may_have_blanks_between_them() {
        assert_eq!(own_ports("nc 'localhost' \t80;")[0].range, 16..18);
        assert_eq!(own_ports("localhost 80")[0].port, 80);
        for other in
            ["localhost 80ms", "localhost 80.5", "localhost 80-90", "localhost'80", "localhost\n80", "localhost: 80"]
        {
            assert_eq!(own_ports(other), [], "{other}");
        }
    }
}
