//! Checks registries from which Crossplane's core pulls packages.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::container::Container;
use super::input::CheckInput;
use super::row::RouteRow;
use crate::api::Route;
use crate::catalog::{IMAGE_REWRITES_SINCE, is_public_registry};
use crate::crossplane::{REGISTRY, RegistrySetting, Unqualified, rewritten_source, unqualified};
use crate::proxy::core_setting::core_setting;
use crate::proxy::effective::KnownValue;
use crate::proxy::explain::Host;
use crate::proxy::list::is_open;
use crate::proxy::route_decider::{ActualRoute, DialedHost};
use crate::rule::Severity;
use go_no_proxy::{Matcher, NoProxy, Range};
use oci::name::{ImageRef, is_registry};

pub(super) fn rows(input: &CheckInput<'_>, container: &Container<'_>) -> Vec<RouteRow> {
    let row = |registry: String| {
        let host = Host::read(&registry).ok()?;
        let host = Host { port: host.port.or(Some(443)), ..host };
        let name = host.name.clone();
        let wanted = wanted_route(input, container, &host);
        let row = container.row("a registry of packages", Some(registry), &DialedHost::Host(host));
        let mut row = row.with_wanted_route(wanted, Severity::Warning, Some(name));
        if row.severity.is_some() && row.reached == ActualRoute::Direct {
            row.why.push_str(", and it is outside of the cluster");
        }
        Some(row)
    };
    registries(input).into_iter().filter_map(row).collect()
}

/// Registries from which the core pulls packages, after rewriting by ImageConfigs, and registries to which ImageConfigs
/// rewrite packages that are not in the input.
fn registries(input: &CheckInput<'_>) -> BTreeSet<String> {
    // An unknown default registry is left out.
    let setting = core_setting(input.model, input.facts, input.core, REGISTRY).map(|(value, _)| match value {
        KnownValue::Text(registry) => RegistrySetting::Given(registry),
        KnownValue::Hidden(_) => RegistrySetting::Hidden,
    });
    let version = input.crossplane.version();
    let default = match unqualified(version, setting) {
        Unqualified::Means(registry) => registry,
        Unqualified::Refused | Unqualified::Hidden | Unqualified::Unknown => String::new(),
    };
    let rewrites = version.has(IMAGE_REWRITES_SINCE) != Some(false);
    let images = input.model.packages().map(|(_, _, package)| {
        let rewritten = rewrites.then(|| rewritten_source(input.model, &package.image));
        let image = rewritten.as_deref().unwrap_or(&package.image);
        ImageRef::split(image).location(&default).0.to_owned()
    });
    let targets = input.model.image_configs().filter_map(|(_, _, config)| config.rewrite.as_deref());
    let targets = targets.filter(|_| rewrites).filter_map(|prefix| {
        ImageRef::split(prefix).registry.or_else(|| Some(prefix).filter(|text| is_host(text))).map(str::to_owned)
    });
    images.chain(targets).filter(|registry| !registry.is_empty() && !is_open(registry)).collect()
}

/// True if an image prefix is a registry without a path.
fn is_host(text: &str) -> bool {
    !text.contains('/') && text.contains('.') && is_registry(text)
}

/// Wanted route to a registry: direct inside the cluster or a private network, through the proxy for public registries, any route for other
/// hosts. Any route also if an entry of the config matches the host, or `NO_PROXY` matches every host.
fn wanted_route(input: &CheckInput<'_>, container: &Container<'_>, host: &Host) -> Route {
    if is_inside(input, host) || is_private(host) && !is_wanted_by_proxy(input, host) {
        return Route::Direct;
    }
    if container.judge.matches_all_hosts() || !is_public_registry(&host.name) || is_meant(input, host) {
        Route::Any
    } else {
        Route::Proxy
    }
}

/// True if a host is certainly in the cluster, or in a domain of the config's entries.
fn is_inside(input: &CheckInput<'_>, host: &Host) -> bool {
    let cluster = input.cluster();
    let domain = cluster.map_or("cluster.local", |cluster| cluster.domain.as_str());
    let in_range = |ip| {
        let ranges = cluster.into_iter().flat_map(|cluster| [&cluster.pods, &cluster.services, &cluster.nodes]);
        ranges.flatten().filter_map(|range| Range::read(range)).any(|range| range.contains(ip))
    };
    let of_cluster = ["svc", domain].into_iter().any(|end| host.name.ends_with(&format!(".{end}")));
    // The entry `.example.com` indicates the domain example.com, although it does not match that host.
    let apex = |entry: &String| entry.trim().trim_start_matches('*').strip_prefix('.') == Some(&host.name);
    of_cluster || host.name.parse().is_ok_and(in_range) || own_entries(input).any(apex)
}

/// Ends of names that exist only in private networks.
///
/// Source: RFC 6762 appendix G, RFC 8375, and the ICANN resolution 2024.07.29.06 (`internal`).
const PRIVATE: [&str; 6] = ["internal", "local", "lan", "corp", "home.arpa", "localdomain"];

/// True for an address or a name of a private network.
fn is_private(host: &Host) -> bool {
    match host.name.parse() {
        Ok(IpAddr::V4(address)) => address.is_private(),
        Ok(IpAddr::V6(address)) => address.is_unique_local(),
        Err(_) => {
            let name = host.name.trim_end_matches('.');
            PRIVATE.iter().any(|end| name.strip_suffix(end).is_some_and(|rest| rest.ends_with('.')))
        }
    }
}

/// True if `destinations` of the config set another route to a host.
fn is_wanted_by_proxy(input: &CheckInput<'_>, host: &Host) -> bool {
    let destinations = input.config.into_iter().flat_map(|config| &config.proxy.spec.destinations);
    let mut of_host =
        destinations.filter(|destination| Host::read(&destination.host).is_ok_and(|known| known.name == host.name));
    of_host.any(|destination| match destination.wanted {
        Route::Direct => false,
        Route::Any | Route::Proxy => true,
    })
}

/// True if the config's own entries match a host.
fn is_meant(input: &CheckInput<'_>, host: &Host) -> bool {
    let port = host.port.map(|port| port.to_string()).unwrap_or_default();
    own_entries(input).any(|entry| NoProxy::read(entry, Matcher::Newest).bypass(&host.name, &port).is_some())
}

fn own_entries<'s>(input: &'s CheckInput<'_>) -> impl Iterator<Item = &'s String> {
    let spec = input.config.map(|config| &config.proxy.spec);
    let of_targets = spec.into_iter().flat_map(|spec| &spec.targets).flat_map(|target| &target.no_proxy);
    spec.into_iter().flat_map(|spec| &spec.no_proxy).chain(of_targets)
}
