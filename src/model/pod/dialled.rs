//! Host names with port numbers in texts: addresses of a pod in other workloads and in its peers.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::text::{Name, Stem, TextPlace, filled, hosts_in, hosts_of, is_word, literal_host_kind, port};
use lossless_yaml::{NodeRef, Path};

/// A host and a port that a text of a container dials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialled {
    /// The position of the container in the template.
    pub(in crate::model) container: usize,
    /// Position of the number.
    pub(in crate::model) place: TextPlace,
    /// Port number.
    pub(in crate::model) port: u16,
    /// Host, with known variables expanded; empty if only the name of the flag identifies the host.
    pub(in crate::model) host: Box<str>,
    /// The flag or variable with the number, if a different flag or variable has the host.
    pub(in crate::model) apart: Option<Box<str>>,
}

/// A text of a container: its flag or variable, and its path.
struct Text<'n> {
    name: Option<&'n str>,
    value: &'n str,
    /// Start of the value in the text.
    start: usize,
    whole: &'n str,
    path: &'n dyn Fn() -> Path,
}

/// Reads the named hosts that a container dials from its command, arguments and variables. If the container is not
/// read in full (`whole`), numbers of flags are included, because no other field has them.
pub(in crate::model) fn of_container(
    node: NodeRef<'_, '_>,
    path: &Path,
    container: usize,
    whole: bool,
) -> Vec<Dialled> {
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
        // Lower numbers are not ports, but counts.
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
        if let Some(stem) = Name::new(name).host_stem() {
            by_stem.entry(stem).or_default().push(value);
        }
    }
    for port in ports {
        let name = port.apart.as_deref().unwrap_or_default();
        let stems = Name::new(name).port_stems();
        // `HOST` does not belong to `DB_PORT`.
        let starts = stems.first().into_iter().flat_map(Stem::starts);
        let starts = starts.filter(|stem| !stem.is_empty() || stems.contains(stem));
        let hosts = starts.filter_map(|stem| by_stem.get(&stem)).flatten().flat_map(|value| hosts_of(value));
        let hosts = hosts.filter(|host| literal_host_kind(host).is_none());
        found.extend(hosts.map(|host| Dialled { host: fill(host), ..port.clone() }));
        // The name of a flag must have several words to contain a host name, and a port that the
        // container declares is not a port that it dials.
        let may_name_a_peer = name.starts_with('-') && name.trim_start_matches('-').contains(['-', '.']);
        let declares = || {
            let mut ports = node.get("ports").into_iter().flat_map(NodeRef::items);
            ports.any(|declared| declared.get("containerPort").and_then(NodeRef::as_go_int) == Some(port.port.into()))
        };
        if !whole && may_name_a_peer && !declares() {
            found.push(port);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text::labels;

    fn hosts(text: &str) -> Vec<(&str, u16)> {
        hosts_in(text).map(|(number, host)| (host, number.port)).collect()
    }

    #[test]
    fn hosts_are_read_completely() {
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
        assert_eq!(hosts("dnssrv+_grpc._tcp.a.shop.svc:80"), [("a.shop.svc", 80)]);
        for none in ["localhost:80", "10.0.0.1:80", ":80", "12:30:45", "a:80x", "{\"port\":80}", "[::1]:80", "a;80"] {
            assert_eq!(hosts(none), [], "{none}");
        }
    }

    #[test]
    fn host_names_are_split_at_dots() {
        assert_eq!(labels("m-{0...3}.m.$(A.B).svc"), ["m-{0...3}", "m", "$(A.B)", "svc"]);
    }

    #[test]
    fn variables_are_filled_in() {
        let value = |name: &str| (name == "SET").then_some("web");
        assert_eq!(filled("$SET-$(ID).${SET}.$(SET)x$SETS", value), "web-$(ID).web.webx$SETS");
    }
}
