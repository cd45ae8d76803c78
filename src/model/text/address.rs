//! Forms of listen addresses in values: `:8080`, `0.0.0.0:8080`, `http://+:8080`, `localhost:8080`, `8080`.

use std::ops::Range;

use super::host::{HostKind, literal_host_kind, variable};
use super::number::{Number, port};
use crate::catalog;

/// Form of a port in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Port with a host for all addresses of the pod: only a process that listens has such an address.
    AnyAddress,
    /// Port with the loopback host: the address of a process that listens, or of a client.
    Loopback,
    /// Number without host: may be anything.
    Bare,
}

/// Address in a value, which may have several, separated by `,`, `;` or blanks. Words after an address with a host may
/// be its parameters, as in `0.0.0.0:8444 http2 ssl`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::model) enum Address<'v> {
    /// Number.
    Number(Form, Number),
    /// Variable instead of the number: `:$(PORT)`.
    PortOf(Form, &'v str),
    /// Variable instead of the whole address: `$(ADDRESS)`.
    ValueOf(&'v str),
}

/// Reads the listen addresses of a value; empty if one of its parts is something else: a name, the address of another
/// program. `form_of` is the form of an address whose host is a variable; `None` for the address of something else.
///
/// ```
/// use hostnet::model::text::{Form, addresses};
/// let ports = |value| addresses(value, |_| None).map(|(form, number)| (form, number.port)).collect::<Vec<_>>();
/// assert_eq!(ports("0.0.0.0:9443"), [(Form::AnyAddress, 9443)]);
/// assert_eq!(ports("http://+:8080;https://+:8443"), [(Form::AnyAddress, 8080), (Form::AnyAddress, 8443)]);
/// assert_eq!(ports("localhost:80"), [(Form::Loopback, 80)]);
/// assert_eq!(ports("80"), [(Form::Bare, 80)]);
/// assert!(ports("redis:6379").is_empty() && ports("${PORT}").is_empty());
/// ```
pub fn addresses(value: &str, form_of: impl Fn(&str) -> Option<Form>) -> impl Iterator<Item = (Form, Number)> {
    read(value, form_of).into_iter().filter_map(|address| match address {
        Address::Number(form, number) => Some((form, number)),
        Address::PortOf(..) | Address::ValueOf(_) => None,
    })
}

/// Returns the number of a value that is exactly one listen address.
pub(in crate::model) fn listen_value(value: &str) -> Option<(Form, Number)> {
    let mut found = addresses(value, |_| None);
    found.next().filter(|_| found.next().is_none())
}

/// Reads the listen addresses of a value, including addresses with variables; empty if one of its parts is something
/// else.
pub(in crate::model) fn read(value: &str, form_of: impl Fn(&str) -> Option<Form>) -> Vec<Address<'_>> {
    let mut found = Vec::new();
    let (mut takes_parameters, mut has_parameters) = (false, false);
    for (start, item) in items(value) {
        let before = value.get(..start).unwrap_or_default();
        if before.trim_end_matches([' ', '\t']).ends_with([',', '\n', '\r']) {
            (takes_parameters, has_parameters) = (false, false);
        }
        let address = address(item, start, &form_of);
        let is_number = matches!(address, Some(Address::Number(Form::Bare, _)));
        match address {
            // `backlog 1024` after an address is not a second port.
            Some(_) if is_number && has_parameters => {}
            Some(address) => {
                takes_parameters = !is_number && !matches!(address, Address::ValueOf(_));
                has_parameters = false;
                found.push(address);
            }
            None if takes_parameters && is_parameter(item) => has_parameters = true,
            None => return Vec::new(),
        }
    }
    found
}

/// Parts of a value, each with its start.
fn items(value: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let parts = value.split(|c: char| matches!(c, ',' | ';') || c.is_whitespace()).map(move |item| {
        let at = start;
        start += item.len() + 1;
        (at, item)
    });
    parts.filter(|(_, item)| !item.is_empty())
}

/// True for a word that may be a parameter of the address before it: `ssl`, `default_server`, `backlog=1024`. False for
/// words of other forms, such as flags, paths and hosts.
///
/// Source: `listen` of nginx, and `proxy_listen` of Kong (Kong/kong@3.8.0 `kong/conf_loader/listeners.lua`).
fn is_parameter(item: &str) -> bool {
    let (name, value) = item.split_once('=').unwrap_or((item, ""));
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().chain(value.chars()).all(is_word)
}

/// Parses an address: a variable, a number, or a host with a number or variable as its port.
fn address<'v>(item: &'v str, start: usize, form_of: &impl Fn(&str) -> Option<Form>) -> Option<Address<'v>> {
    if let Some(name) = variable(item) {
        return Some(Address::ValueOf(name));
    }
    let (scheme, rest) = item.split_once("://").map_or(("", item), |(scheme, rest)| (scheme, rest));
    if !scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    // A URL may have a path after the port, such as `--liveness=http://0.0.0.0:8080/healthz` of kopf
    // (nolar/kopf `docs/probing.rst`). With a host that clients dial, such a URL is another program's.
    let authority = rest.split('/').next().filter(|_| rest.len() < item.len());
    let is_of_listener = |authority: &&str| {
        authority.rsplit_once(':').is_some_and(|(host, _)| form_of_host(host) == Some(Form::AnyAddress))
    };
    let whole = authority.filter(is_of_listener).or_else(|| rest.strip_suffix('/').filter(|_| authority.is_some()));
    let whole = whole.unwrap_or(rest);
    let Some((host, digits)) = whole.rsplit_once(':') else {
        let number = port(whole).filter(|_| scheme.is_empty())?;
        return Some(Address::Number(Form::Bare, Number { port: number, range: start..start + whole.len() }));
    };
    let digits = without_transport_suffix(digits);
    let form = match variable(host.trim_start_matches('[').trim_end_matches(']')) {
        Some(name) => form_of(name)?,
        None => form_of_host(host)?,
    };
    if let Some(name) = variable(digits) {
        return Some(Address::PortOf(form, name));
    }
    let at = start + (item.len() - rest.len()) + host.len() + 1;
    Some(Address::Number(form, Number { port: port(digits)?, range: Range { start: at, end: at + digits.len() } }))
}

