//! ConfigMaps: port numbers in their data, for pods that mount them or use them as variables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use super::config_number::{ConfigNumber, DialledLine};
use super::map_index::MapIndex;
use crate::model::id::ObjectId;
use crate::model::setting::PortSetting;
use crate::model::text::{
    Form, HostNameRead, Name, Number, TextPlace, any_addresses, defaults_to, host_name_reads, hosts_in, is_comment,
    listen_value, numbers_by_line, own_ports, whole_numbers,
};
use lossless_yaml::NodeRef;

/// `v1` `ConfigMap` data that the rules need.
#[derive(Debug, Clone, Default)]
pub struct ConfigMap {
    /// Port numbers in the data.
    pub numbers: Vec<ConfigNumber>,
    /// `immutable: true`: the API server refuses every change of its data.
    pub immutable: bool,
    /// Texts that may contain a listen address or a host, and short texts with a number, by key.
    texts: Vec<(Box<str>, Arc<str>)>,
    /// Host names with ports in the texts.
    pub(in crate::model) dialled: Vec<DialledLine>,
    /// Lines of scripts that read the host name of their pod, by key: the first line of each way.
    host_name_reads: Vec<(Box<str>, usize, HostNameRead)>,
    /// All keys, sorted; `envFrom` turns each into a variable.
    keys: Vec<Box<str>>,
    index: OnceLock<Box<MapIndex>>,
    /// Addresses of all interfaces in the texts: position of the text, line, port. Cached, because many containers may
    /// mount the same `ConfigMap`.
    any_addresses: OnceLock<Vec<(usize, usize, u16)>>,
}

/// True if a text may contain a listen address.
fn may_listen(text: &str) -> bool {
    listen_value(text.trim()).is_some() || HINTS.iter().any(|hint| text.contains(hint)) || !own_ports(text).is_empty()
}

/// Returns the host names with ports in the text of a key, without lines that are comments.
fn dialled(key: &str, text: &str) -> Vec<DialledLine> {
    let (mut line, mut from) = (1, 0);
    let mut shared: Option<(Arc<str>, Arc<str>)> = None;
    let hosts = hosts_in(text).filter(|(number, _)| !is_in_comment(text, number)).map(|(number, host)| {
        line += text.get(from..number.range.start).unwrap_or_default().matches('\n').count();
        from = number.range.start;
        let (key, text) = shared.get_or_insert_with(|| (key.into(), text.into()));
        DialledLine { key: Arc::clone(key), text: Arc::clone(text), number, host: host.into(), line }
    });
    hosts.collect()
}

/// True for a script, by its first line or the ending of its name.
fn is_script(key: &str, text: &str) -> bool {
    text.starts_with("#!") || [".sh", ".bash", ".py"].iter().any(|ending| key.ends_with(ending))
}

fn is_in_comment(text: &str, number: &Number) -> bool {
    let before = text.get(..number.range.start).unwrap_or_default();
    before.rsplit('\n').next().is_some_and(is_comment)
}

/// Number in a `ConfigMap` that configures a listening port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigPlace {
    /// `ConfigMap` with the number.
    pub object: ObjectId,
    /// Place of the number in the text of a key.
    pub place: TextPlace,
    /// Port number.
    pub port: u16,
    /// Form of the number in a variable; [`Form::Bare`] in a config file.
    pub form: Form,
    /// Variable with the number as its value, or field of a config file.
    pub name: String,
    /// True for a field of a config file.
    pub in_file: bool,
}

impl ConfigPlace {
    /// Returns the number as a setting of a container that uses the variable.
    pub(in crate::model) fn to_port_setting(&self) -> PortSetting {
        PortSetting {
            name: self.name.clone(),
            form: self.form,
            port: self.port,
            variable: true,
            place: self.place.clone(),
        }
    }
}

/// Lines, counted from 1, with their ports, by the keys of the texts.
pub(in crate::model) type PortLines<'m> = BTreeMap<&'m str, BTreeSet<(usize, u16)>>;

/// Maximum length of a text. Longer ones do not configure a port: bundles of certificates, dashboards, scripts.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Maximum length of an address.
const MAX_ADDRESS_LENGTH: usize = 1024;

/// Parts of words in texts that set a listen address, as in `words.yaml`.
const HINTS: [&str; 8] = ["port", "Port", "addr", "Addr", "bind", "Bind", "listen", "Listen"];

