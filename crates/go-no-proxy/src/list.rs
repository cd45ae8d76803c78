//! The list of `NO_PROXY`: what each entry matches.

use std::collections::HashMap;
use std::net::IpAddr;

use super::address::{Range, address, address_with_zone, split_host_port};
use super::{Because, ascii_name, lower};

/// Whose matcher reads the variables: it changed with `golang.org/x/net` v0.23.0 and v0.36.0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Matcher {
    /// Up to v0.22.0, and in `net/http` up to Go 1.22: a proxy whose scheme is not `http`, `https` or `socks5` gets `http://` put before
    /// it. The list is read as by [`Matcher::BeforeZones`].
    BeforeSchemes,
    /// Up to v0.35.0: an address with a zone is a name, and entries that are names match the ends of addresses too.
    BeforeZones,
    /// Since v0.36.0, and in `net/http` since Go 1.23.7 and 1.24.1.
    #[default]
    Newest,
}

/// What an entry matches.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    /// Everything.
    All,
    Range(Range),
    Address(IpAddr, Port),
    /// Names that end with the suffix, which starts with a dot; with `itself` the name behind that dot too.
    Name {
        suffix: String,
        itself: bool,
        port: Port,
    },
}

/// The port of an entry; empty for any.
type Port = String;

/// A list that was read.
#[derive(Debug, Clone)]
pub struct NoProxy<'l> {
    matcher: Matcher,
    entries: Vec<(&'l str, Rule)>,
    /// The positions in `entries` of those that are names, by their suffixes: a list may have thousands of them, and be asked about as many
    /// hosts.
    names: HashMap<String, Vec<usize>>,
}

impl<'l> NoProxy<'l> {
    /// Reads a list; entries that mean nothing are dropped, as Go does.
    #[must_use]
    pub fn read(list: &'l str, matcher: Matcher) -> Self {
        let (mut entries, mut names) = (Vec::new(), HashMap::<String, Vec<usize>>::new());
        for entry in list.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            match rule(&lower(entry)) {
                // Nothing else counts beside it, wherever it stands.
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

    /// Why `host:port` bypasses the proxy, if it does. `host` is without brackets.
    #[must_use]
    pub fn bypass(&self, host: &str, port: &str) -> Option<Because<'l>> {
        let host = ascii_name(host);
        if host.contains(['[', ']']) || port.contains([':', '[', ']']) {
            return Some(Because::NoHost);
        }
        if host == "localhost" {
            return Some(Because::Local);
        }
        let ip = match self.matcher {
            Matcher::BeforeSchemes | Matcher::BeforeZones => address(&host),
            Matcher::Newest => address_with_zone(&host),
        };
        if ip.is_some_and(|ip| ip.is_loopback()) {
            return Some(Because::Local);
        }
        let host = lower(host.trim());
        if let [(entry, Rule::All)] = self.entries.as_slice() {
            return Some(Because::Entry(entry));
        }
        let found = ip.and_then(|ip| self.of_address(ip, port)).or_else(|| {
            let names_match_addresses = self.matcher != Matcher::Newest;
            if ip.is_none() || names_match_addresses { self.of_name(&host, port) } else { None }
        });
        found.map(Because::Entry)
    }

    /// The first entry that is this address, or a range with it.
    fn of_address(&self, ip: IpAddr, port: &str) -> Option<&'l str> {
        let mut matching = self.entries.iter().filter(|(_, rule)| match rule {
            Rule::Range(range) => range.contains(ip),
            Rule::Address(own, own_port) => *own == ip && allows(own_port, port),
            Rule::All | Rule::Name { .. } => false,
        });
        matching.next().map(|(entry, _)| *entry)
    }

    /// The first entry that is a name which matches this one, in lower case.
    fn of_name(&self, name: &str, port: &str) -> Option<&'l str> {
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

    /// The entries that are ranges of addresses, as they are written.
    pub fn ranges(&self) -> impl Iterator<Item = &'l str> {
        self.entries.iter().filter(|(_, rule)| matches!(rule, Rule::Range(_))).map(|(entry, _)| *entry)
    }

    /// The first entry that may match a host of which nothing is known but that it is not local: an address, a range, or a name, unless
    /// `is_other` says that it is the name of another one. It is asked without the dot before the name.
    #[must_use]
    pub fn may_match(&self, is_other: impl Fn(&str) -> bool) -> Option<&'l str> {
        let may = |rule: &Rule| match rule {
            Rule::All => true,
            Rule::Range(range) => !range.ends().0.is_loopback(),
            Rule::Address(ip, _) => !ip.is_loopback(),
            Rule::Name { suffix, .. } => !is_other(suffix.strip_prefix('.').unwrap_or(suffix)),
        };
        self.entries.iter().find(|(_, rule)| may(rule)).map(|(entry, _)| *entry)
    }

    /// Whether an entry is `*`, so that nothing goes through a proxy.
    #[must_use]
    pub fn is_all(&self) -> bool {
        matches!(self.entries.as_slice(), [(_, Rule::All)])
    }
}

fn allows(own: &str, port: &str) -> bool {
    own.is_empty() || own == port
}

/// What an entry in lower case matches; none when it has no host.
fn rule(entry: &str) -> Option<Rule> {
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
