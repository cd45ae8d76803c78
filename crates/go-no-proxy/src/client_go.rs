//! Proxy bypass rules that client-go adds to `NO_PROXY`.

use std::net::IpAddr;

use super::address::Range;

/// True if client-go bypasses the proxy for this host of an API server by its additional rule: entries that are
/// ranges, parsed with leading zeros and without trimming (`NewProxierWithNoProxyCIDR`,
/// kubernetes/apimachinery@v0.36.2 `pkg/util/net/http.go`). If false, the normal `NO_PROXY` rules decide.
///
/// ```
/// use go_no_proxy::client_go_bypasses;
/// assert!(client_go_bypasses("010.0.0.0/8", "10.96.0.1"));
/// assert!(!client_go_bypasses(" 10.0.0.0/8", "10.96.0.1"));
/// ```
pub fn client_go_bypasses(list: &str, host: &str) -> bool {
    let Some(ip) = parse_ip_sloppy(host) else { return false };
    list.split(',').filter_map(|entry| Range::parse(entry, parse_ip_sloppy)).any(|range| range.contains(ip))
}

/// Parses an address whose numbers may have leading zeros (`ParseIPSloppy`, kubernetes/utils
/// `internal/third_party/forked/golang/net`).
fn parse_ip_sloppy(text: &str) -> Option<IpAddr> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find([':', '.']).unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let short = number.trim_start_matches('0');
        plain.push_str(if short.is_empty() && !number.is_empty() { "0" } else { short });
        let separator = after.chars().next();
        plain.extend(separator);
        rest = after.get(separator.map_or(0, char::len_utf8)..).unwrap_or_default();
    }
    plain.parse().ok()
}
