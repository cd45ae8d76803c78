//! Commands of probes and hooks that dial a port.

use std::ops::Range;

use super::ObjectId;
use super::reference::Reference;
use super::text::{is_listen_name, listen_value, loopback_ports, mentions};
use super::visible::{TextPlace, exec_flags};
use crate::yaml::Path;

/// The places of a command that name a port: flags and loopback addresses move; a number that is left stops the move.
pub(super) fn exec_references(object: ObjectId, path: &Path, command: &[String], number: u16) -> Vec<Reference> {
    let mut places = flag_places(path, command, number);
    let mut stuck = Vec::new();
    for (index, word) in command.iter().enumerate() {
        let path = path.item(index);
        let mut known: Vec<Range<usize>> =
            places.iter().filter(|place| place.path == path).map(|place| place.range.clone()).collect();
        for place in loopback_ports(word).into_iter().filter(|place| place.port == number) {
            if !known.contains(&place.range) {
                known.push(place.range.clone());
                places.push(TextPlace { path: path.clone(), text: word.clone(), range: place.range });
            }
        }
        let mut rest = word.clone();
        for range in known {
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
