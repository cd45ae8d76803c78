//! Whose a host is: the pod's own, or somebody else's.

use std::net::Ipv4Addr;

/// The name in `$(NAME)`, as Kubernetes expands it.
pub(in crate::model) fn variable(text: &str) -> Option<&str> {
    let name = text.strip_prefix("$(")?.strip_suffix(')')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    is_name.then_some(name)
}

/// Whose address a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum HostKind {
    /// All addresses of the pod: nobody dials such a host but the pod itself.
    AnyAddress,
    /// The loopback.
    Loopback,
    /// The pod's own, by a variable or one of its names.
    Own,
    /// A Service that leads to the pod.
    OwnService,
    /// Somebody else's.
    Another,
}

/// Whose a host is that means the same in every pod: the loopback, and all addresses.
pub(in crate::model) fn of_literal(host: &str) -> Option<HostKind> {
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

/// The variable that a host is: `$(NAME)`, `${NAME}`, `$NAME`, in brackets for IPv6 or not.
pub(in crate::model) fn variable_of(host: &str) -> Option<&str> {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let braced = host.strip_prefix("${").and_then(|host| host.strip_suffix('}'));
    let name = variable(host).or(braced).or_else(|| host.strip_prefix('$'))?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then_some(name)
}

/// The hosts of a value that says where somebody is, without schemes, users, ports and paths; none when it is not an
/// address at all: a switch, a number.
pub(in crate::model) fn hosts_of(value: &str) -> Vec<&str> {
    let items = value.split(|c: char| matches!(c, ',' | ';') || c.is_whitespace());
    let hosts = items.filter_map(|item| {
        let rest = item.split_once("://").map_or(item, |(_, rest)| rest);
        let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let port_like = |text: &str| text.bytes().all(|b| b.is_ascii_digit()) || text.starts_with('$');
        let host = match rest.rsplit_once(':') {
            Some((host, digits)) if port_like(digits) && !host.ends_with(':') => host,
            _ => rest,
        };
        let switch = matches!(host.to_ascii_lowercase().as_str(), "true" | "false" | "yes" | "no" | "on" | "off");
        let number = !host.is_empty() && host.bytes().all(|b| b.is_ascii_digit());
        (!host.is_empty() && !switch && !number).then_some(host)
    });
    hosts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_all_addresses_mean_the_same_in_every_pod() {
        for host in ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.1.2.3", "[::1]", "::1"] {
            assert_eq!(of_literal(host), Some(HostKind::Loopback), "{host}");
        }
        for host in ["", "0.0.0.0", "[::]", "::", "*", "+"] {
            assert_eq!(of_literal(host), Some(HostKind::AnyAddress), "{host}");
        }
        for host in ["db", "128.0.0.1", "localhost.example", "127.0.0.1.example", "10.0.0.1"] {
            assert_eq!(of_literal(host), None, "{host}");
        }
    }

    #[test]
    fn hosts_are_read_from_addresses_and_urls() {
        assert_eq!(hosts_of("postgres://u:p@db.shop:5432/x?y"), ["db.shop"]);
        assert_eq!(hosts_of("a:1, b:2 c"), ["a", "b", "c"]);
        assert_eq!(hosts_of("$(HOST):80"), ["$(HOST)"]);
        for none in ["", "true", "8080", ":8080"] {
            assert_eq!(hosts_of(none), [""; 0], "{none}");
        }
    }
}