/// Removes the protocol after a port, as in `:8000/tcp`.
///
/// Source: traefik v3.5.0 `pkg/config/static/entrypoints.go`, `GetAddress`; its chart writes every entry point so.
fn without_transport_suffix(digits: &str) -> &str {
    let is_protocol = |word: &str| catalog::WORDS.transports.iter().any(|row| row.names.contains(&word));
    digits.split_once('/').filter(|(_, word)| is_protocol(word)).map_or(digits, |(digits, _)| digits)
}

/// Form of an address with this host; `None` for other hosts than the pod itself.
pub(in crate::model) fn form_of_host(host: &str) -> Option<Form> {
    match literal_host_kind(host) {
        Some(HostKind::AnyAddress) => Some(Form::AnyAddress),
        Some(HostKind::Loopback) => Some(Form::Loopback),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(value: &str) -> Vec<(Form, u16, Range<usize>)> {
        addresses(value, |name| (name == "POD_IP").then_some(Form::AnyAddress))
            .map(|(form, number)| (form, number.port, number.range))
            .collect()
    }

    #[test]
    fn a_host_for_all_addresses_is_an_any_address_form() {
        for (value, at) in [
            (":80", 1),
            ("0.0.0.0:80", 8),
            ("[::]:80", 5),
            ("*:80", 2),
            ("+:80", 2),
            ("http://+:80", 9),
            ("http://+:80/", 9),
            ("tcp://*:80", 8),
            ("tcp://0.0.0.0:80", 14),
            ("http://0.0.0.0:80/healthz", 15),
            ("http://:80/a/b?c=d", 8),
            ("$(POD_IP):80", 10),
            ("[$(POD_IP)]:80", 12),
            (":80/tcp", 1),
            ("[::]:80/udp", 5),
        ] {
            assert_eq!(forms(value), [(Form::AnyAddress, 80, at..at + 2)], "{value}");
        }
    }

    #[test]
    fn loopback_has_many_names() {
        for value in ["localhost:80", "LOCALHOST:80", "localhost.:80", "127.0.0.1:80", "127.8.9.1:80", "[::1]:80"] {
            assert_eq!(forms(value).first().map(|(form, ..)| *form), Some(Form::Loopback), "{value}");
        }
    }

    #[test]
    fn lists_are_read_whole_or_not_at_all() {
        assert_eq!(forms(":80, :81").len(), 2);
        assert_eq!(forms("80,81"), [(Form::Bare, 80, 0..2), (Form::Bare, 81, 3..5)]);
        for other in [":80,redis:81", "80,web", "redis:80", "http://redis:80", "0", ":0", "70000", "08", "8080/tcp", ""]
        {
            assert_eq!(forms(other), [], "{other}");
        }
        for other in [
            "$(HOST):80",
            "http://80",
            ":80/x",
            ":80/tcp/x",
            "redis:80/tcp",
            "a b://:80",
            "128.0.0.1:80",
            "xlocalhost:80",
        ] {
            assert_eq!(forms(other), [], "{other}");
        }
    }

    #[test]
    fn words_behind_an_address_are_its_parameters() {
        assert_eq!(forms("0.0.0.0:80 http2 ssl"), [(Form::AnyAddress, 80, 8..10)]);
        assert_eq!(forms(":80 ssl backlog=99, [::]:81 so_tag").len(), 2);
        assert_eq!(forms("*:80 default_server; 127.0.0.1:81;tls").len(), 2);
        assert_eq!(forms(":80 backlog 1024"), [(Form::AnyAddress, 80, 1..3)]);
        assert_eq!(forms(":80 81").len(), 2);
        for other in [
            "80 ssl",
            ":80,ssl",
            ":80\nssl",
            ":80 redis:81",
            ":80 a.example",
            ":80 /x",
            ":80 --ssl",
            ":80 ssl,web",
            "ssl",
        ] {
            assert_eq!(forms(other), [], "{other}");
        }
    }

    #[test]
    fn a_variable_is_the_port_or_the_whole_address() {
        assert_eq!(read(":$(PORT)", |_| None), [Address::PortOf(Form::AnyAddress, "PORT")]);
        assert_eq!(read("[::1]:$(PORT)", |_| None), [Address::PortOf(Form::Loopback, "PORT")]);
        assert_eq!(read("$(PORT)", |_| None), [Address::ValueOf("PORT")]);
        for other in ["svc:$(PORT)", "0.0.0.0$(PORT)", ":$(PORT", ":PORT)", "PORT"] {
            assert_eq!(read(other, |_| None), [], "{other}");
        }
    }
}
