//! Commands of probes and hooks that dial a port.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::ObjectId;
use super::evidence::{Name, Setting, TextPlace, exec_words, settings_of, whole_numbers};
use super::own_address::own_places;
use super::reference::Reference;
use crate::yaml::Path;

/// The numbers of a command.
#[derive(Debug)]
pub(super) struct ExecTexts<'c> {
    path: &'c Path,
    command: &'c [String],
    /// Flags that name a port, and addresses of the pod itself.
    places: HashMap<u16, Vec<TextPlace>>,
    /// The words that hold a number elsewhere.
    left: HashMap<u16, BTreeSet<usize>>,
}

impl<'c> ExecTexts<'c> {
    pub(super) fn of(path: &'c Path, command: &'c [String]) -> Self {
        let words: Vec<(Path, &str)> =
            command.iter().enumerate().map(|(index, word)| (path.item(index), word.as_str())).collect();
        let own = own_places(&words).into_iter().map(|(place, port)| (port, place));
        let mut known: HashSet<(Path, usize)> = HashSet::new();
        let mut places: HashMap<u16, Vec<TextPlace>> = HashMap::new();
        for (port, place) in flag_places(path, command).into_iter().chain(own) {
            if known.insert((place.path.clone(), place.range.start)) {
                places.entry(port).or_default().push(place);
            }
        }
        let mut left: HashMap<u16, BTreeSet<usize>> = HashMap::new();
        for (index, (path, word)) in words.iter().enumerate() {
            for number in whole_numbers(word).filter(|n| !known.contains(&(path.clone(), n.range.start))) {
                left.entry(number.port).or_default().insert(index);
            }
        }
        Self { path, command, places, left }
    }

    /// The numbers that it holds.
    pub(super) fn ports(&self) -> BTreeSet<u16> {
        self.places.keys().chain(self.left.keys()).copied().collect()
    }

    /// The places that name a port: flags and addresses of the pod itself move; a number that is left stops the move.
    pub(super) fn references(&self, object: ObjectId, number: u16) -> impl Iterator<Item = Reference> {
        let places = self.places.get(&number).into_iter().flatten().cloned();
        let texts = places.map(move |place| Reference::Text { object, place, others: Vec::new() });
        let stuck = self.left.get(&number).into_iter().flatten().map(move |&index| {
            let word = self.command.get(index).map(String::as_str).unwrap_or_default();
            let why = format!("`{word}` names the port in a form that is not understood");
            Reference::Stuck { object, path: self.path.item(index), why }
        });
        texts.chain(stuck)
    }
}

/// The same of a command in which one number alone is looked for.
pub(super) fn exec_references(object: ObjectId, path: &Path, command: &[String], number: u16) -> Vec<Reference> {
    ExecTexts::of(path, command).references(object, number).collect()
}

/// Flags that name a port: `-addr=:8080`, `--port 8080`. A number behind a letter may be anything: `mysqladmin -p8080` has a
/// password.
fn flag_places(path: &Path, command: &[String]) -> Vec<(u16, TextPlace)> {
    let settings = settings_of(&exec_words(path, command), &|_| false);
    let is_port =
        |setting: &&Setting| setting.name == "-p" && !is_attached(setting) || Name::of(&setting.name).is_listen();
    let ports = settings.iter().filter(|setting| !setting.variable).filter(is_port).flat_map(Setting::ports);
    ports.map(|port| (port.port, port.place)).collect()
}

fn is_attached(setting: &Setting) -> bool {
    let before = setting.place.text.get(..setting.place.range.start);
    !setting.apart && before.is_some_and(|before| before.trim_end_matches(' ').ends_with(|c: char| c.is_alphabetic()))
}
