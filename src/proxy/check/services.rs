//! Checks the routes to Services of the input that a container dials.

use super::container::Container;
use super::row::RouteRow;
use crate::api::Route;
use crate::proxy::effective::KnownValue;
use crate::proxy::explain::Host;
use crate::proxy::route_decider::DialedHost;
use crate::proxy::services::DialledService;
use crate::rule::Severity;

/// Returns one row for each host of a Service, if the container has a proxy for it.
pub(super) fn rows(container: &Container<'_>, services: &[DialledService]) -> Vec<RouteRow> {
    let (http, https) = (&container.effective.http, &container.effective.https);
    let is_proxy = |service: &DialledService| {
        [http, https].into_iter().flatten().any(|proxy| match proxy {
            KnownValue::Text(url) => service.is_proxy(url),
            KnownValue::Hidden(_) => false,
        })
    };
    let has_proxy = |service: &DialledService| if service.scheme == "http" { http } else { https }.is_some();
    let dialled = services.iter().filter(|service| has_proxy(service) && !is_proxy(service));
    let row = |service: &DialledService| {
        let host = Host { scheme: service.scheme, name: service.name.clone(), port: service.port };
        let port = service.port.map(|port| format!(":{port}")).unwrap_or_default();
        let shown = Some(format!("{}{port}", service.name));
        let row = container.row(&service.service, shown, &DialedHost::Host(host));
        row.with_wanted_route(Route::Direct, Severity::Warning, Some(service.name.clone()))
    };
    dialled.map(row).collect()
}
