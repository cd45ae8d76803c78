//! Addresses of the pod itself in texts: whoever dials one with a listener's number means that listener (P5).

use super::pod::{Container, IpOf};
use super::text::{Number, is_word, leading_digits, port};
use super::visible::TextPlace;
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

/// Hosts that are the pod itself: the loopback, and what reaches it when it is dialled.
const OWN: [&str; 5] = ["127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::]"];

/// The ports of addresses that are the pod's own in any pod: `localhost:N`, `http://127.0.0.1:N/x`, `0.0.0.0:N`, `localhost N`.
pub(super) fn own_ports(text: &str) -> Vec<Number> {
    let mut found: Vec<Number> = OWN.iter().flat_map(|host| ports_behind(text, host)).collect();
    found.sort_by_key(|number| number.range.start);
    found
}

/// The ports of addresses in the words of a command: [`own_ports`] of each, and words that are the port to the word before.
pub(super) fn own_places(words: &[(Path, &str)]) -> Vec<(TextPlace, u16)> {
    places(words, &OWN)
}

fn words(container: &Container) -> impl Iterator<Item = (Path, &str)> {
    container.words().map(|(list, index, word)| (container.word_path(list, index), word))
}

fn values(container: &Container) -> impl Iterator<Item = (Path, &str)> {
    container.env.iter().filter_map(|var| Some((container.env_path(var.index), var.value.as_deref()?)))
}

/// The addresses of the pod in the command, arguments and variables of a container.
pub(super) fn own_addresses(container: &Container) -> Vec<OwnAddress> {
    let (words, values): (Vec<_>, Vec<_>) = (words(container).collect(), values(container).collect());
    let mut found = Vec::new();
    let mut add = |hosts: &[&str], node: Option<&str>| {
        let values = values.iter().flat_map(|value| places(std::slice::from_ref(value), hosts));
        let all = places(&words, hosts).into_iter().chain(values);
        found.extend(all.map(|(place, port)| OwnAddress { place, port, node: node.map(str::to_owned) }));
    };
    add(&OWN, None);
    for var in &container.env {
        let Some(ip) = var.ip.filter(|_| container.env_var(&var.name).is_some_and(|(last, _)| last == var.index))
        else {
            continue;
        };
        let name = &var.name;
        // As Kubernetes expands it, for IPv6 too; and as a shell does.
        let hosts = [format!("$({name})"), format!("[$({name})]"), format!("${{{name}}}"), format!("${name}")];
        add(&hosts.each_ref().map(String::as_str), (ip == IpOf::Node).then_some(name));
    }
    found
}

/// Whether a value is a host that is the pod itself.
pub(super) fn is_own_host(value: &str) -> bool {
    OWN.contains(&value)
}

/// Where a number stands alone in a container that names a host of the pod itself as well: `-h localhost -p 8080`,
/// `/dev/tcp/localhost/8080`. Whether the two belong together nobody knows.
pub(super) fn beside(container: &Container, port: u16) -> Vec<Path> {
    let texts: Vec<(Path, &str)> = words(container).chain(values(container)).collect();
    let own_ip = container.env.iter().any(|var| var.ip == Some(IpOf::Pod));
    if !own_ip && !texts.iter().any(|(_, text)| OWN.iter().any(|host| is_named(text, host))) {
        return Vec::new();
    }
    texts.into_iter().filter(|(_, text)| stands_alone(text, port)).map(|(path, _)| path).collect()
}

/// Whether a host stands in a text, and not inside of another's name.
fn is_named(text: &str, host: &str) -> bool {
    occurrences(text, host).any(|at| text.get(at + host.len()..).is_some_and(|rest| !rest.starts_with(is_word)))
}

/// Whether a number is in a text as a word, the value of a flag, or the port of a shell's `/dev/tcp/HOST`.
fn stands_alone(text: &str, port: u16) -> bool {
    let digits = port.to_string();
    text.match_indices(&digits).any(|(at, _)| {
        let (Some(before), Some(after)) = (text.get(..at), text.get(at + digits.len()..)) else { return false };
        let of_path = OWN.iter().any(|host| before.ends_with(&format!("/dev/tcp/{host}/")));
        let apart = |c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | ';');
        (before.is_empty() || before.ends_with(apart) || of_path) && (after.is_empty() || after.starts_with(apart))
    })
}

/// The ports of these hosts in the words of a command.
fn places(words: &[(Path, &str)], hosts: &[&str]) -> Vec<(TextPlace, u16)> {
    let mut found = Vec::new();
    let mut after_host = false;
    for (path, word) in words {
        let whole = port(word).filter(|_| after_host).map(|port| Number { port, range: 0..word.len() });
        let inside = hosts.iter().flat_map(|host| ports_behind(word, host));
        found.extend(
            inside.chain(whole).map(|Number { port, range }| {
                (TextPlace { path: path.clone(), text: (*word).to_owned(), range }, port)
            }),
        );
        after_host = hosts.contains(word);
    }
    found
}

/// Where a host stands in a text, and not as the end of another's name. Most texts are short, and a searcher for a whole string costs more than they do.
fn occurrences(text: &str, host: &str) -> impl Iterator<Item = usize> {
    let places = host.chars().next().into_iter().flat_map(|first| text.match_indices(first));
    let stands = move |at: &usize| {
        let (before, rest) = text.split_at(*at);
        rest.starts_with(host) && !before.ends_with(is_word)
    };
    places.map(|(at, _)| at).filter(stands)
}

/// The ports of a host in a text: `HOST:N`, and `HOST N` as some commands take it.
fn ports_behind(text: &str, host: &str) -> impl Iterator<Item = Number> {
    occurrences(text, host).filter_map(move |at| {
        let end = at + host.len();
        let rest = text.get(end..)?;
        let apart = rest.trim_start_matches(['"', '\'']).trim_start_matches([' ', '\t']);
        let start = if rest.starts_with(':') { end + 1 } else { text.len() - apart.len() };
        let gap = text.get(end..start)?;
        let digits = leading_digits(text.get(start..)?);
        let range = start..start + digits.len();
        let joined = gap == ":" || (gap.ends_with([' ', '\t']) && !text.get(range.end..)?.starts_with(is_word));
        port(digits).filter(|_| joined).map(|port| Number { port, range })
    })
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
        assert!(is_own_host("localhost") && is_own_host("127.0.0.1"));
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
