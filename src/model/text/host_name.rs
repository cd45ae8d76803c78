//! Host names before port numbers in texts: `web-0.web:80`, `$(POD_NAME).web:80`.

use std::net::IpAddr;

use super::host::{literal_host_kind, variable_in_host};
use super::number::{Number, is_word};
use super::numbers::{is_in_path, numbers};

/// Maximum length of a host: 253 characters of a DNS name, and the characters around variables.
const MAX_HOST_LENGTH: usize = 300;

/// Maximum number of ports after one host: `zk-0.zk:2888:3888;2181`.
const MAX_PORTS: usize = 4;

/// Numbers of a text with the names of the hosts before them.
pub fn hosts_in(text: &str) -> impl Iterator<Item = (Number, &str)> {
    numbers(text).filter_map(|number| {
        let after = text.get(number.range.end..).and_then(|rest| rest.chars().next());
        let host = host_of(text, number.range.start).filter(|_| !after.is_some_and(is_word))?;
        Some((number, host))
    })
}

/// Host before the number at `at`, including variables and commands in it: `$(POD_NAME).web`, `web-{0...3}.web`.
pub(in crate::model) fn host_of(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let mut rest = before.strip_suffix(':').or_else(|| {
        let rest = before.strip_suffix(';')?;
        ends_with_port(rest).then_some(rest)
    })?;
    for _ in 1..MAX_PORTS {
        let start = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        match start.strip_suffix(':').filter(|_| start.len() < rest.len()) {
            Some(host) => rest = host,
            None => break,
        }
    }
    let from = (rest.len().saturating_sub(MAX_HOST_LENGTH)..=rest.len()).find(|at| rest.is_char_boundary(*at))?;
    let rest = rest.get(from..)?;
    let mut start = rest.len();
    while let Some(c) = rest.get(..start).and_then(|rest| rest.chars().next_back()) {
        start = match c {
            ')' => rest.get(..start).and_then(|rest| rest.rfind("$("))?,
            '}' => rest.get(..start).and_then(|rest| rest.rfind('{'))?,
            c if is_word(c) || c == '$' => start - c.len_utf8(),
            _ => break,
        };
    }
    let host = rest.get(start..).filter(|_| !rest.get(..start).is_some_and(is_in_path))?;
    let host = without_srv_labels(host);
    let is_name = host.contains(|c: char| c.is_ascii_alphabetic()) && literal_host_kind(host).is_none();
    (is_name && host.parse::<IpAddr>().is_err()).then_some(host)
}

/// Removes the labels of a SRV record before a host: `_grpc._tcp.web.shop.svc`. A port after such a name overrides the
/// port of the record.
///
/// Source: thanos-io/thanos v0.36 `pkg/discovery/dns/resolver.go`, `Resolve`.
fn without_srv_labels(host: &str) -> &str {
    let mut rest = host;
    while let Some((_, after)) = rest.split_once('.').filter(|(label, _)| label.starts_with('_')) {
        rest = after;
    }
    rest
}

/// True if a text ends with `:N`.
fn ends_with_port(text: &str) -> bool {
    let start = text.trim_end_matches(|c: char| c.is_ascii_digit());
    start.len() < text.len() && start.ends_with(':')
}

/// Labels of a host; dots inside `{0...3}` and `$(NAME)` do not separate labels.
pub(in crate::model) fn labels(host: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    let parts = host.split(|c: char| {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == '.' && depth == 0
    });
    parts.collect()
}

/// Replaces the variables of a text by their values; unknown variables stay.
pub fn filled<'v>(text: &str, value: impl Fn(&str) -> Option<&'v str>) -> String {
    let mut found = String::new();
    let mut rest = text;
    while let Some((before, from)) = rest.find('$').and_then(|at| rest.split_at_checked(at)) {
        found.push_str(before);
        let end = match from.get(1..2) {
            Some("(") => from.find(')').map(|end| end + 1),
            Some("{") => from.find('}').map(|end| end + 1),
            _ => from
                .get(1..)
                .map(|name| 1 + name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(name.len())),
        };
        let (variable, after) = from.split_at_checked(end.unwrap_or(from.len())).unwrap_or((from, ""));
        let value = variable_in_host(variable).and_then(&value).filter(|value| !value.contains('$'));
        found.push_str(value.unwrap_or(variable));
        rest = after;
    }
    found.push_str(rest);
    found
}
