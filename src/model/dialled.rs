//! Hosts by name in texts, and the numbers that are dialled there: what other workloads say of a pod, and what its peers say.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::evidence::{Name, Stem, TextPlace, hosts_of, numbers, of_literal, variable_of};
use super::text::{Number, is_word, port};
use crate::yaml::{NodeRef, Path};

/// A name of DNS has 253 characters; variables have signs around them.
const LONGEST_HOST: usize = 300;

/// Numbers that one host may have behind it: `zk-0.zk:2888:3888;2181`.
const MOST_PORTS: usize = 4;

/// A number that is dialled at a host, in a text of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialled {
    /// The container, by its position in the template's.
    pub(super) container: usize,
    /// Where the number stands.
    pub(super) place: TextPlace,
    /// The number.
    pub(super) port: u16,
    /// The host, with the variables filled in whose values stand beside it; empty where only a name says whose port it is.
    pub(super) host: Box<str>,
    /// The flag or variable that has the number, where another one has the host.
    pub(super) apart: Option<Box<str>>,
}

/// The numbers of a text with the names of the hosts before them.
pub(super) fn hosts_in(text: &str) -> impl Iterator<Item = (Number, &str)> {
    numbers(text).filter_map(|number| {
        let after = text.get(number.range.end..).and_then(|rest| rest.chars().next());
        let host = host_of(text, number.range.start).filter(|_| !after.is_some_and(is_word))?;
        Some((number, host))
    })
}

/// The whole host before the number at `at`, variables and commands in it included: `$(POD_NAME).web`, `web-{0...3}.web`.
pub(super) fn host_of(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let mut rest = before.strip_suffix(':').or_else(|| {
        let rest = before.strip_suffix(';')?;
        is_behind_port(rest).then_some(rest)
    })?;
    for _ in 1..MOST_PORTS {
        let start = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        match start.strip_suffix(':').filter(|_| start.len() < rest.len()) {
            Some(host) => rest = host,
            None => break,
        }
    }
    let from = (rest.len().saturating_sub(LONGEST_HOST)..=rest.len()).find(|at| rest.is_char_boundary(*at))?;
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
    let host = rest.get(start..)?;
    let is_name = host.contains(|c: char| c.is_ascii_alphabetic()) && of_literal(host).is_none();
    (is_name && host.parse::<IpAddr>().is_err()).then_some(host)
}

/// Whether a text ends in `HOST:N`.
fn is_behind_port(text: &str) -> bool {
    let start = text.trim_end_matches(|c: char| c.is_ascii_digit());
    start.len() < text.len() && start.ends_with(':')
}

/// The labels of a host; a dot inside of `{0...3}` parts none.
pub(super) fn labels(host: &str) -> Vec<&str> {
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

/// A text with variables filled in.
pub(super) fn filled<'v>(text: &str, value: impl Fn(&str) -> Option<&'v str>) -> String {
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
        let value = variable_of(variable).and_then(&value).filter(|value| !value.contains('$'));
        found.push_str(value.unwrap_or(variable));
        rest = after;
    }
    found.push_str(rest);
    found
}

/// A text of a container: the flag or variable that it is the value of, and its path.
struct Text<'n> {
    name: Option<&'n str>,
    value: &'n str,
    /// Where the value starts in the text.
    start: usize,
    whole: &'n str,
    path: &'n dyn Fn() -> Path,
}

