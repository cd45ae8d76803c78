//! The page of `hostnet check`, and of the results of commands that change objects.

use std::collections::BTreeSet;
use std::fmt;

use askama::Template;

use super::page::{Page, ROWS, visible};
use crate::render::check::{Baseline, Entry, Report};
use crate::render::summary::many;
use crate::rule::{Severity, page_of};

#[derive(Template)]
#[template(path = "findings.html")]
struct FindingsPage {
    page: Page,
    summary: String,
    left_out: usize,
    namespaces: BTreeSet<String>,
    rules: BTreeSet<&'static str>,
    rows: Vec<FindingRow>,
    not_read: Vec<String>,
}

struct FindingRow {
    severity: &'static str,
    rule: &'static str,
    page: String,
    object: String,
    namespace: String,
    message: String,
    field: String,
    place: String,
    state: String,
}

/// The page of a report.
///
/// # Errors
/// No error in practice: writing to a string does not fail, but the template interface returns a `Result`.
pub fn findings(report: &Report) -> Result<String, fmt::Error> {
    let rows: Vec<FindingRow> = report.entries.iter().take(ROWS).map(row).collect();
    let count = |severity, name| many(report.count(severity), name);
    let summary = [
        many(report.objects, "object"),
        count(Severity::Error, "error"),
        count(Severity::Warning, "warning"),
        count(Severity::Info, "information"),
        format!("{} suppressed", report.suppressed()),
    ];
    let page = FindingsPage {
        page: Page::new("Host networking: findings"),
        summary: summary.join(", "),
        left_out: report.entries.len() - rows.len(),
        namespaces: rows.iter().filter(|row| !row.namespace.is_empty()).map(|row| row.namespace.clone()).collect(),
        rules: rows.iter().map(|row| row.rule).collect(),
        rows,
        not_read: report.not_read.iter().chain(&report.rendered).map(|line| visible(line)).collect(),
    };
    page.render().map_err(|_| fmt::Error)
}

/// Table row of a finding.
fn row(entry: &Entry) -> FindingRow {
    let state = match (&entry.suppressed, entry.baseline) {
        (Some(suppressed), _) => format!("suppressed: {}", suppressed.reason),
        (None, Some(Baseline::Unchanged)) => "unchanged".to_owned(),
        (None, Some(Baseline::New)) => "new".to_owned(),
        (None, None) => "open".to_owned(),
    };
    let object = entry.object.as_deref();
    let namespace = object.and_then(|object| object.namespace.as_deref());
    FindingRow {
        severity: entry.severity.as_str(),
        rule: entry.rule.id,
        page: page_of(entry.rule.id),
        object: object.map(|object| visible(&object.to_string())).unwrap_or_default(),
        namespace: namespace.map(visible).unwrap_or_default(),
        message: visible(&entry.message),
        field: entry.path.as_ref().map(|path| visible(&path.to_string())).unwrap_or_default(),
        place: entry.place.as_ref().map(|place| visible(&place.to_string())).unwrap_or_default(),
        state: visible(&state),
    }
}
