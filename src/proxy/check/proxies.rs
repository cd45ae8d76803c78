//! Checks that Go reads proxy URLs as intended.

use super::container::Container;
use super::row::RouteRow;
use crate::proxy::effective::KnownValue;
use crate::proxy::list::is_open;
use crate::proxy::route_decider::ActualRoute;
use crate::rule::{PROXY_URL, Severity};
use go_no_proxy::{Matcher, misread, proxy_url};

pub(super) fn rows(container: &Container<'_>) -> Vec<RouteRow> {
    let both = [("HTTPS_PROXY", &container.effective.https), ("HTTP_PROXY", &container.effective.http)];
    let row = |(name, proxy): (&str, &Option<KnownValue>)| {
        let Some(KnownValue::Text(url)) = proxy else { return None };
        let why =
            misread(url).or_else(|| older_go_misreading(url, container.effective.matcher)).filter(|_| !is_open(url))?;
        let why = format!("{name} is not read as intended: {why}");
        let row = RouteRow::new(container.object, &container.subject, "the proxy", None, (ActualRoute::Unknown, why));
        Some(row.with_severity(Severity::Warning, PROXY_URL))
    };
    both.into_iter().filter_map(row).collect()
}

/// Describes how an older Go misreads a proxy URL that newer releases read correctly.
fn older_go_misreading(url: &str, matcher: Matcher) -> Option<String> {
    let (old, new) = (matcher.proxy_url(url).ok()?, proxy_url(url).ok()?);
    (old != new).then(|| {
        format!(
            "the Go of this program (up to v1.22) puts `http://` before schemes other than http, https and socks5, and \
             reads it as a proxy on host `{}`",
            old.host
        )
    })
}
