//! An index of a `ConfigMap`'s texts, made when a selected pod first reads it.

use std::collections::HashMap;
use std::sync::Arc;

use super::config_number::{ConfigNumber, DialledLine};
use crate::model::text::{Form, Name, Number, listen_value, numbers};

/// The texts of a `ConfigMap` by key and by what they hold; texts are numbered in the order of the data.
#[derive(Debug, Clone, Default)]
pub(in crate::model) struct MapIndex {
    by_key: HashMap<Box<str>, usize>,
    /// The runs of digits that are a number, and the text of each.
    numbers: HashMap<u16, Vec<(usize, Number)>>,
    /// The texts that hold a number.
    holding: HashMap<u16, Vec<usize>>,
    /// The numbers that a text holds, each once.
    of_text: Vec<Vec<u16>>,
    /// The values that are a number and nothing else.
    listen_values: Vec<Option<(Form, Number)>>,
    /// Texts whose keys are names of hosts.
    hosts: Vec<usize>,
    /// The positions of numbers in lines.
    lines: HashMap<u16, Vec<usize>>,
    /// The positions of hosts by name.
    dialled: HashMap<u16, Vec<usize>>,
}

impl MapIndex {
    pub(in crate::model) fn of(
        texts: &[(Box<str>, Arc<str>)],
        lines: &[ConfigNumber],
        dialled: &[DialledLine],
    ) -> Self {
        let mut found = Self::default();
        for (at, (key, text)) in texts.iter().enumerate() {
            found.by_key.entry(key.clone()).or_insert(at);
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
            found.listen_values.push(listen_value(text.trim()).map(|(form, number)| {
                (form, Number { range: start + number.range.start..start + number.range.end, ..number })
            }));
            if Name::of(key).host_stem().is_some() {
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

    /// The text of a key.
    pub(in crate::model) fn position(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// All numbers that some text holds.
    pub(in crate::model) fn ports(&self) -> impl Iterator<Item = u16> {
        self.holding.keys().copied()
    }

    /// The numbers that one text holds.
    pub(in crate::model) fn ports_of(&self, at: usize) -> impl Iterator<Item = u16> {
        self.of_text.get(at).into_iter().flatten().copied()
    }

    /// The texts that hold a number.
    pub(in crate::model) fn holding(&self, port: u16) -> &[usize] {
        self.holding.get(&port).map_or(&[], Vec::as_slice)
    }

    /// Occurrences of a port number in one text.
    pub(in crate::model) fn numbers(&self, port: u16, at: usize) -> impl Iterator<Item = &Number> {
        let all = self.numbers.get(&port).map_or(&[][..], Vec::as_slice);
        let first = all.partition_point(|(text, _)| *text < at);
        all.iter().skip(first).take_while(move |(text, _)| *text == at).map(|(_, number)| number)
    }

    /// The number of a text that is that and nothing else.
    pub(in crate::model) fn listen_value(&self, at: usize) -> Option<&(Form, Number)> {
        self.listen_values.get(at)?.as_ref()
    }

    /// The texts that are a number and nothing else.
    pub(in crate::model) fn listening(&self) -> impl Iterator<Item = usize> {
        self.listen_values.iter().enumerate().filter(|(_, value)| value.is_some()).map(|(at, _)| at)
    }

    /// The texts whose keys say where somebody is.
    pub(in crate::model) fn hosts(&self) -> &[usize] {
        &self.hosts
    }

    /// The numbers of lines that are this one, by their positions.
    pub(in crate::model) fn lines(&self, port: u16) -> &[usize] {
        self.lines.get(&port).map_or(&[], Vec::as_slice)
    }

    /// The hosts by name that have this number, by their positions.
    pub(in crate::model) fn dialled(&self, port: u16) -> &[usize] {
        self.dialled.get(&port).map_or(&[], Vec::as_slice)
    }
}
