//! GitHub output: one workflow command per finding, which GitHub shows next to the changed lines.

use std::fmt::Write as _;

use super::{Report, Root};
use crate::rule::Severity;
use krm::escape_line;

/// Findings that are neither suppressed nor in the baseline. File names are relative to `root`.
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
                let _ = write!(properties, ",file={}", property(&escape_line(&root.relative(file))));
            }
            if let Some((line, column)) = place.position.filter(|_| place.file.is_some()) {
                let _ = write!(properties, ",line={line},col={column}");
            }
        }
        let _ = writeln!(text, "::{command} {properties}::{}", data(&escape_line(&entry.message)));
    }
    text
}

/// Escapes a command's message.
/// Source: actions/toolkit `packages/core/src/command.ts`, `escapeData`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a command's property.
/// Source: actions/toolkit `packages/core/src/command.ts`, `escapeProperty`.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
