//! For GitHub's runners: a workflow command a finding, which they show beside the lines of a change.

use std::fmt::Write as _;

use super::{Report, Root};
use crate::rule::Severity;
use krm::shown;

/// The findings that are not suppressed. Files are named as seen from `root`.
#[must_use]
pub fn github(report: &Report, root: &Root) -> String {
    let mut text = String::new();
    for entry in report.open() {
        let command = match entry.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut properties = format!("title={}", property(entry.rule.id));
        if let Some(place) = &entry.place {
            if let Some(file) = &place.file {
                let _ = write!(properties, ",file={}", property(&shown(&root.relative(file))));
            }
            if let Some((line, column)) = place.position.filter(|_| place.file.is_some()) {
                let _ = write!(properties, ",line={line},col={column}");
            }
        }
        let _ = writeln!(text, "::{command} {properties}::{}", data(&shown(&entry.message)));
    }
    text
}

/// A text that ends at the line.
/// Source: actions/toolkit `packages/core/src/command.ts`, `escapeData`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text that ends at a comma or colon too.
/// Source: the same, `escapeProperty`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
