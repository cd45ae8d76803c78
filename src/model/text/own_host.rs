//! Hosts that are the pod itself, and the ports after them.

use std::sync::Arc;

use super::host::{HostKind, literal_host_kind};
use super::number::{Number, is_word, port};
use super::numbers::{host_before, numbers};
use super::word::TextPlace;
use lossless_yaml::Path;

/// Ports of addresses that are the pod itself in every pod: `localhost:N`, `http://127.0.0.1:N/x`, `0.0.0.0:N`,
/// `localhost N`.
pub(in crate::model) fn own_ports(text: &str) -> Vec<Number> {
    // Search by number, not by host: most texts have no number.
    ports_after(text, is_own_host).collect()
}

/// True if a number in a text is one of the ports that [`own_ports`] returns.
pub(in crate::model) fn is_own_port(text: &str, number: &Number) -> bool {
    follows_host(text, number, &is_own_host)
}

/// Ports of addresses in the words of a command: [`own_ports`] of each word, and words that are the port for the word
/// before.
pub(in crate::model) fn own_places(words: &[(Path, &str)]) -> Vec<(TextPlace, u16)> {
    places(words, is_own_host)
}

/// True if a client of this host reaches the pod itself: loopback, and all interfaces.
pub(in crate::model) fn is_own_host(value: &str) -> bool {
    !matches!(value, "" | "*" | "+")
        && matches!(literal_host_kind(value), Some(HostKind::Loopback | HostKind::AnyAddress))
}

/// True if a text contains a host that is the pod itself, as a whole word.
pub(in crate::model) fn names_own_host(text: &str) -> bool {
    let hosts = text.split(|c: char| !(is_word(c) || matches!(c, '[' | ']' | ':')));
    hosts
        .filter(|host| !host.is_empty())
        .any(|host| is_own_host(host) || host.split_once(':').is_some_and(|(host, _)| is_own_host(host)))
}

/// Ports of matching hosts in the words of a command.
pub(in crate::model) fn places(words: &[(Path, &str)], is_host: impl Fn(&str) -> bool) -> Vec<(TextPlace, u16)> {
    let mut found = Vec::new();
    let mut after_host = false;
    for (path, word) in words {
        let whole = port(word).filter(|_| after_host).map(|port| Number { port, range: 0..word.len() });
        let mut inside = ports_after(word, &is_host).chain(whole).peekable();
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

/// Ports of matching hosts in a text: `HOST:N`, and `HOST N`, which some commands use.
fn ports_after(text: &str, is_host: impl Fn(&str) -> bool) -> impl Iterator<Item = Number> {
    numbers(text).filter(move |number| follows_host(text, number, &is_host))
}

/// True if the number follows a host that `is_host` accepts.
fn follows_host(text: &str, number: &Number, is_host: &impl Fn(&str) -> bool) -> bool {
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
        // In the order of the text, with the range of the digits.
        assert_eq!(ports("localhost:2 127.0.0.1:1 [::1]:3 [::]:5 0.0.0.0:4"), [2, 1, 3, 5, 4]);
        assert_eq!(own_ports("to localhost:8080/")[0].range, 13..17);
        for other in
            ["xlocalhost:80", "x.localhost:80", "x-localhost:80", "x_localhost:80", "localhost/80", "localhostx:80"]
        {
            assert_eq!(ports(other), [0u16; 0], "{other}");
        }
    }

    #[test]
    fn own_hosts_without_a_port_are_found() {
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
