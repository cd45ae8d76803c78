//! Output of `hostnet proxy check` as text and JSON.

use serde_json::{Value, json};

use crate::api::Route;
use crate::proxy::RouteRow;
use crate::rule::Severity;
use krm::escape_line;

/// One line per container and destination, errors first. `reads_all` is false if other programs render parts of the
/// input; `unread` are reasons why a container without a line may have a proxy.
pub fn text(rows: &[RouteRow], reads_all: bool, unread: &[String]) -> String {
    let mut sorted: Vec<&RouteRow> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.severity.is_none(), row.severity));
    let mut out = String::new();
    for row in sorted {
        let severity = row.severity.map(|severity| format!("{}: ", severity.as_str())).unwrap_or_default();
        let rule = row.severity.map(|_| format!(" [{}]", row.rule.id)).unwrap_or_default();
        out.push_str(&format!("{severity}{}{rule}\n", escape_line(&row.message())));
    }
    if let (true, Some(first)) = (rows.is_empty(), unread.first()) {
        let more = if unread.len() > 1 { format!(" (and {} more)", unread.len() - 1) } else { String::new() };
        out.push_str(&format!("unknown: {}{more}\n", escape_line(first)));
    }
    if rows.is_empty() {
        out.push_str(if reads_all && unread.is_empty() {
            "no container has HTTPS_PROXY or HTTP_PROXY\n"
        } else {
            "no container that was read has HTTPS_PROXY or HTTP_PROXY\n"
        });
    }
    out
}

/// The rows as JSON.
pub fn json(rows: &[RouteRow]) -> Value {
    let rows = rows.iter().map(|row| {
        let wanted = match row.wanted {
            Route::Any => "any",
            Route::Direct => "direct",
            Route::Proxy => "proxy",
        };
        json!({
            "container": row.subject,
            "destination": row.dialed,
            "host": row.host,
            "reached": row.reached.as_str(),
            "why": row.why,
            "wanted": wanted,
            "severity": row.severity.map(Severity::as_str),
            "rule": row.severity.map(|_| row.rule.id),
            "add": row.add,
        })
    });
    json!({ "rows": rows.collect::<Vec<_>>() })
}
