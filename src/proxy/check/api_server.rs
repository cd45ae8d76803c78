//! Checks the connection of a container to the API server.

use std::sync::Arc;

use super::api_client::ApiAccess;
use super::container::Container;
use super::input::CheckInput;
use super::row::{API_SERVER, RouteRow};
use crate::api::{ApiServerHosts, Route};
use crate::proxy::effective::{KnownValue, NamedHost};
use crate::proxy::explain::Host;
use crate::proxy::list::is_open;
use crate::proxy::route_decider::DialedHost;
use crate::proxy::variables::SERVICE;
use crate::rule::Severity;
use go_no_proxy::Range;

pub(super) fn rows(input: &CheckInput<'_>, container: &Container<'_>) -> Vec<RouteRow> {
    let row = |dialed: DialedHost, host: Option<String>, add: Option<String>| {
        let row = container.row(API_SERVER, host, &dialed);
        match container.api {
            ApiAccess::Certain => row.with_wanted_route(Route::Direct, Severity::Error, add),
            ApiAccess::Possible => {
                let mut row = row.with_wanted_route(Route::Direct, Severity::Warning, add);
                if row.severity.is_some() {
                    row.why.push_str("; the input does not show if it calls the API server");
                }
                row
            }
            ApiAccess::Never => row,
        }
    };
    let cluster = input.cluster();
    if let Some(ApiServerHosts::Hosts(hosts)) = cluster.map(|cluster| &cluster.api_server) {
        let row = |host: &String| row(DialedHost::Host(given(host)), Some(host.clone()), Some(host.clone()));
        return hosts.iter().map(row).collect();
    }
    // The API server's Service has the first address of the Service range.
    let first = || Some(Range::read(cluster?.services.first()?)?.first_host().to_string());
    let host = match &container.effective.service_host {
        Some(KnownValue::Text(host)) => Some(host.clone()).filter(|host| !is_open(host)),
        Some(KnownValue::Hidden(_)) => None,
        None => input.facts.api_server.clone().or_else(first),
    };
    let add = if container.effective.list_expands && container.effective.named_host == NamedHost::Dialled {
        SERVICE.to_owned()
    } else {
        host.clone().unwrap_or_else(|| "the address of the API server's Service".to_owned())
    };
    let namespaces = Arc::clone(&input.namespaces);
    vec![row(DialedHost::ApiServer { address: host.clone(), namespaces }, host, Some(add))]
}

/// The host of a `HOST` or `HOST:PORT` of the config. A text that is not a host, such as `${NAME:-a}`, is taken as a
/// name.
fn given(text: &str) -> Host {
    let whole = || Host { scheme: "https", name: text.to_owned(), port: None };
    Host::read(text.trim()).unwrap_or_else(|_| whole())
}
