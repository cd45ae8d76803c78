//! Output of `hostnet mirror list`, as text, lines and JSON.

use super::ports::aligned;
use crate::package_mirror::{Listed, Listing};
use krm::escape_line;

/// Column headings.
const HEAD: [&str; 5] = ["Kind", "Source", "Target", "Digest", "Used by"];

/// Cell text for a missing value.
const NOTHING: &str = "-";

/// Aligned columns: kind, source, target, digest, users.
pub fn text(listing: &Listing) -> String {
    let cells = |entry: &Listed| {
        let known = |text: &Option<String>| text.clone().unwrap_or_else(|| NOTHING.to_owned());
        let cells = [
            entry.kind.as_str().to_owned(),
            entry.source.clone(),
            known(&entry.target),
            known(&entry.digest),
            entry.used_by.join(", "),
        ];
        cells.map(|cell| escape_line(&cell).into_owned())
    };
    aligned(&HEAD, listing.entries.iter().map(cells))
}

/// One line per entry: the source, and the target after a space if known.
///
/// # Errors
/// A source or target that contains whitespace or is empty.
pub fn lines(listing: &Listing) -> Result<String, String> {
    let is_one_word = |text: &str| !text.is_empty() && escape_line(text) == text && !text.contains(char::is_whitespace);
    let line = |entry: &Listed| {
        let words = [Some(&entry.source), entry.target.as_ref()];
        match words.into_iter().flatten().find(|word| !is_one_word(word)) {
            None => Ok(words.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ") + "\n"),
            Some(word) => Err(format!(
                "`{}`, of {}, contains blanks, and each line must have exactly two words; correct it, or use `-o json`",
                escape_line(word),
                escape_line(&entry.used_by.join(", "))
            )),
        }
    };
    listing.entries.iter().map(line).collect()
}

/// JSON object with `entries`, `conflicts`, `unknown` and `hints`.
pub fn json(listing: &Listing) -> serde_json::Value {
    let entry = |entry: &Listed| {
        serde_json::json!({
            "kind": entry.kind.as_str(), "source": entry.source, "target": entry.target, "digest": entry.digest,
            "usedBy": entry.used_by,
        })
    };
    let entries: Vec<serde_json::Value> = listing.entries.iter().map(entry).collect();
    let conflicts: Vec<&str> = listing.all_conflicts().map(|conflict| conflict.message.as_str()).collect();
    serde_json::json!({"entries": entries, "conflicts": conflicts, "unknown": listing.unknown, "hints": listing.hints})
}
