//! Detects entries of `NO_PROXY` that can never match.

use super::address::{Range, address, split_host_port};
use super::ascii_name;

/// The reason why an entry of `NO_PROXY` can never match in a Go program, and the correction; `None` if it can match.
/// Entries with `$(NAME)` or `${NAME}` are skipped, since another program substitutes the name.
///
/// ```
/// use go_no_proxy::useless;
/// assert_eq!(useless(".example.com"), None);
/// assert!(useless("10.*").unwrap().contains("10.0.0.0/8"));
/// ```
pub fn useless(entry: &str) -> Option<String> {
    let entry = entry.trim();
    if entry == "*" || entry.contains("$(") || entry.contains("${") {
        return None;
    }
    let why = |text: &str| Some(text.to_owned());
    if entry.is_empty() {
        return why("it is empty");
    }
    if entry.contains(char::is_whitespace) || entry.contains([';', '|']) {
        return why("entries are separated by commas only; write each as a separate entry");
    }
    if entry.contains(['"', '\'', '`']) {
        return why("quotes are a part of the entry; remove the quotes");
    }
    if let Some((scheme, _)) = entry.split_once("://") {
        return Some(format!("an entry has no scheme; leave out `{scheme}://`"));
    }
    if entry.contains('/') {
        return range(entry);
    }
    if entry.starts_with('[') && entry.ends_with(']') {
        return why("brackets are for an address with a port; remove the brackets");
    }
    let (host, port) = split_host_port(entry).unwrap_or((entry, ""));
    if host.is_empty() {
        return why("it has no host before the port");
    }
    if !port.is_empty() && !is_port(port) {
        // The text before an `@` may be a password.
        let port = port.rsplit_once('@').map_or(port, |_| "***");
        return Some(format!("`{port}` is not a port from 1 to 65535, written without leading zeros"));
    }
    if address(host).is_some() {
        return None;
    }
    name(host)
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|b| b.is_ascii_digit()) && !port.starts_with('0') && port.parse::<u16>().is_ok()
}

/// The fault of an entry with a slash.
fn range(entry: &str) -> Option<String> {
    if Range::read(entry).is_some() {
        return None;
    }
    let (address, bits) = entry.split_once('/')?;
    if let Some((bits, _)) = bits.split_once(':')
        && Range::read(&format!("{address}/{bits}")).is_some()
    {
        return Some(format!("a range has no port; write `{address}/{bits}`"));
    }
    let bare = address.trim_start_matches('[').trim_end_matches(']');
    if Range::read(&format!("{bare}/{bits}")).is_some() {
        return Some(format!("a range has no brackets; write `{bare}/{bits}`"));
    }
    if has_leading_zero(address) {
        return Some("a number of the address has a leading zero, which Go does not accept".to_owned());
    }
    if super::address::address(bare).is_some() {
        return Some(format!("`{bits}` is not a number of bits: 0 to 32 for IPv4, and 0 to 128 for IPv6"));
    }
    Some("an entry has no path; remove the slash and the text after it".to_owned())
}

fn has_leading_zero(address: &str) -> bool {
    let numbers = address.split('.');
    numbers.clone().count() == 4
        && numbers.clone().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        && numbers.into_iter().any(|n| n.len() > 1 && n.starts_with('0'))
}

/// The fault of an entry that should be a name.
fn name(host: &str) -> Option<String> {
    let numbers = host.trim_end_matches(['*', '.']);
    let parts: Vec<&str> = numbers.split('.').collect();
    if (1..=3).contains(&parts.len()) && parts.iter().all(|part| part.parse::<u8>().is_ok()) {
        let zeros = ".0".repeat(4 - parts.len());
        return Some(format!(
            "the beginning of an address matches nothing; write a range, such as `{numbers}{zeros}/{}`",
            parts.len() * 8
        ));
    }
    if has_leading_zero(host) {
        return Some("a number of the address has a leading zero, which Go does not accept".to_owned());
    }
    let below = host.strip_prefix("*.").unwrap_or(host);
    if below.contains('*') {
        return Some(
            "a `*` is allowed only as the whole entry, or as `*.` before a name; it does not match a part of a name"
                .to_owned(),
        );
    }
    let name = below.strip_prefix('.').unwrap_or(below);
    // Go compares a final dot like any other character: the entry matches hosts that clients write with the dot.
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.is_empty() {
        return Some("it has no name besides the dots".to_owned());
    }
    if name.split('.').any(str::is_empty) {
        return Some("a name has no two dots in a row".to_owned());
    }
    if host.contains('%') {
        return Some("an address with a zone matches nothing; remove the `%` and the text after it".to_owned());
    }
    let ascii = ascii_name(name);
    if let Some(c) = ascii.chars().find(|c| c.is_ascii() && !(c.is_ascii_alphanumeric() || "-_.".contains(*c))) {
        return Some(format!("no host has `{c}` in its name"));
    }
    let last = ascii.rsplit('.').next().unwrap_or_default();
    if !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit()) {
        return Some("it is not an address, and no name ends with a number".to_owned());
    }
    None
}
