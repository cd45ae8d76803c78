//! Text output: one line per finding, and a summary line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Entry, Report};
use crate::render::summary::many;
use crate::rule::Severity;

/// Findings, most severe first; suppressed findings are only counted.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    for entry in report.open() {
        let place = entry.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
        let _ = writeln!(text, "{}: {place}{} [{}]", entry.severity.as_str(), entry.message, entry.rule.id);
    }
    for line in &report.rendered {
        let _ = writeln!(text, "not read: {line}");
    }
    text + &counts(report)
}

/// Summary line: number of objects, and of findings by severity and rule.
pub(super) fn counts(report: &Report) -> String {
    let mut rules: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in report.open() {
        *rules.entry(entry.rule.id).or_default() += 1;
    }
    let objects = match (report.workloads, report.selected) {
        (0, _) => many(report.objects, "object"),
        (workloads, Some(selected)) if selected < workloads => {
            format!("{}, {selected} of {} selected", many(report.objects, "object"), many(workloads, "workload"))
        }
        (workloads, _) => format!("{}, {}", many(report.objects, "object"), many(workloads, "workload")),
    };
    let rules: Vec<String> = rules.into_iter().map(|(id, count)| format!("{id} {count}")).collect();
    let mut rest = match report.suppressed() {
        0 => String::new(),
        suppressed => format!("; {suppressed} suppressed"),
    };
    if let Some(gone) = report.gone {
        let _ = write!(rest, "; of the baseline {} unchanged, {gone} gone", report.unchanged());
    }
    if !report.not_read.is_empty() {
        let _ = write!(rest, "; not read: {}", report.not_read.join(", "));
    }
    let nothing = if report.gone.is_some() { "nothing new" } else { "nothing" };
    if rules.is_empty() {
        return format!("{objects}: {nothing} found{rest}\n");
    }
    format!(
        "{objects}: {}, {}, {} info ({}){rest}\n",
        many(report.count(Severity::Error), "error"),
        many(report.count(Severity::Warning), "warning"),
        report.count(Severity::Info),
        rules.join(", ")
    )
}

/// Short location of a finding: file and line.
pub(super) fn place_of(entry: &Entry) -> Option<String> {
    let place = entry.place.as_ref()?;
    let file = place.file.as_deref().map(|file| file.strip_prefix("./").unwrap_or(file));
    match (file, place.position) {
        (Some(file), Some((line, _))) => Some(format!("{file}:{line}")),
        (Some(file), None) => Some(file.to_owned()),
        (None, Some((line, _))) => Some(format!("line {line}")),
        (None, None) => None,
    }
}
