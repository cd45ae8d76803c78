//! Decides how a container reaches a destination, and whether that matches the wanted route.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use super::effective::{Effective, KnownValue, NamedHost};
use super::explain::Host;
use super::list::{entries, is_open};
use super::required::METADATA;
use super::variables::{SERVICE, SERVICE_HOST};
use crate::api::Route;
use crate::judge::node_ranges::only_range;
use crate::word_enum::word_enum;
use go_no_proxy::{DirectReason, NoProxy, Range, client_go_bypasses};

/// A destination that a container dials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DialedHost {
    /// The API server, at the address set by the kubelet or by the container.
    ApiServer {
        /// The address, if known.
        address: Option<String>,
        /// The namespaces of the input; as host names they exist only inside the cluster.
        namespaces: Arc<BTreeSet<String>>,
    },
    /// A host name or address, with its port.
    Host(Host),
    /// A function that is matched by address: the address ranges of functions, empty if unknown.
    Addresses(Vec<String>),
    /// A function on the host network that is matched by address: the ranges of nodes, empty if unknown.
    NodeAddresses(Vec<String>),
}

/// The usual ports of an API server, as pods dial it.
const API_SERVER_PORTS: [&str; 2] = ["443", "6443"];

/// The addresses of a function on the host network.
const NODES: &str = "the nodes' addresses, since the function's pod is on the host network";

word_enum! {
    /// The route to a destination.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ActualRoute {
        /// A direct connection.
        Direct = "direct",
        /// A connection through the proxy.
        Proxy = "proxy",
        /// Blocked by a network policy.
        Blocked = "blocked",
        /// The input does not show the route.
        Unknown = "unknown",
    }
}

/// The proxy settings of a container, parsed once for all its destinations.
pub(super) struct RouteDecider<'e> {
    effective: &'e Effective,
    /// `NO_PROXY`, or the reason why its value is not in the input.
    list: Result<NoProxy<'e>, &'e str>,
    text: &'e str,
    /// Entries of which a part is filled in later, except `$(KUBERNETES_SERVICE_HOST)`.
    open: Vec<&'e str>,
    ranges: Vec<(&'e str, Range)>,
}

impl<'e> RouteDecider<'e> {
    pub(super) fn new(effective: &'e Effective) -> Self {
        let (list, text) = match &effective.list {
            KnownValue::Text(list) => (Ok(NoProxy::read(list, effective.matcher)), list.as_str()),
            KnownValue::Hidden(description) => (Err(description.as_str()), ""),
        };
        let open = entries(text).filter(|entry| is_open(entry) && *entry != SERVICE).collect();
        let ranges =
            list.iter().flat_map(NoProxy::ranges).filter_map(|text| Some((text, Range::read(text)?))).collect();
        Self { effective, list, text, open, ranges }
    }

    /// Returns the route to a destination, with the reason.
    pub(super) fn route_to(&self, dialed: &DialedHost) -> (ActualRoute, String) {
        let effective = self.effective;
        let (name, proxy) = match dialed {
            DialedHost::Host(Host { scheme: "http", .. }) => ("HTTP_PROXY", &effective.http),
            _ => ("HTTPS_PROXY", &effective.https),
        };
        if let Some(KnownValue::Text(url)) = proxy
            && !is_open(url)
            && let Err(reason) = effective.matcher.proxy_url(url)
        {
            return (ActualRoute::Direct, format!("{name} is not a URL, and Go drops it: {reason}"));
        }
        let list = match &self.list {
            Ok(list) => list,
            Err(description) => return (ActualRoute::Unknown, format!("NO_PROXY is {description}")),
        };
        if list.is_all() {
            return (ActualRoute::Direct, "the entry `*` matches everything".to_owned());
        }
        match dialed {
            DialedHost::ApiServer { address, namespaces } => self.api_server(list, address.as_deref(), namespaces),
            DialedHost::Host(host) => self.unknown_if_unresolved_entry(decided(list, host)),
            DialedHost::Addresses(ranges) => {
                self.unknown_if_unresolved_entry(self.addresses(ranges, "the pods' addresses"))
            }
            DialedHost::NodeAddresses(ranges) => self.unknown_if_unresolved_entry(self.addresses(ranges, NODES)),
        }
    }

