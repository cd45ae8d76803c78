//! How a container reaches a destination, and whether it should.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use super::effective::{Effective, NamedHost, Seen};
use super::explain::Host;
use super::list::entries;
use super::variables::{SERVICE, SERVICE_HOST, references};
use crate::api::Route;
use go_no_proxy::{Because, NoProxy, Range, client_go_bypasses};

/// Somebody whom a container dials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Whom {
    /// The API server, where the kubelet or the container says it is.
    ApiServer {
        /// Its address, where that is known.
        address: Option<String>,
        /// The namespaces of the input, which are names of the cluster alone.
        namespaces: Arc<BTreeSet<String>>,
    },
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

/// What a container sees of proxies, read once for all whom it dials.
pub(super) struct Judge<'e> {
    effective: &'e Effective,
    /// `NO_PROXY`, or why it is not seen.
    list: Result<NoProxy<'e>, &'e str>,
    text: &'e str,
    /// Entries of which something else fills in a part, but for the one of the API server.
    open: Vec<&'e str>,
    ranges: Vec<(&'e str, Range)>,
}

impl<'e> Judge<'e> {
    pub(super) fn of(effective: &'e Effective) -> Self {
        let (list, text) = match &effective.list {
            Seen::Text(list) => (Ok(NoProxy::read(list, effective.matcher)), list.as_str()),
            Seen::Hidden(what) => (Err(what.as_str()), ""),
        };
        let open = entries(text).filter(|entry| is_open(entry) && *entry != SERVICE).collect();
        let ranges =
            list.iter().flat_map(NoProxy::ranges).filter_map(|text| Some((text, Range::read(text)?))).collect();
        Self { effective, list, text, open, ranges }
    }

    /// How the container reaches somebody, and why.
    pub(super) fn reached(&self, whom: &Whom) -> (Reached, String) {
        let effective = self.effective;
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
        let list = match &self.list {
            Ok(list) => list,
            Err(what) => return (Reached::Unknown, format!("NO_PROXY is {what}")),
        };
        if list.is_all() {
            return (Reached::Direct, "the entry `*` matches everything".to_owned());
        }
        match whom {
            Whom::ApiServer { address, namespaces } => self.api_server(list, address.as_deref(), namespaces),
            Whom::Host(host) => self.unless_open(decided(list, host)),
            Whom::Addresses(ranges) => self.unless_open(self.addresses(ranges)),
        }
    }

    /// Whether the list is seen, and takes everything.
    pub(super) fn takes_all(&self) -> bool {
        self.list.as_ref().is_ok_and(NoProxy::is_all)
    }

    fn api_server(
        &self,
        list: &NoProxy<'_>,
        address: Option<&str>,
        namespaces: &BTreeSet<String>,
    ) -> (Reached, String) {
        let names_it = entries(self.text).any(|entry| entry == SERVICE);
        if names_it && self.effective.named_host == NamedHost::Dialled {
            return (Reached::Direct, format!("the entry `{SERVICE}` is its address"));
        }
        let Some(address) = address else {
            let is_other = |name: &str| is_of_cluster(name) || namespaces.contains(name) || !is_name(name);
            return match list.may_match(is_other).or(names_it.then_some(SERVICE)) {
                None => self.unless_open((Reached::Proxy, "NO_PROXY has neither its address nor a range".to_owned())),
                Some(entry) => {
                    (Reached::Unknown, format!("its address is not known, and the entry `{entry}` may match it"))
                }
            };
        };
        if client_go_bypasses(self.text, address) {
            return (Reached::Direct, format!("a range of NO_PROXY has {address}"));
        }
        let host = Host { scheme: "https", name: address.to_owned(), port: Some(443) };
        let (reached, why) = self.unless_open(decided(list, &host));
        if reached != Reached::Proxy || !names_it {
            return (reached, why);
        }
        // Another host may have the address all the same.
        let is_another = self.effective.named_host == NamedHost::OfService && address.parse::<IpAddr>().is_err();
        let reached = if is_another { Reached::Proxy } else { Reached::Unknown };
        let why = format!(
            "{why}: the kubelet puts another value for `{SERVICE}`, since the container's own {SERVICE_HOST} does not stand before NO_PROXY"
        );
        (reached, why)
    }

    /// What others fill in may be anything.
    fn unless_open(&self, (reached, why): (Reached, String)) -> (Reached, String) {
        match self.open.first() {
            Some(entry) if reached == Reached::Proxy => {
                (Reached::Unknown, format!("no other entry matches, and what `{entry}` becomes is not known"))
            }
            _ => (reached, why),
        }
    }

    /// Whether all addresses of some ranges are in ranges of the list.
    fn addresses(&self, ranges: &[String]) -> (Reached, String) {
        if ranges.is_empty() {
            let listed: Vec<&str> = self.ranges.iter().map(|(text, _)| *text).collect();
            return match listed.as_slice() {
                [] => (Reached::Proxy, "NO_PROXY has no range of addresses".to_owned()),
                ranges => (Reached::Unknown, format!("direct if {} has the pods' addresses", ranges.join(" or "))),
            };
        }
        let covers = |own: &Range, ends: (IpAddr, IpAddr)| own.contains(ends.0) && own.contains(ends.1);
        let mut by = Vec::new();
        for range in ranges {
            let Some(ends) = Range::read(range).map(Range::ends) else { continue };
            match self.ranges.iter().find(|(_, own)| covers(own, ends)) {
                Some((entry, _)) => by.push(*entry),
                None => return (Reached::Proxy, format!("no range of NO_PROXY has all of {range}")),
            }
        }
        (Reached::Direct, format!("the entry `{}` has the addresses", by.join("` and `")))
    }
}

/// Whether a name is one of the cluster's own or of the host itself, by which no client inside dials the API server: in
/// `KUBERNETES_SERVICE_HOST` stands an address, or a name that nodes know too.
fn is_of_cluster(name: &str) -> bool {
    let is_below = |end: &str| name == end || name.strip_suffix(end).is_some_and(|before| before.ends_with('.'));
    let ends = ["localhost", "kubernetes", "kubernetes.default", "cluster.local"];
    ends.into_iter().any(is_below) || name.split('.').any(|label| label == "svc")
}

/// Whether a text may be a host's name.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric() || "-._".contains(c))
}

/// Whether something else fills in a part of a text.
pub(super) fn is_open(text: &str) -> bool {
    text.contains("${") || references(text).next().is_some()
}

fn decided(list: &NoProxy<'_>, host: &Host) -> (Reached, String) {
    let default = if host.scheme == "http" { 80 } else { 443 };
    match list.bypass(&host.name, &host.port.unwrap_or(default).to_string()) {
        Some(Because::Entry(entry)) => (Reached::Direct, format!("the entry `{entry}` matches")),
        Some(_) => (Reached::Direct, "it is local".to_owned()),
        None => (Reached::Proxy, "no entry matches".to_owned()),
    }
}

/// Whether a way is not the one that is wanted.
pub(super) fn is_wrong(reached: Reached, wanted: Route) -> bool {
    match wanted {
        Route::Any => false,
        Route::Direct => reached == Reached::Proxy,
        Route::Proxy => reached == Reached::Direct,
    }
}
