//! Hosts: the pod itself, or another host.

use std::net::{IpAddr, Ipv4Addr};

/// Name in `$(NAME)`, as Kubernetes expands it.
pub(in crate::model) fn variable(text: &str) -> Option<&str> {
    let name = text.strip_prefix("$(")?.strip_suffix(')')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    is_name.then_some(name)
}

/// Kind of a host, from the view of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum HostKind {
    /// All addresses of the pod: such an address is dialled only inside the pod.
    AnyAddress,
    /// Loopback.
    Loopback,
    /// The pod itself, by a variable or by one of its names.
    Own,
    /// Service that selects the pod.
    OwnService,
    /// Another host.
    Another,
}

/// Kind of a host that is the same for every pod: loopback and all addresses.
pub(in crate::model) fn literal_host_kind(host: &str) -> Option<HostKind> {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    match bare {
        "" | "0.0.0.0" | "::" | "*" | "+" => return Some(HostKind::AnyAddress),
        "::1" => return Some(HostKind::Loopback),
        _ => {}
    }
    let name = bare.strip_suffix('.').unwrap_or(bare);
    let loops = name.eq_ignore_ascii_case("localhost") || name.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback());
    loops.then_some(HostKind::Loopback)
}

/// IP address that a host consists of, also in brackets.
pub(in crate::model) fn literal_ip(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

/// True for a host or address of the loopback interface.
///
/// ```
/// use hostnet::model::text::is_loopback_host;
/// assert!(is_loopback_host("127.0.0.1") && is_loopback_host("::1") && is_loopback_host("localhost"));
/// assert!(!is_loopback_host("0.0.0.0") && !is_loopback_host("10.0.0.1"));
/// ```
pub fn is_loopback_host(host: &str) -> bool {
    literal_host_kind(host) == Some(HostKind::Loopback)
}

/// Variable that a host consists of: `$(NAME)`, `${NAME}` or `$NAME`, also in brackets for IPv6.
pub(in crate::model) fn variable_in_host(host: &str) -> Option<&str> {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let braced = host.strip_prefix("${").and_then(|host| host.strip_suffix('}'));
    let name = variable(host).or(braced).or_else(|| host.strip_prefix('$'))?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then_some(name)
}

/// Hosts of an address value, without schemes, users, ports and paths; empty if the value is not an address: a switch,
/// a number.
pub(in crate::model) fn hosts_of(value: &str) -> impl Iterator<Item = &str> {
    let items = value.split(|c: char| matches!(c, ',' | ';') || c.is_whitespace());
    items.filter_map(|item| {
        let scheme = item.find(':').and_then(|_| item.split_once("://"));
        let rest = scheme.map_or(item, |(_, rest)| rest);
        let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let port_like = |text: &str| text.bytes().all(|b| b.is_ascii_digit()) || text.starts_with('$');
        let host = match rest.rsplit_once(':') {
            Some((host, digits)) if port_like(digits) && !host.ends_with(':') => host,
            _ => rest,
        };
        let switch = ["true", "false", "yes", "no", "on", "off"].iter().any(|word| host.eq_ignore_ascii_case(word));
        let number = !host.is_empty() && host.bytes().all(|b| b.is_ascii_digit());
        (!host.is_empty() && !switch && !number).then_some(host)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_all_addresses_mean_the_same_in_every_pod() {
        for host in ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.1.2.3", "[::1]", "::1"] {
            assert_eq!(literal_host_kind(host), Some(HostKind::Loopback), "{host}");
        }
        for host in ["", "0.0.0.0", "[::]", "::", "*", "+"] {
            assert_eq!(literal_host_kind(host), Some(HostKind::AnyAddress), "{host}");
        }
        for host in ["db", "128.0.0.1", "localhost.example", "127.0.0.1.example", "10.0.0.1"] {
            assert_eq!(literal_host_kind(host), None, "{host}");
        }
    }

    #[test]
    fn hosts_are_read_from_addresses_and_urls() {
        let hosts = |value| hosts_of(value).collect::<Vec<&str>>();
        assert_eq!(hosts("postgres://u:p@db.shop:5432/x?y"), ["db.shop"]);
        assert_eq!(hosts("a:1, b:2 c"), ["a", "b", "c"]);
        assert_eq!(hosts("$(HOST):80"), ["$(HOST)"]);
        for none in ["", "true", "8080", ":8080"] {
            assert_eq!(hosts(none), [""; 0], "{none}");
        }
    }
}
