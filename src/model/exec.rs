//! Commands of probes and hooks that dial a port.

use super::ObjectId;
use super::evidence::{Name, Setting, TextPlace, exec_words, settings_of, whole_numbers};
use super::own_address::own_places;
use super::reference::{Others, Reference};
use super::transport::{self, Commands, Means, Transports};
use crate::yaml::Path;

/// By which protocol a place of a command is dialled, as far as the command says so.
pub(super) fn spoken(path: &Path, command: &[String], place: &TextPlace) -> Option<&'static str> {
    let words = exec_words(path, command);
    transport::of_text(&place.text, &place.range).or_else(|| Commands::of(&words).at(place)).or_else(|| {
        let settings = settings_of(&words, &|_| false);
        settings.iter().find(|setting| setting.covers(place)).and_then(|setting| transport::of_name(&setting.name))
    })
}

/// The places of a command that name a port by TCP.
pub(super) fn exec_references(object: ObjectId, path: &Path, command: &[String], number: u16) -> Vec<Reference> {
    exec_references_of(object, path, command, number, &Transports::tcp())
}

/// The places of a command that name a port: flags and addresses of the pod itself move; a number that is left stops the move.
pub(super) fn exec_references_of(
    object: ObjectId,
    path: &Path,
    command: &[String],
    number: u16,
    transports: &Transports<'_>,
) -> Vec<Reference> {
    let means = |place: &TextPlace| transports.means(|| spoken(path, command, place));
    let mut places = flag_places(path, command, number);
    let words: Vec<(Path, &str)> =
        command.iter().enumerate().map(|(index, word)| (path.item(index), word.as_str())).collect();
    for (place, port) in own_places(&words) {
        if port == number && !places.contains(&place) {
            places.push(place);
        }
    }
    let mut stuck = Vec::new();
    for (path, word) in words {
        let mut rest = word.to_owned();
        for place in places.iter().filter(|place| place.path == path) {
            let range = place.range.clone();
            rest.replace_range(range.clone(), &"_".repeat(range.len()));
        }
        let mut left = whole_numbers(&rest).filter(|found| found.port == number);
        let here = |range| TextPlace { path: path.clone(), text: word.into(), range };
        if left.any(|found| means(&here(found.range)) != Means::Another) {
            let why = format!("`{word}` names the port in a form that is not understood");
            stuck.push(Reference::Stuck { object, path, why });
        }
    }
    let texts = places.into_iter().filter_map(|place| {
        let means = means(&place);
        Reference::text(object, place, Others::default(), means)
    });
    texts.chain(stuck).collect()
}

/// Flags that name the port: `-addr=:8080`, `--port 8080`. A number behind a letter may be anything: `mysqladmin -p8080` has a
/// password.
fn flag_places(path: &Path, command: &[String], number: u16) -> Vec<TextPlace> {
    let settings = settings_of(&exec_words(path, command), &|_| false);
    let is_port =
        |setting: &&Setting| setting.name == "-p" && !is_attached(setting) || Name::of(&setting.name).is_listen();
    let ports = settings.iter().filter(|setting| !setting.variable).filter(is_port).flat_map(Setting::ports);
    ports.filter(|port| port.port == number).map(|port| port.place).collect()
}

fn is_attached(setting: &Setting) -> bool {
    let before = setting.place.text.get(..setting.place.range.start);
    !setting.apart && before.is_some_and(|before| before.ends_with(|c: char| c.is_alphabetic()))
}
