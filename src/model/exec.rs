//! Commands of probes and hooks that dial a port.

use super::ObjectId;
use super::own_address::own_places;
use super::reference::Reference;
use super::text::{is_listen_name, listen_value, mentions};
use super::visible::{TextPlace, exec_flags};
use crate::yaml::Path;

/// The places of a command that name a port: flags and addresses of the pod itself move; a number that is left stops the move.
pub(super) fn exec_references(object: ObjectId, path: &Path, command: &[String], number: u16) -> Vec<Reference> {
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
        if mentions(&rest, number) {
            let why = format!("`{word}` names the port in a form that is not understood");
            stuck.push(Reference::Stuck { object, path, why });
        }
    }
    let texts = places.into_iter().map(|place| Reference::Text { object, place, others: Vec::new() });
    texts.chain(stuck).collect()
}

/// Flags that name the port: `-addr=:8080`, `--port 8080`.
fn flag_places(path: &Path, command: &[String], number: u16) -> Vec<TextPlace> {
    let flags = exec_flags(path, command).into_iter();
    flags
        .filter_map(|flag| {
            let (_, value) = listen_value(flag.value.as_deref()?)?;
            let short = flag.name == "-p";
            let start = flag.place.range.start;
            ((short || is_listen_name(&flag.name)) && value.port == number)
                .then(|| TextPlace { range: start + value.range.start..start + value.range.end, ..flag.place })
        })
        .collect()
}
