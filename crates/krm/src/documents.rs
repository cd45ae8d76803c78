//! Added and removed documents of a stream, with the `---` between documents.

use std::collections::BTreeMap;
use std::ops::Range;

use super::rows::line_break;
use super::slot::Slot;
use super::split::is_marker;
use lossless_yaml::Splice;

const MARK: char = '\u{feff}';

/// Changes of documents by the offset of the document. The flag is true if another document follows before the next
/// `---`, separated only by `...`.
#[derive(Debug, Default)]
pub(super) struct Documents(pub(super) BTreeMap<usize, (Slot, bool)>);

impl Documents {
    /// Inserts a document at a position; `followed` is true if another document follows.
    pub(super) fn insert(&mut self, slot: Slot, followed: bool) {
        self.0.insert(slot.range.start, (slot, followed));
    }

    /// Converts the slots of documents to replacements. Adds and removes `---` where documents are added or removed.
    pub(super) fn splices(self, text: &str) -> Vec<Splice> {
        let mut splices = Vec::new();
        // End of a removed first document without `---`: the next document becomes the first, and its `---` is removed.
        let mut begins: Option<usize> = None;
        for (start, (slot, followed)) in &self.0 {
            let region = text.get(slot.range.clone()).unwrap_or_default();
            let bare = begins.take() == Some(*start) || (*start == 0 && !starts_with_marker(region));
            let range = slot.range.start + mark(region)..slot.range.end;
            if slot.is_empty() {
                // Keep the `---` of the removed document: the next document, separated only by
                // `...`, needs it unless another `...` precedes.
                let above = text.get(..*start).and_then(|above| above.lines().next_back());
                let shared = *followed && !bare && starts_with_marker(region) && above != Some("...");
                let rest = if shared { format!("---{}", line_break(text, region)) } else { String::new() };
                splices.push(Splice { range, text: rest });
                if bare {
                    begins = Some(slot.range.end);
                    if !self.0.contains_key(&slot.range.end) {
                        splices.extend(without_marker(text, slot.range.end));
                    }
                }
                continue;
            }
            if slot.is_removed {
                splices.push(Splice { range, text: in_place(text, slot, *followed, bare) });
                continue;
            }
            if bare && *start > 0 {
                splices.extend(without_marker(text, *start));
            }
            splices.push(Splice { range: slot.range.end..slot.range.end, text: after(text, slot, *followed) });
        }
        splices
    }
}

/// Returns the length of the byte order mark.
fn mark(region: &str) -> usize {
    if region.starts_with(MARK) { MARK.len_utf8() } else { 0 }
}

fn starts_with_marker(region: &str) -> bool {
    is_marker(region.as_bytes(), mark(region))
}

/// Returns the text of new documents after a document that is kept.
fn after(text: &str, slot: &Slot, followed: bool) -> String {
    let region = text.get(slot.range.clone()).unwrap_or_default();
    let (line_break, ended) = (line_break(text, region), region.ends_with('\n'));
    let mut new = String::new();
    for added in &slot.added {
        if !ended {
            new.push_str(line_break);
        }
        new.extend(["---", line_break, added]);
        if ended {
            new.push_str(line_break);
        }
    }
    closed(new, slot, followed, line_break)
}

/// Returns the text of new documents that replace a removed one.
fn in_place(text: &str, slot: &Slot, followed: bool, bare: bool) -> String {
    let region = text.get(slot.range.clone()).unwrap_or_default();
    let line_break = line_break(text, region);
    let marker = starts_with_marker(region) && !bare;
    let mut new = if marker { format!("---{line_break}") } else { String::new() };
    new.push_str(&slot.added.join(&format!("{line_break}---{line_break}")));
    if region.ends_with('\n') {
        new.push_str(line_break);
    }
    closed(new, slot, followed, line_break)
}

/// Ends a new document with `...` if only `...` separates it from the next document.
fn closed(mut new: String, slot: &Slot, followed: bool, line_break: &str) -> String {
    let is_closed = |text: &String| text.lines().any(|line| line.trim_end() == "...");
    if followed && !slot.added.last().is_some_and(is_closed) {
        new.extend(["...", line_break]);
    }
    new
}

/// Removes the `---` at an offset if nothing else is on its line.
fn without_marker(text: &str, at: usize) -> Option<Splice> {
    let line = text.get(at..)?.split_inclusive('\n').next()?;
    (line.trim_ascii_end() == "---").then(|| Splice { range: at..at + line.len(), text: String::new() })
}

/// Returns the content of a document without byte order mark and `---`; content on the line of the `---` is kept.
pub(super) fn body(region: &str) -> &str {
    let region = region.strip_prefix(MARK).unwrap_or(region);
    let Some(rest) = region.strip_prefix("---").filter(|_| is_marker(region.as_bytes(), 0)) else { return region };
    let rest = rest.trim_start_matches([' ', '\t']);
    rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest)
}

/// Returns the range of the document that contains a byte, among documents separated only by `...`.
pub(super) fn document_at(text: &str, at: usize) -> Range<usize> {
    let mut start = 0;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        line_start += line.len();
        let ends =
            line.strip_prefix("...").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']));
        if ends {
            if line_start > at {
                // Comments and blank lines after the last document are part of it.
                let rest = text.get(line_start..).unwrap_or_default();
                let last = rest.lines().all(|line| matches!(line.trim_start().chars().next(), None | Some('#')));
                return start..if last { text.len() } else { line_start };
            }
            start = line_start;
        }
    }
    start..text.len()
}
