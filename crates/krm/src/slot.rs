//! What stands in one place of the output.

use std::ops::Range;

/// What becomes of the place where an object is.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// The object's bytes in the input, with all that belongs to it.
    pub range: Range<usize>,
    /// Whether it goes.
    pub gone: bool,
    /// What is written behind it, each without a break of its last line.
    pub added: Vec<String>,
}

/// A text without the break of its last line.
pub(super) fn without_break(text: &str) -> &str {
    text.strip_suffix('\n').map_or(text, |kept| kept.strip_suffix('\r').unwrap_or(kept))
}

impl Slot {
    /// Whether nothing is left of the place.
    pub(super) fn is_empty(&self) -> bool {
        self.gone && self.added.is_empty()
    }
}
