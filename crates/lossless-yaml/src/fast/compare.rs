//! The fast reader held against granit: for tests, and for a fuzz target.

use crate::builder::Builder;

/// What the fast reader made of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// The tree that granit makes.
    Same,
    /// None.
    Declined,
}

/// Reads a text by both; an error where the fast reader makes another tree than granit, or one where granit makes none.
pub fn compare(text: &str) -> Result<Read, String> {
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