/// What a container says of hosts by name, in its command, its arguments and its variables. Of one that is not read `whole` the
/// numbers of flags too, since nothing else remembers them.
pub(super) fn of_container(node: NodeRef<'_, '_>, path: &Path, container: usize, whole: bool) -> Vec<Dialled> {
    let mut found = Vec::new();
    let list = |key: &'static str| node.get(key).into_iter().flat_map(NodeRef::items).enumerate();
    let env =
        || list("env").filter_map(|(index, var)| Some((index, var.get("name")?.text()?, var.get("value")?.text()?)));
    let mut values: Option<HashMap<&str, &str>> = None;
    let mut fill = |host: &str| -> Box<str> {
        if !host.contains('$') {
            return host.into();
        }
        let values = values.get_or_insert_with(|| env().map(|(_, name, value)| (name, value)).collect());
        filled(host, |name| values.get(name).copied()).into()
    };
    let mut ports: Vec<Dialled> = Vec::new();
    let mut hosts: Vec<(&str, &str)> = Vec::new();
    let mut add = |text: &Text<'_>, before: Option<&str>| {
        let mut whole_text: Option<(Path, Arc<str>)> = None;
        let mut place = |range: std::ops::Range<usize>| {
            let (path, text) = whole_text.get_or_insert_with(|| ((text.path)(), text.whole.into()));
            TextPlace { path: path.clone(), text: Arc::clone(text), range }
        };
        for (number, host) in hosts_in(text.whole) {
            let (port, place) = (number.port, place(number.range));
            found.push(Dialled { container, place, port, host: fill(host), apart: None });
        }
        // Less is a count.
        let Some(number) = port(text.value).filter(|number| *number >= 10) else { return };
        let range = text.start..text.start + text.value.len();
        if let Some(host) = before {
            found.push(Dialled { container, place: place(range), port: number, host: host.into(), apart: None });
        } else if let Some(name) = text.name.filter(|name| name.len() > 2) {
            let apart = Some(name.into());
            ports.push(Dialled { container, place: place(range), port: number, host: Box::default(), apart });
        }
    };
    for key in ["command", "args"] {
        let mut before: Option<&str> = None;
        for (index, item) in list(key) {
            let Some(word) = item.text() else { continue };
            let flag = word.starts_with('-').then(|| word.split_once('=')).flatten();
            let (name, value) = match flag {
                Some((name, value)) => (Some(name), value),
                None => (before.filter(|before| before.starts_with('-') && !before.contains('=')), word),
            };
            let host =
                before.filter(|before| !before.is_empty() && before.chars().all(is_word) && !before.starts_with('-'));
            let path = || path.key(key).item(index);
            let start = word.len() - value.len();
            add(&Text { name, value, start, whole: word, path: &path }, host.filter(|host| port(host).is_none()));
            hosts.extend(name.map(|name| (name, value)));
            before = Some(word);
        }
    }
    for (index, name, value) in env() {
        let path = || path.key("env").named_item(index, Some(name)).key("value");
        add(&Text { name: Some(name), value, start: 0, whole: value, path: &path }, None);
        hosts.push((name, value));
    }
    if ports.is_empty() {
        return found;
    }
    let mut by_stem: HashMap<Stem, Vec<&str>> = HashMap::new();
    for (name, value) in hosts {
        if let Some(stem) = Name::of(name).host_stem() {
            by_stem.entry(stem).or_default().push(value);
        }
    }
    for told in ports {
        let name = told.apart.as_deref().unwrap_or_default();
        let stems = Name::of(name).port_stems();
        // `HOST` says nothing of `DB_PORT`.
        let starts = stems.first().into_iter().flat_map(Stem::starts);
        let starts = starts.filter(|stem| !stem.is_empty() || stems.contains(stem));
        let hosts = starts.filter_map(|stem| by_stem.get(&stem)).flatten().flat_map(|value| hosts_of(value));
        let hosts = hosts.filter(|host| of_literal(host).is_none());
        found.extend(hosts.map(|host| Dialled { host: fill(host), ..told.clone() }));
        // A name of one word names nobody, and a port that the container declares is its own.
        let names_somebody = name.starts_with('-') && name.trim_start_matches('-').contains(['-', '.']);
        let declares = || {
            let mut ports = node.get("ports").into_iter().flat_map(NodeRef::items);
            ports.any(|own| own.get("containerPort").and_then(NodeRef::as_int) == Some(told.port.into()))
        };
        if !whole && names_somebody && !declares() {
            found.push(told);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str) -> Vec<(&str, u16)> {
        hosts_in(text).map(|(number, host)| (host, number.port)).collect()
    }

    #[test]
    fn a_host_is_read_whole() {
        assert_eq!(
            hosts("a-0=http://a-0.a.shop.svc:80,a-1=http://u@a-1.a:81/x"),
            [("a-0.a.shop.svc", 80), ("a-1.a", 81)]
        );
        assert_eq!(hosts("http://$(POD_NAME).a.$(NS).svc:80"), [("$(POD_NAME).a.$(NS).svc", 80)]);
        assert_eq!(
            hosts("${HOSTNAME##*.}.a:80 $H.a:81 $(hostname -s).a:82"),
            [("${HOSTNAME##*.}.a", 80), ("$H.a", 81), ("$(hostname -s).a", 82)]
        );
        assert_eq!(hosts("http://m-{0...3}.m:9000/x"), [("m-{0...3}.m", 9000)]);
        assert_eq!(hosts("server.1=z-0.z:2888:3888;2181"), [("z-0.z", 2888), ("z-0.z", 3888), ("z-0.z", 2181)]);
        for none in ["localhost:80", "10.0.0.1:80", ":80", "12:30:45", "a:80x", "{\"port\":80}", "[::1]:80", "a;80"] {
            assert_eq!(hosts(none), [], "{none}");
        }
    }

    #[test]
    fn labels_are_parted_by_dots() {
        assert_eq!(labels("m-{0...3}.m.$(A.B).svc"), ["m-{0...3}", "m", "$(A.B)", "svc"]);
    }

    #[test]
    fn variables_are_filled_in() {
        let value = |name: &str| (name == "SET").then_some("web");
        assert_eq!(filled("$SET-$(ID).${SET}.$(SET)x$SETS", value), "web-$(ID).web.webx$SETS");
    }
}
