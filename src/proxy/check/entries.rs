//! Entries of `NO_PROXY` that never match.

use super::container::Container;
use super::row::RouteRow;
use crate::proxy::list::never_matches;
use crate::proxy::route_decider::ActualRoute;
use crate::rule::{PROXY_ENTRY, Severity};

/// A row for each entry that matches no host.
pub(super) fn rows(container: &Container<'_>) -> Vec<RouteRow> {
    let useless = container.judge.entries().filter_map(|entry| {
        let why = format!("this entry never matches: {}", never_matches(entry)?);
        let dialed = format!("hosts of `{entry}`");
        let reached = (ActualRoute::Unknown, why);
        let row = RouteRow::new(container.object, &container.subject, &dialed, None, reached);
        Some(row.with_severity(Severity::Warning, PROXY_ENTRY))
    });
    useless.collect()
}
