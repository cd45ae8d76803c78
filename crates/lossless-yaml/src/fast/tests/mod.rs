//! The fast parser compared with granit: the same tree with the same spans, or no tree.

mod declined;
mod forms;
mod material;
mod mutated;
mod proof;
mod replay;

use super::compare::{Read, compare};

/// Compares both parsers; panics with a shortened text if they differ.
fn check(text: &str) -> Read {
    match compare(text) {
        Ok(read) => read,
        Err(_) => {
            let least = shrunk(text);
            panic!("{}\n{least:?}", compare(&least).unwrap_err());
        }
    }
}

/// Shortens a text on which the parsers differ as long as they still differ.
fn shrunk(text: &str) -> String {
    let mut text = text.to_owned();
    let mut size = text.len().max(1);
    while size > 0 {
        let mut at = 0;
        while at < text.len() {
            let end = (at + size).min(text.len());
            let less = text.get(..at).zip(text.get(end..)).map(|(head, tail)| format!("{head}{tail}"));
            match less.filter(|less| compare(less).is_err()) {
                Some(less) => text = less,
                None => at += size,
            }
        }
        size /= 2;
    }
    text
}
