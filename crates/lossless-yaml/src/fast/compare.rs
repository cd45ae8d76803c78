//! Comparison of the fast parser with granit, for tests and a fuzz target.

use crate::builder::Builder;

/// Result of the fast parser for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// A tree equal to granit's.
    Same,
    /// No tree: granit has to parse the text.
    Declined,
}

/// Parses a text with both; an error if the fast parser returns a different tree, or a tree for a text that granit
/// rejects.
pub fn compare(text: &str) -> Result<Read, String> {
    let Some(fast) = super::read(text) else { return Ok(Read::Declined) };
    let granit = Builder::new(text).run().map_err(|error| format!("granit refuses it: {error}"))?;
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
