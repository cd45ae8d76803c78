//! Parses `NO_PROXY` and matches hosts.

use std::collections::HashMap;
use std::net::IpAddr;

use super::address::{Range, address, address_with_zone, split_host_port};
use super::{DirectReason, ascii_name, lower, useless};

/// The version of Go's matcher, which changed with `golang.org/x/net` v0.23.0 and v0.36.0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Matcher {
    /// Up to v0.22.0, and in `net/http` up to Go 1.22: a proxy whose scheme is not `http`, `https` or `socks5` is read
    /// with `http://` prepended. Lists are read as by [`Matcher::BeforeZones`].
    BeforeSchemes,
    /// Up to v0.35.0: an address with a zone is a name, and name entries also match the ends of addresses.
    BeforeZones,
    /// Since v0.36.0, and in `net/http` since Go 1.23.7 and 1.24.1.
    #[default]
    Newest,
}

/// The hosts that an entry matches.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    /// Every host.
    All,
    Range(Range),
    Address(IpAddr, Port),
    /// Names with this suffix, which starts with a dot; with `itself` also the name without that dot.
    Name {
        suffix: String,
        itself: bool,
        port: Port,
    },
}

/// The port of an entry; empty for any port.
type Port = String;

/// A parsed list.
#[derive(Debug, Clone)]
pub struct NoProxy<'l> {
    matcher: Matcher,
    entries: Vec<(&'l str, Rule)>,
    /// Positions in `entries` of name entries, by suffix: a list may have thousands of names and be matched against as
    /// many hosts.
    names: HashMap<String, Vec<usize>>,
}

impl<'l> NoProxy<'l> {
    /// Parses a list; like Go, drops invalid entries.
    pub fn read(list: &'l str, matcher: Matcher) -> Self {
        let (mut entries, mut names) = (Vec::new(), HashMap::<String, Vec<usize>>::new());
        for entry in list.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            match parse_rule(&lower(entry)) {
                // `*` overrides all other entries, regardless of position.
                Some(Rule::All) => return Self { matcher, entries: vec![(entry, Rule::All)], names: HashMap::new() },
                Some(rule) => {
                    if let Rule::Name { suffix, .. } = &rule {
                        names.entry(suffix.clone()).or_default().push(entries.len());
                    }
                    entries.push((entry, rule));
                }
                None => {}
            }
        }
        Self { matcher, entries, names }
    }

    /// The reason why `host:port` bypasses the proxy; `None` if it does not. `host` is without brackets.
    pub fn bypass(&self, host: &str, port: &str) -> Option<DirectReason<'l>> {
        let host = ascii_name(host);
        if host.contains(['[', ']']) || port.contains([':', '[', ']']) {
            return Some(DirectReason::NoHost);
        }
        if host == "localhost" {
            return Some(DirectReason::Local);
        }
        let ip = match self.matcher {
            Matcher::BeforeSchemes | Matcher::BeforeZones => address(&host),
            Matcher::Newest => address_with_zone(&host),
        };
        if ip.is_some_and(|ip| ip.is_loopback()) {
            return Some(DirectReason::Local);
        }
        let host = lower(host.trim());
        if let [(entry, Rule::All)] = self.entries.as_slice() {
            return Some(DirectReason::Entry(entry));
        }
        let found = ip.and_then(|ip| self.match_address(ip, port)).or_else(|| {
            let names_match_addresses = self.matcher != Matcher::Newest;
            if ip.is_none() || names_match_addresses { self.match_name(&host, port) } else { None }
        });
        found.map(DirectReason::Entry)
    }

    /// The first entry that is this address, or a range that contains it.
    fn match_address(&self, ip: IpAddr, port: &str) -> Option<&'l str> {
        let mut matching = self.entries.iter().filter(|(_, rule)| match rule {
            Rule::Range(range) => range.contains(ip),
            Rule::Address(own, own_port) => *own == ip && allows(own_port, port),
            Rule::All | Rule::Name { .. } => false,
        });
        matching.next().map(|(entry, _)| *entry)
    }

    /// The first name entry that matches this lower-case name.
    fn match_name(&self, name: &str, port: &str) -> Option<&'l str> {
        let whole = &format!(".{name}");
        let ends = whole.match_indices('.').filter_map(|(at, _)| whole.get(at..));
        let found = ends.filter_map(|end| Some((self.names.get(end)?, end == whole)));
        let positions = found.flat_map(|(positions, is_itself)| positions.iter().map(move |&at| (at, is_itself)));
        let matching = positions.filter_map(|(at, is_itself)| match self.entries.get(at)? {
            (entry, Rule::Name { itself, port: own, .. }) if (!is_itself || *itself) && allows(own, port) => {
                Some((at, *entry))
            }
            _ => None,
        });
        matching.min_by_key(|(at, _)| *at).map(|(_, entry)| entry)
    }

    /// The range entries, as written.
    pub fn ranges(&self) -> impl Iterator<Item = &'l str> {
        self.entries.iter().filter(|(_, rule)| matches!(rule, Rule::Range(_))).map(|(entry, _)| *entry)
    }

    /// The first entry that may match an unknown host whose address is neither a loopback nor a link-local one: an
    /// address, a range, or a name for which `is_other` is false. `is_other` gets the name, with its dot if the entry
    /// matches only names below it, and returns true if the host cannot have it. `ports` are the ports that the host may
    /// have.
    pub fn may_match(&self, ports: &[&str], is_other: impl Fn(&str) -> bool) -> Option<&'l str> {
        let may_have = |port: &str| ports.iter().any(|own| allows(port, own));
        let may = |rule: &Rule| match rule {
            Rule::All => true,
            Rule::Range(range) => !is_local(range.ends().0),
            Rule::Address(ip, port) => !is_local(*ip) && may_have(port),
            Rule::Name { suffix, itself, port } => {
                let name = if *itself { suffix.strip_prefix('.').unwrap_or(suffix) } else { suffix };
                !is_other(name) && may_have(port)
            }
        };
        self.entries.iter().find(|(entry, rule)| may(rule) && useless(entry).is_none()).map(|(entry, _)| *entry)
    }

    /// True if an entry is `*`, so that no request uses a proxy.
    pub fn is_all(&self) -> bool {
        matches!(self.entries.as_slice(), [(_, Rule::All)])
    }
}

/// True for a loopback or link-local address.
fn is_local(ip: IpAddr) -> bool {
    let is_link_local = match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    };
    ip.is_loopback() || is_link_local
}

/// True if the port of an entry includes the port of a host; an entry without port includes all.
fn allows(entry_port: &str, port: &str) -> bool {
    entry_port.is_empty() || entry_port == port
}

/// Parses a lower-case entry; `None` without host.
fn parse_rule(entry: &str) -> Option<Rule> {
    if entry == "*" {
        return Some(Rule::All);
    }
    if let Some(range) = Range::read(entry) {
        return Some(Rule::Range(range));
    }
    let (host, port) = split_host_port(entry).unwrap_or((entry, ""));
    let port = port.to_owned();
    if let Some(ip) = address(host) {
        return Some(Rule::Address(ip, port));
    }
    let host = if host.starts_with("*.") { host.strip_prefix('*').unwrap_or(host) } else { host };
    if host.is_empty() {
        return None;
    }
    let itself = !host.starts_with('.');
    let suffix = if itself { format!(".{host}") } else { host.to_owned() };
    Some(Rule::Name { suffix: ascii_name(&suffix), itself, port })
}
