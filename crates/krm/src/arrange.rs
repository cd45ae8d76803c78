//! Replacements in the input text that add and remove objects.

use std::collections::BTreeMap;

use super::changes::Changes;
use super::error::RenderError;
use super::input::Input;
use super::places::Places;
use super::slot::without_final_line_break;
use super::values;
use lossless_yaml::{Splice, Tree};

/// Replacements in the input text, and the hashes of the new objects by the existing object that
/// each new object follows.
pub(super) struct CombinedSplices {
    pub splices: Vec<Splice>,
    pub hashes: BTreeMap<usize, Vec<u64>>,
}

impl Input {
    /// Combines the replacements that add and remove objects with the edits of the remaining objects.
    pub(super) fn arrange(&self, changes: &Changes, edits: Vec<Splice>) -> Result<CombinedSplices, RenderError> {
        let Places { values, documents, rows, hashes, .. } = Places::find(self, changes)?;
        let mut splices = rows.splices(&self.text);
        let mut edits = edits;
        if values && self.documents.len() == 1 {
            splices.extend(values::single(&self.text, documents, &mut edits));
        } else if values {
            let all: Vec<_> = self.documents.iter().map(|document| document.range.clone()).collect();
            splices.extend(values::several(&self.text, documents, &all));
        } else {
            splices.extend(documents.splices(&self.text));
        }
        splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        self.keep_missing_last_break(&mut splices, &edits);
        edits.extend(splices);
        // Stable sort: if two insertions have the same offset, the edit of an object comes first.
        edits.sort_by_key(|splice| splice.range.start);
        Ok(CombinedSplices { splices: edits, hashes })
    }

    /// If the input has no final line break, makes the output end without one too, unless this
    /// would change the block scalar at the end.
    fn keep_missing_last_break(&self, splices: &mut [Splice], edits: &[Splice]) {
        let text = self.text.as_str();
        if text.ends_with('\n') {
            return;
        }
        let (mut end, mut first) = (text.len(), None);
        for (number, splice) in splices.iter().enumerate().rev() {
            if splice.range.end != end || splice.range.is_empty() || !splice.text.is_empty() {
                break;
            }
            (end, first) = (splice.range.start, Some(number));
        }
        let Some(first) = first else { return };
        if let Some(above) =
            first.checked_sub(1).and_then(|above| splices.get_mut(above)).filter(|above| above.range.end == end)
        {
            let kept = without_final_line_break(&above.text);
            if Tree::parse(kept).is_ok_and(|tree| !tree.ends_in_block_text()) {
                above.text.truncate(kept.len());
            }
            return;
        }
        let Some(splice) = splices.get_mut(first) else { return };
        let kept = without_final_line_break(text.get(..end).unwrap_or_default()).len();
        let edited = edits.iter().any(|edit| edit.range.end >= kept && edit.range.start <= end);
        if !edited && !self.ends_in_block_text(kept) {
            splice.range.start = kept;
        }
    }

    /// True if the text of a unit up to `end` ends in a block scalar whose value a further line
    /// break would change.
    fn ends_in_block_text(&self, end: usize) -> bool {
        let Ok(layout) = self.layout() else { return true };
        let after = layout.units.partition_point(|unit| unit.range.start < end);
        let Some(unit) = after.checked_sub(1).and_then(|unit| layout.units.get(unit)) else { return false };
        let text = self.text.get(unit.range.start..end).unwrap_or_default();
        Tree::parse(text).is_ok_and(|tree| tree.ends_in_block_text())
    }
}
