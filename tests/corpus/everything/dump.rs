//! Writes every listener, change and result of the runs, one per line, to compare two versions.

use std::fmt::Write as _;
use std::path::Path;

use hostnet::rule::Severity;

use crate::everything::table::Measures;

/// Writes the lines for these corpora into a folder.
pub(crate) fn write(folder: &Path, scope: &str, corpora: &[Measures]) {
    std::fs::create_dir_all(folder).unwrap();
    for (kind, lines) in
        [("listeners", listeners(corpora)), ("results", results(corpora)), ("changes", changes(corpora))]
    {
        std::fs::write(folder.join(format!("{scope}-{kind}.tsv")), lines).unwrap();
    }
}

fn line(out: &mut String, cells: &[&str]) {
    let clean = |cell: &&str| cell.replace(['\t', '\n', '\r'], " ");
    let _ = writeln!(out, "{}", cells.iter().map(clean).collect::<Vec<_>>().join("\t"));
}

fn listeners(corpora: &[Measures]) -> String {
    let mut out = String::new();
    let head = [
        "corpus",
        "unit",
        "what",
        "workload",
        "key",
        "container",
        "port",
        "protocol",
        "role",
        "from",
        "settings",
        "evidence",
        "log",
    ];
    line(&mut out, &head);
    for (corpus, unit) in corpora.iter().flat_map(|(name, units)| units.iter().map(move |unit| (name, unit))) {
        for row in &unit.rows {
            let log: Vec<&str> = unit.warnings_of(row).map(|outcome| outcome.message.as_str()).collect();
            let what = match (row.from != row.to, log.is_empty()) {
                (true, _) => "moved",
                (false, false) => "kept",
                (false, true) => "silent",
            };
            let called = if row.is_called() { " (API server)" } else { "" };
            let role = format!("{}{called}", row.role);
            let (from, evidence, log) = (row.from.to_string(), row.places.join("; "), log.join(" | "));
            let cells = [
                corpus,
                unit.name.as_str(),
                what,
                &row.workload,
                &row.key,
                &row.container,
                &row.port,
                &row.protocol,
                &role,
                &from,
                &row.set_by,
                &evidence,
                &log,
            ];
            line(&mut out, &cells);
        }
    }
    out
}

fn results(corpora: &[Measures]) -> String {
    let mut out = String::new();
    line(&mut out, &["corpus", "unit", "severity", "rule", "place", "message"]);
    for (corpus, unit) in corpora.iter().flat_map(|(name, units)| units.iter().map(move |unit| (name, unit))) {
        for severity in [Severity::Error, Severity::Warning, Severity::Info] {
            for outcome in unit.with_severity(severity) {
                let place = outcome.place.as_deref().unwrap_or_default();
                line(&mut out, &[corpus, &unit.name, severity.as_str(), outcome.rule, place, &outcome.message]);
            }
        }
    }
    out
}

fn changes(corpora: &[Measures]) -> String {
    let mut out = String::new();
    line(&mut out, &["corpus", "unit", "rule", "object", "path", "message"]);
    for (corpus, unit) in corpora.iter().flat_map(|(name, units)| units.iter().map(move |unit| (name, unit))) {
        for outcome in unit.results.iter().filter(|outcome| outcome.is_change) {
            let object = outcome.resource.as_ref().map(|object| {
                format!("{} {}/{}", object.kind, object.namespace.as_deref().unwrap_or_default(), object.name)
            });
            let path = outcome.path.as_ref().map(ToString::to_string).unwrap_or_default();
            line(&mut out, &[corpus, &unit.name, outcome.rule, &object.unwrap_or_default(), &path, &outcome.message]);
        }
    }
    out
}
