//! Commands of probes and hooks that dial a port.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::read::settings_of;
use super::settings::Settings;
use super::types::Setting;
use super::words::exec_words;
use crate::model::text::{Commands, Name, TextPlace, Word, own_places, transport, whole_numbers};
use lossless_yaml::Path;

/// Port numbers in the command of a probe or hook, with their positions.
#[derive(Debug)]
pub(in crate::model) struct ExecTexts<'c> {
    pub(in crate::model) path: &'c Path,
    pub(in crate::model) command: &'c [String],
    words: Vec<Word>,
    settings: Settings,
    /// Positions of ports in flags and in addresses of the pod itself.
    pub(in crate::model) places: HashMap<u16, Vec<TextPlace>>,
    /// Positions of all other numbers, by the position of the word.
    pub(in crate::model) left: HashMap<u16, BTreeMap<usize, Vec<TextPlace>>>,
    /// Protocols of the command lines.
    commands: OnceCell<Commands>,
}

impl<'c> ExecTexts<'c> {
    pub(in crate::model) fn new(path: &'c Path, command: &'c [String]) -> Self {
        let words = exec_words(path, command);
        let settings = settings_of(&words, &|_, _| None);
        let elements = elements(path, command);
        let own = own_places(&elements).into_iter().map(|(place, port)| (port, place));
        let mut known: HashSet<(Path, usize)> = HashSet::new();
        let mut places: HashMap<u16, Vec<TextPlace>> = HashMap::new();
        for (port, place) in flag_port_places(&settings).into_iter().chain(own) {
            if known.insert((place.path.clone(), place.range.start)) {
                places.entry(port).or_default().push(place);
            }
        }
        let mut left: HashMap<u16, BTreeMap<usize, Vec<TextPlace>>> = HashMap::new();
        for (index, (path, word)) in elements.iter().enumerate() {
            let numbers = whole_numbers(word).filter(|n| !known.contains(&(path.clone(), n.range.start)));
            let mut whole: Option<Arc<str>> = None;
            for number in numbers {
                let text = Arc::clone(whole.get_or_insert_with(|| (*word).into()));
                let place = TextPlace { path: path.clone(), text, range: number.range };
                left.entry(number.port).or_default().entry(index).or_default().push(place);
            }
        }
        let settings = Settings::new(settings, Vec::new());
        Self { path, command, words, settings, places, left, commands: OnceCell::new() }
    }

    /// Flags of the command.
    pub(in crate::model) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// All port numbers in the command.
    pub(in crate::model) fn ports(&self) -> BTreeSet<u16> {
        self.places.keys().chain(self.left.keys()).copied().collect()
    }

    /// Positions of addresses of the pod itself, with their ports.
    pub(in crate::model) fn own_places(&self) -> Vec<(TextPlace, u16)> {
        own_places(&elements(self.path, self.command))
    }

    /// Protocol with which the command dials the port at a position, if a scheme, program or flag shows it.
    pub(in crate::model) fn transport(&self, place: &TextPlace) -> Option<&'static str> {
        let commands = || self.commands.get_or_init(|| Commands::new(&self.words));
        transport::of_text(&place.text, &place.range)
            .or_else(|| commands().protocol_at(place))
            .or_else(|| self.settings.name_of(place).and_then(transport::of_name))
    }
}

/// Words of a command, with their paths.
fn elements<'c>(path: &Path, command: &'c [String]) -> Vec<(Path, &'c str)> {
    command.iter().enumerate().map(|(index, word)| (path.item(index), word.as_str())).collect()
}

/// Positions of ports in flags: `-addr=:8080`, `--port 8080`. A number directly after a letter may be anything:
/// `mysqladmin -p8080` has a password.
fn flag_port_places(settings: &[Setting]) -> Vec<(u16, TextPlace)> {
    let is_port =
        |setting: &&Setting| setting.name == "-p" && !follows_letter(setting) || Name::new(&setting.name).is_listen();
    let ports = settings.iter().filter(|setting| !setting.variable).filter(is_port).flat_map(Setting::ports);
    ports.map(|port| (port.port, port.place)).collect()
}

/// True for a number directly after a letter, as in `-p8080`.
fn follows_letter(setting: &Setting) -> bool {
    let before = setting.place.text.get(..setting.place.range.start);
    !setting.apart && before.is_some_and(|before| before.trim_end_matches(' ').ends_with(|c: char| c.is_alphabetic()))
}
