//! How a container reaches a destination, and whether it should.

use std::net::IpAddr;

use super::effective::{Effective, Seen};
use super::explain::Host;
use super::list::entries;
use super::variables::SERVICE_HOST;
use crate::api::Route;
use crate::no_proxy::{Because, Decision, Environment, Matcher, NoProxy, Range, client_go_bypasses};

/// Somebody whom a container dials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Whom {
    /// The API server, where the kubelet or the container says it is; its address, where that is known.
    ApiServer(Option<String>),
    /// A host by name or address, with its port.
    Host(Host),
    /// A function whose address is compared: the ranges of functions' addresses, where these are known.
    Addresses(Vec<String>),
}

/// How it is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// Directly.
    Direct,
    /// Through the proxy.
    Proxy,
    /// Not at all: network policies forbid it.
    Blocked,
    /// The input does not show it.
    Unknown,
}

impl Reached {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Proxy => "proxy",
            Self::Blocked => "blocked",
            Self::Unknown => "unknown",
        }
    }
}

/// How a container reaches somebody, and why.
pub(super) fn reached(effective: &Effective, whom: &Whom) -> (Reached, String) {
    let (name, proxy) = match whom {
        Whom::Host(Host { scheme: "http", .. }) => ("HTTP_PROXY", &effective.http),
        _ => ("HTTPS_PROXY", &effective.https),
    };
    if let Some(Seen::Text(url)) = proxy
        && !is_open(url)
        && let Err(why) = effective.matcher.proxy_url(url)
    {
        return (Reached::Direct, format!("{name} is not a URL, and Go drops it: {why}"));
    }
    let list = match &effective.list {
        Seen::Text(list) => list.as_str(),
        Seen::Hidden(what) => return (Reached::Unknown, format!("NO_PROXY is {what}")),
    };
    // What others fill in may be anything.
    let open = entries(list).find(|entry| is_open(entry));
    let unless = |reached: Reached, why: String, expanded: &str| match open.filter(|entry| *entry != expanded) {
        Some(entry) if reached == Reached::Proxy => {
            (Reached::Unknown, format!("no other entry matches, and what `{entry}` becomes is not known"))
        }
        _ => (reached, why),
    };
    let all = NoProxy::read(list, effective.matcher);
    if all.is_all() {
        return (Reached::Direct, "the entry `*` matches everything".to_owned());
    }
    match whom {
        Whom::ApiServer(address) => {
            let service = format!("$({SERVICE_HOST})");
            if entries(list).any(|entry| entry == service) {
                return (Reached::Direct, format!("the entry `{service}` is its address"));
            }
            let Some(address) = address else {
                let listed = all.ranges().next().is_some();
                return if listed {
                    (Reached::Unknown, format!("there is no entry `{service}`, and its address is not known"))
                } else {
                    unless(Reached::Proxy, "NO_PROXY has neither its address nor a range".to_owned(), &service)
                };
            };
            let host = Host { scheme: "https", name: address.clone(), port: Some(443) };
            if client_go_bypasses(list, address) {
                return (Reached::Direct, format!("a range of NO_PROXY has {address}"));
            }
            let (reached, why) = decided(list, &host, effective.matcher);
            unless(reached, why, &service)
        }
        Whom::Host(host) => {
            let (reached, why) = decided(list, host, effective.matcher);
            unless(reached, why, &format!("$({SERVICE_HOST})"))
        }
        Whom::Addresses(ranges) => {
            let (reached, why) = addresses(&all, ranges);
            unless(reached, why, &format!("$({SERVICE_HOST})"))
        }
    }
}

/// Whether something else fills in a part of a text.
pub(super) fn is_open(text: &str) -> bool {
    // Of two dollar signs the kubelet makes one, and expands nothing.
    let expands = |(at, _): (usize, &str)| {
        let signs = text.bytes().take(at).rev().take_while(|byte| *byte == b'$').count();
        signs % 2 == 0
    };
    text.contains("${") || text.match_indices("$(").any(expands)
}

fn decided(list: &str, host: &Host, matcher: Matcher) -> (Reached, String) {
    let proxy = "http://proxy";
    let environment = Environment { http_proxy: proxy, https_proxy: proxy, no_proxy: list, matcher };
    let port = host.port.map(|port| port.to_string()).unwrap_or_default();
    match environment.decide(host.scheme, &host.name, &port) {
        Decision::Direct(Because::Entry(entry)) => (Reached::Direct, format!("the entry `{entry}` matches")),
        Decision::Direct(_) => (Reached::Direct, "it is local".to_owned()),
        Decision::Proxy(_) => (Reached::Proxy, "no entry matches".to_owned()),
    }
}

/// Whether all addresses of some ranges are in ranges of the list.
fn addresses(list: &NoProxy<'_>, ranges: &[String]) -> (Reached, String) {
    let listed: Vec<&str> = list.ranges().collect();
    if ranges.is_empty() {
        return match listed.as_slice() {
            [] => (Reached::Proxy, "NO_PROXY has no range of addresses".to_owned()),
            ranges => (Reached::Unknown, format!("direct if {} has the pods' addresses", ranges.join(" or "))),
        };
    }
    let covers = |own: &Range, ends: (IpAddr, IpAddr)| own.contains(ends.0) && own.contains(ends.1);
    let own: Vec<(&str, Range)> = listed.iter().filter_map(|text| Some((*text, Range::read(text)?))).collect();
    let mut by = Vec::new();
    for range in ranges {
        let Some(ends) = Range::read(range).map(Range::ends) else { continue };
        match own.iter().find(|(_, own)| covers(own, ends)) {
            Some((entry, _)) => by.push(*entry),
            None => return (Reached::Proxy, format!("no range of NO_PROXY has all of {range}")),
        }
    }
    (Reached::Direct, format!("the entry `{}` has the addresses", by.join("` and `")))
}

/// Whether a way is not the one that is wanted.
pub(super) fn is_wrong(reached: Reached, wanted: Route) -> bool {
    matches!((reached, wanted), (Reached::Direct, Route::Proxy) | (Reached::Proxy, Route::Direct))
}
