//! Collects the destinations of a container.

use super::container::Container;
use super::input::CheckInput;
use super::row::RouteRow;
use super::{api_server, entries, functions, metadata, proxies, registries};
use crate::proxy::explain::Host;
use crate::proxy::required::Role;
use crate::proxy::route_decider::DialedHost;
use crate::rule::Severity;

/// Rows for all destinations of a container; empty without a proxy.
pub(super) fn rows(input: &CheckInput<'_>, container: &Container<'_>) -> Vec<RouteRow> {
    let effective = &container.effective;
    if effective.https.is_none() && effective.http.is_none() {
        return Vec::new();
    }
    let mut rows = proxies::rows(container);
    // A run of a config reports these entries itself.
    if input.config.is_none() {
        rows.extend(entries::rows(container));
    }
    if effective.https.is_some() {
        rows.extend(api_server::rows(input, container));
    }
    if effective.https.is_some() && container.role == Role::Core {
        rows.extend(functions::rows(input, container));
        rows.extend(registries::rows(input, container));
    }
    if effective.http.is_some() && (container.role != Role::Other || metadata::is_wanted(input)) {
        rows.extend(metadata::rows(input, container));
    }
    rows.extend(destinations(input, container));
    rows
}

/// Rows for the destinations listed in the config.
fn destinations(input: &CheckInput<'_>, container: &Container<'_>) -> Vec<RouteRow> {
    let destinations = input.config.iter().flat_map(|config| &config.proxy.spec.destinations);
    let row = |destination: &crate::api::Destination| {
        let host = Host::read(&destination.host).ok()?;
        (if host.scheme == "http" { &container.effective.http } else { &container.effective.https }).as_ref()?;
        let row = container.row(
            "a destination of the config",
            Some(destination.host.clone()),
            &DialedHost::Host(host.clone()),
        );
        Some(row.with_wanted_route(destination.wanted, Severity::Error, Some(host.name)))
    };
    destinations.filter_map(row).collect()
}