    /// Entries of the list; empty if its value is unknown.
    pub(super) fn entries(&self) -> impl Iterator<Item = &'e str> {
        entries(self.text)
    }

    /// The only range of the list, if too small to also contain nodes.
    pub(super) fn only_range(&self) -> Option<&str> {
        only_range(self.text)
    }

    /// True if the list is known and matches every host.
    pub(super) fn matches_all_hosts(&self) -> bool {
        self.list.as_ref().is_ok_and(NoProxy::is_all)
    }

    /// Decides the route to the API server, at `address` if that is known.
    fn api_server(
        &self,
        list: &NoProxy<'_>,
        address: Option<&str>,
        namespaces: &BTreeSet<String>,
    ) -> (ActualRoute, String) {
        let names_it = entries(self.text).any(|entry| entry == SERVICE);
        if names_it && self.effective.named_host == NamedHost::Dialled {
            return (ActualRoute::Direct, format!("the entry `{SERVICE}` is its address"));
        }
        let Some(address) = address else {
            let is_other = |name: &str| {
                let whole = name.strip_prefix('.').unwrap_or(name);
                !name.contains('.')
                    || is_of_cluster(whole)
                    || namespaces.contains(whole)
                    || METADATA.contains(&whole)
                    || !is_name(whole)
            };
            return match list.may_match(&API_SERVER_PORTS, is_other).or(names_it.then_some(SERVICE)) {
                None => self.unknown_if_unresolved_entry((
                    ActualRoute::Proxy,
                    "NO_PROXY contains neither its address nor a range".to_owned(),
                )),
                Some(entry) => {
                    (ActualRoute::Unknown, format!("its address is not known, and the entry `{entry}` may match it"))
                }
            };
        };
        if client_go_bypasses(self.text, address) {
            return (ActualRoute::Direct, format!("a range of NO_PROXY contains {address}"));
        }
        let host = Host { scheme: "https", name: address.to_owned(), port: Some(443) };
        let (reached, reason) = self.unknown_if_unresolved_entry(decided(list, &host));
        if reached != ActualRoute::Proxy || !names_it {
            return (reached, reason);
        }
        // Another entry of `NO_PROXY` may still match the address.
        let is_another = self.effective.named_host == NamedHost::OfService && address.parse::<IpAddr>().is_err();
        let reached = if is_another { ActualRoute::Proxy } else { ActualRoute::Unknown };
        let reason = format!(
            "{reason}: the kubelet expands `{SERVICE}` to another value, since the container's own {SERVICE_HOST} is not defined before NO_PROXY"
        );
        (reached, reason)
    }

    /// Changes `Proxy` to `Unknown` if the list has an unresolved entry, which may match anything.
    fn unknown_if_unresolved_entry(&self, (reached, reason): (ActualRoute, String)) -> (ActualRoute, String) {
        match self.open.first() {
            Some(entry) if reached == ActualRoute::Proxy => {
                (ActualRoute::Unknown, format!("no other entry matches, and the value of `{entry}` is not known"))
            }
            _ => (reached, reason),
        }
    }

    /// `Direct` if the list covers all addresses of the given ranges.
    fn addresses(&self, ranges: &[String], what: &str) -> (ActualRoute, String) {
        if ranges.is_empty() {
            let listed: Vec<&str> = self.ranges.iter().map(|(text, _)| *text).collect();
            return match listed.as_slice() {
                [] => (ActualRoute::Proxy, "NO_PROXY has no range of addresses".to_owned()),
                ranges => (ActualRoute::Unknown, format!("direct if {} has {what}", ranges.join(" or "))),
            };
        }
        let covers = |range: &Range, ends: (IpAddr, IpAddr)| range.contains(ends.0) && range.contains(ends.1);
        let mut by = Vec::new();
        for range in ranges {
            let Some(ends) = Range::read(range).map(Range::ends) else { continue };
            match self.ranges.iter().find(|(_, known)| covers(known, ends)) {
                Some((entry, _)) => by.push(*entry),
                None => return (ActualRoute::Proxy, format!("no range of NO_PROXY contains all of {range}")),
            }
        }
        (ActualRoute::Direct, format!("the entry `{}` contains the addresses", by.join("` and `")))
    }
}

/// True for names inside the cluster or of the local host. `KUBERNETES_SERVICE_HOST` holds an address, or a name that
/// also resolves on nodes, so no client dials the API server by such a name.
fn is_of_cluster(name: &str) -> bool {
    let is_below = |end: &str| name == end || name.strip_suffix(end).is_some_and(|before| before.ends_with('.'));
    let ends = ["localhost", "kubernetes", "kubernetes.default", "cluster.local"];
    ends.into_iter().any(is_below) || name.split('.').any(|label| label == "svc")
}

/// True if the text has only characters of a host name.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| !c.is_ascii() || c.is_ascii_alphanumeric() || "-._".contains(c))
}

/// Route to a host, and the reason.
fn decided(list: &NoProxy<'_>, host: &Host) -> (ActualRoute, String) {
    let default = if host.scheme == "http" { 80 } else { 443 };
    match list.bypass(&host.name, &host.port.unwrap_or(default).to_string()) {
        Some(DirectReason::Entry(entry)) => (ActualRoute::Direct, format!("the entry `{entry}` matches")),
        Some(_) => (ActualRoute::Direct, "it is local".to_owned()),
        None => (ActualRoute::Proxy, "no entry matches".to_owned()),
    }
}

/// True if the route differs from the wanted one.
pub(super) fn differs_from_wanted_route(reached: ActualRoute, wanted: Route) -> bool {
    match wanted {
        Route::Any => false,
        Route::Direct => reached == ActualRoute::Proxy,
        Route::Proxy => reached == ActualRoute::Direct,
    }
}
