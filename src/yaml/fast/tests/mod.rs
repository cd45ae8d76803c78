//! The fast reader against granit: the same tree with the same spans, or none.

mod declined;
mod forms;
mod material;
mod mutated;
mod proof;

use crate::yaml::builder::Builder;

/// What the fast reader made of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    /// The tree that granit makes.
    Same,
    Declined,
}

/// Reads a text by both; an error where the fast reader makes another tree than granit, or one where granit makes none.
fn compare(text: &str) -> Result<Read, String> {
    let Some(fast) = super::read(text) else { return Ok(Read::Declined) };
    let granit = Builder::new(text).run().map_err(|stop| format!("granit refuses it: {}", stop.error))?;
    if granit.json {
        return Err("it is JSON".to_owned());
    }
    if let Some((one, other)) = fast.nodes.iter().zip(&granit.nodes).find(|(one, other)| one != other) {
        return Err(format!("fast reader {one:?}, granit {other:?}"));
    }
    let counts = (fast.nodes.len(), &fast.roots, &fast.aliases);
    let granit = (granit.nodes.len(), &granit.roots, &granit.aliases);
    if counts == granit { Ok(Read::Same) } else { Err(format!("fast reader {counts:?}, granit {granit:?}")) }
}

/// Stops the test with the shortest text at hand that is read differently.
fn check(text: &str) -> Read {
    match compare(text) {
        Ok(read) => read,
        Err(_) => {
            let least = shrunk(text);
            panic!("{}\n{least:?}", compare(&least).unwrap_err());
        }
    }
}

/// A text that is read differently, without all that can go while it still is.
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