impl ConfigMap {
    /// Reads the data: whole values, and numbers of lines (`port: 8080`, `listen 8080;`, `http://localhost:8080`).
    pub fn read(object: NodeRef<'_, '_>) -> Self {
        let immutable = object.get("immutable").and_then(NodeRef::as_bool) == Some(true);
        let mut found = Self { immutable, ..Self::default() };
        for (key, value) in object.get("data").into_iter().flat_map(NodeRef::entries) {
            let (Some(key), Some(text)) = (key.text(), value.text()) else { continue };
            found.keys.push(key.into());
            if text.len() > MAX_TEXT_BYTES {
                continue;
            }
            let number = |(line, port)| ConfigNumber { key: key.to_owned(), port, line };
            found.numbers.extend(numbers_by_line(text).into_iter().map(number));
            found.dialled.extend(dialled(key, text));
            if is_script(key, text) {
                for (line, read) in host_name_reads(text) {
                    let is_known = |(known, _, way): &(Box<str>, usize, HostNameRead)| **known == *key && *way == read;
                    if !found.host_name_reads.iter().any(is_known) {
                        found.host_name_reads.push((key.into(), line, read));
                    }
                }
            }
            let is_short = text.len() <= MAX_ADDRESS_LENGTH;
            if may_listen(text)
                || (is_short
                    && (Name::new(key).may_hold_host()
                        || text.contains(".svc")
                        || whole_numbers(text).next().is_some()))
            {
                found.texts.push((key.into(), text.into()));
            }
        }
        found.keys.sort_unstable();
        found
    }

    /// Text of a key, if it may contain a listen address, a host or a number.
    pub fn text(&self, key: &str) -> Option<&Arc<str>> {
        self.texts.get(self.index().position(key)?).map(|(_, text)| text)
    }

    /// Texts that may contain a listen address or a host, and short texts with a number, by key.
    pub(in crate::model) fn texts(&self) -> &[(Box<str>, Arc<str>)] {
        &self.texts
    }

    /// All keys of the data.
    pub(in crate::model) fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(AsRef::as_ref)
    }

    /// True if the data has this key.
    pub(in crate::model) fn has_key(&self, key: &str) -> bool {
        self.keys.binary_search_by(|known| known.as_ref().cmp(key)).is_ok()
    }

    /// Lines with a number, by key.
    pub(in crate::model) fn lines_with(&self, port: u16) -> PortLines<'_> {
        let mut found = PortLines::new();
        for number in self.index().lines(port).iter().filter_map(|at| self.numbers.get(*at)) {
            found.entry(number.key.as_str()).or_default().insert((number.line, port));
        }
        found
    }

    /// Lines of scripts that read the host name of their pod, by key. `is_set` is true if the pod sets `HOSTNAME`.
    pub(in crate::model) fn lines_with_host_name(&self, is_set: bool) -> BTreeMap<&str, BTreeSet<usize>> {
        let mut found: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (key, line, _) in self.host_name_reads.iter().filter(|(.., read)| !is_set || *read == HostNameRead::Source)
        {
            found.entry(key).or_default().insert(*line);
        }
        found
    }

    /// Lines with a placeholder whose default is the number, by key.
    pub(in crate::model) fn lines_with_default(&self, port: u16) -> PortLines<'_> {
        let digits = port.to_string();
        let mut found = self.lines_with(port);
        found.retain(|key, lines| {
            let text: Vec<&str> = self.text(key).map(|text| text.lines().collect()).unwrap_or_default();
            lines.retain(|(line, _)| text.get(line.saturating_sub(1)).is_some_and(|line| defaults_to(line, &digits)));
            !lines.is_empty()
        });
        found
    }

    /// Lines with addresses of all interfaces, by key.
    pub(in crate::model) fn any_addresses(&self) -> PortLines<'_> {
        let addresses = self.any_addresses.get_or_init(|| {
            let texts = self.texts.iter().enumerate().filter(|(_, (_, text))| may_listen(text));
            let lines =
                texts.flat_map(|(at, (_, text))| text.lines().enumerate().map(move |(line, text)| (at, line, text)));
            lines.flat_map(|(at, line, text)| any_addresses(text).map(move |port| (at, line + 1, port))).collect()
        });
        let mut found = PortLines::new();
        for (at, line, port) in addresses {
            if let Some((key, _)) = self.texts.get(*at) {
                found.entry(key).or_default().insert((*line, *port));
            }
        }
        found
    }

    /// Index of the texts, by key and by number.
    pub(in crate::model) fn index(&self) -> &MapIndex {
        self.index.get_or_init(|| Box::new(MapIndex::new(&self.texts, &self.numbers, &self.dialled)))
    }
}
