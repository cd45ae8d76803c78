//! Index of the texts of a `ConfigMap`, created when a selected pod first reads it.

use std::collections::HashMap;
use std::sync::Arc;

use super::config_number::{ConfigNumber, DialledLine};
use crate::model::text::{Form, Name, Number, addresses, numbers};
use lossless_yaml::Path;

/// Index of the texts of a `ConfigMap`, by key and by content. Positions of texts follow the order of the data.
#[derive(Debug, Clone, Default)]
pub(in crate::model) struct MapIndex {
    by_key: HashMap<Box<str>, usize>,
    /// Paths of the texts.
    paths: Vec<Path>,
    /// Runs of digits that are a number, each with the position of its text.
    numbers: HashMap<u16, Vec<(usize, Number)>>,
    /// Positions of the texts that contain a number.
    holding: HashMap<u16, Vec<usize>>,
    /// The numbers that a text holds, each once.
    of_text: Vec<Vec<u16>>,
    /// The ports of each text that only consists of ports and listen addresses.
    listen_values: Vec<Vec<(Form, Number)>>,
    /// Positions of texts whose keys are names of hosts.
    hosts: Vec<usize>,
    /// Positions in `ConfigMap::numbers` by number.
    lines: HashMap<u16, Vec<usize>>,
    /// Positions in `ConfigMap::dialled` by number.
    dialled: HashMap<u16, Vec<usize>>,
}

impl MapIndex {
    pub(in crate::model) fn new(
        texts: &[(Box<str>, Arc<str>)],
        lines: &[ConfigNumber],
        dialled: &[DialledLine],
    ) -> Self {
        let mut found = Self::default();
        for (at, (key, text)) in texts.iter().enumerate() {
            found.by_key.entry(key.clone()).or_insert(at);
            found.paths.push(data_path(key));
            let mut ports = Vec::new();
            for number in numbers(text) {
                ports.push(number.port);
                found.numbers.entry(number.port).or_default().push((at, number));
            }
            ports.sort_unstable();
            ports.dedup();
            for port in &ports {
                found.holding.entry(*port).or_default().push(at);
            }
            found.of_text.push(ports);
            let start = text.len() - text.trim_start().len();
            let listen_values = addresses(text.trim(), |_| None).map(|(form, number)| {
                (form, Number { range: start + number.range.start..start + number.range.end, ..number })
            });
            found.listen_values.push(listen_values.collect());
            if Name::new(key).may_hold_host() || text.ends_with(".svc") || text.contains(".svc.") {
                found.hosts.push(at);
            }
        }
        for (position, number) in lines.iter().enumerate() {
            found.lines.entry(number.port).or_default().push(position);
        }
        for (position, dialled) in dialled.iter().enumerate() {
            found.dialled.entry(dialled.number.port).or_default().push(position);
        }
        found
    }

    /// Position of the text of a key.
    pub(in crate::model) fn position(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// Path of a text; shared by all places in the text.
    pub(in crate::model) fn path(&self, at: usize) -> Path {
        self.paths.get(at).cloned().unwrap_or_default()
    }

    /// All numbers in the texts.
    pub(in crate::model) fn ports(&self) -> impl Iterator<Item = u16> {
        self.holding.keys().copied()
    }

    /// Numbers in one text, each once.
    pub(in crate::model) fn ports_of(&self, at: usize) -> impl Iterator<Item = u16> {
        self.of_text.get(at).into_iter().flatten().copied()
    }

    /// Positions of the texts that contain a number.
    pub(in crate::model) fn holding(&self, port: u16) -> &[usize] {
        self.holding.get(&port).map_or(&[], Vec::as_slice)
    }

    /// Occurrences of a port number in one text.
    pub(in crate::model) fn numbers(&self, port: u16, at: usize) -> impl Iterator<Item = &Number> {
        let all = self.numbers.get(&port).map_or(&[][..], Vec::as_slice);
        let first = all.partition_point(|(text, _)| *text < at);
        all.iter().skip(first).take_while(move |(text, _)| *text == at).map(|(_, number)| number)
    }

    /// Ports of a text that only consists of ports and listen addresses, in order; empty for other texts.
    pub(in crate::model) fn listen_values(&self, at: usize) -> &[(Form, Number)] {
        self.listen_values.get(at).map_or(&[], Vec::as_slice)
    }

    /// Positions of the texts that only consist of ports and listen addresses.
    pub(in crate::model) fn listening(&self) -> impl Iterator<Item = usize> {
        self.listen_values.iter().enumerate().filter(|(_, values)| !values.is_empty()).map(|(at, _)| at)
    }

    /// Positions of the texts whose keys are names of hosts.
    pub(in crate::model) fn hosts(&self) -> &[usize] {
        &self.hosts
    }

    /// Positions of this number in `ConfigMap::numbers`.
    pub(in crate::model) fn lines(&self, port: u16) -> &[usize] {
        self.lines.get(&port).map_or(&[], Vec::as_slice)
    }

    /// Positions of this number in `ConfigMap::dialled`.
    pub(in crate::model) fn dialled(&self, port: u16) -> &[usize] {
        self.dialled.get(&port).map_or(&[], Vec::as_slice)
    }
}

/// Path of the text of a key.
pub(in crate::model) fn data_path(key: &str) -> Path {
    Path::root().key("data").key(key.to_owned())
}
