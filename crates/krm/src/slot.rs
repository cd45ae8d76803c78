//! Changes at the position of one object: whether the object is removed, and the new objects after
//! it.

use std::ops::Range;

/// Changes at the position of one object.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// Range of the object in the input, with the text that belongs to the object.
    pub range: Range<usize>,
    /// True if the object is removed.
    pub is_removed: bool,
    /// New objects after the object, each without a final line break.
    pub added: Vec<String>,
}

/// Returns a text without its final line break.
pub(super) fn without_final_line_break(text: &str) -> &str {
    text.strip_suffix('\n').map_or(text, |kept| kept.strip_suffix('\r').unwrap_or(kept))
}

impl Slot {
    /// True if the position becomes empty.
    pub(super) fn is_empty(&self) -> bool {
        self.is_removed && self.added.is_empty()
    }
}
