//! Entries of `NO_PROXY` that never match.

use super::container::Container;
use super::row::RouteRow;
use crate::proxy::route_decider::ActualRoute;
use crate::rule::{PROXY_ENTRY, Severity};
use go_no_proxy::useless;
use krm::may_have_placeholder;

/// A row for each entry that matches no host.
pub(super) fn rows(container: &Container<'_>) -> Vec<RouteRow> {
    let entries = container.judge.entries().filter(|entry| !may_have_placeholder(entry));
    let useless = entries.filter_map(|entry| {
        let (dialed, why) = (format!("hosts of `{entry}`"), format!("this entry never matches: {}", useless(entry)?));
        let reached = (ActualRoute::Unknown, why);
        let row = RouteRow::new(container.object, &container.subject, &dialed, None, reached);
        Some(row.with_severity(Severity::Warning, PROXY_ENTRY))
    });
    useless.collect()
}
