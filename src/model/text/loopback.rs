//! Placeholders after hosts: addresses whose port is filled in later.

use super::address::form_of_host;
use super::host::{HostKind, literal_host_kind};
use super::number::is_word;
use super::placeholder::is_placeholder;
use krm::is_whole_placeholder;

/// True if a text ends with the host and colon of a loopback address, so that a port follows.
pub(in crate::model) fn is_loopback_end(text: &str) -> bool {
    let host =
        text.strip_suffix(':').map(|text| text.rsplit(|c: char| !(is_word(c) || matches!(c, '[' | ']' | ':'))).next());
    host.flatten().is_some_and(|host| literal_host_kind(host) == Some(HostKind::Loopback))
}

/// True for a listen address whose port is filled in later, by any common tool: `${PORT}`, `HOST:{{ .port }}`.
///
/// ```
/// use hostnet::model::text::listens_on_placeholder;
/// assert!(listens_on_placeholder("${PORT:=8080}") && listens_on_placeholder("127.0.0.1:${PORT}"));
/// assert!(listens_on_placeholder(":$PORT") && listens_on_placeholder("{{ .Values.address }}"));
/// assert!(!listens_on_placeholder("redis:${PORT}") && !listens_on_placeholder("${HOST}:8080"));
/// ```
pub fn listens_on_placeholder(text: &str) -> bool {
    let mut colons = text.match_indices(':');
    is_whole_placeholder(text)
        || colons.any(|(at, colon)| {
            let (host, port) = text.split_at(at);
            let host = host.split_once("://").map_or(host, |(_, host)| host);
            form_of_host(host).is_some() && port.strip_prefix(colon).is_some_and(is_whole_placeholder)
        })
}

/// True for a value of a port or address that another tool fills in.
pub(in crate::model) fn is_filled_in(value: &str) -> bool {
    is_placeholder(value) || listens_on_placeholder(value)
}

/// True for an address with a port whose host is filled in later: `${HOST:=0.0.0.0}:9443`.
pub(in crate::model) fn has_host_placeholder(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| is_whole_placeholder(host) && port.parse::<u16>().is_ok())
}

/// True if a text contains a loopback address whose port is filled in later: `http://localhost:${PORT}/x`.
///
/// ```
/// use hostnet::model::text::has_loopback_placeholder;
/// assert!(has_loopback_placeholder("curl http://127.0.0.1:${PORT}/x"));
/// assert!(!has_loopback_placeholder("localhost:8080 ${PORT}"));
/// ```
pub fn has_loopback_placeholder(text: &str) -> bool {
    text.match_indices('$').any(|(at, _)| {
        let (before, rest) = text.split_at(at);
        is_loopback_end(before) && rest.starts_with("${")
    })
}
