//! Checks cloud metadata services, from which Providers and Crossplane's core get credentials.

use super::container::Container;
use super::input::CheckInput;
use super::row::RouteRow;
use crate::api::{MetadataService, Route};
use crate::proxy::explain::Host;
use crate::proxy::required::{METADATA, Role};
use crate::proxy::route_decider::{ActualRoute, DialedHost};
use crate::rule::Severity;

/// True if the config excludes metadata services from the proxy, for all containers.
pub(super) fn is_wanted(input: &CheckInput<'_>) -> bool {
    input.config.is_some_and(|config| config.proxy.spec.metadata_service.is_direct())
}

/// Returns one row for each pair of actual and wanted route.
pub(super) fn rows(input: &CheckInput<'_>, container: &Container<'_>) -> Vec<RouteRow> {
    let mut rows: Vec<(RouteRow, Vec<&str>)> = Vec::new();
    for (index, address) in METADATA.into_iter().enumerate() {
        let wanted = match input.config.map(|config| config.proxy.spec.metadata_service) {
            Some(MetadataService::Direct) => Route::Direct,
            Some(MetadataService::Proxy) => Route::Any,
            // The cloud is unknown; use the address that most clouds share.
            None if index == 0 && container.role == Role::Provider => Route::Direct,
            None => Route::Any,
        };
        let dialed = DialedHost::Host(Host { scheme: "http", name: address.to_owned(), port: Some(80) });
        let (how, _) = container.judge.route_to(&dialed);
        match rows.iter_mut().find(|(row, _)| row.reached == how && row.wanted == wanted) {
            Some((_, addresses)) => addresses.push(address),
            None => {
                let row = container.row("metadata services of clouds", None, &dialed);
                rows.push((row.with_wanted_route(wanted, Severity::Warning, Some(address.to_owned())), vec![address]));
            }
        }
    }
    let joined = |(row, addresses): (RouteRow, Vec<&str>)| RouteRow {
        host: Some(addresses.join(" ")),
        why: if row.reached == ActualRoute::Direct && addresses.len() > 1 {
            "entries match".to_owned()
        } else {
            row.why
        },
        add: row.add.is_some().then(|| addresses.join(",")),
        ..row
    };
    rows.into_iter().map(joined).collect()
}
