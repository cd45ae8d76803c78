//! Tables that summarize the runs over some corpora.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use hostnet::rule::Severity;

use crate::everything::measure::Measured;

/// A corpus and the results of its units.
pub(crate) type Measures = (&'static str, Vec<Measured>);

/// Formats counts, warnings by rule, and errors.
pub(crate) fn table(corpora: &[Measures]) -> String {
    let mut out = counts(corpora);
    out.push('\n');
    out.push_str(&by_rule(corpora));
    out.push('\n');
    out.push_str(&errors(corpora));
    out
}

fn sum(units: &[&Measured], count: impl Fn(&Measured) -> usize) -> usize {
    units.iter().map(|unit| count(unit)).sum()
}

fn counts(corpora: &[Measures]) -> String {
    let head = [
        "corpus",
        "files",
        "files in failed runs",
        "workloads",
        "moved",
        "listeners moved",
        "kept, with warning",
        "kept, without warning",
        "warnings",
        "warnings per moved workload",
    ];
    let row = |name: &str, units: &[&Measured]| {
        let moved = sum(units, |unit| unit.moved.len());
        let listeners = |is: &dyn Fn(&Measured, &hostnet::host_network::PortRow) -> bool| {
            sum(units, |unit| unit.rows.iter().filter(|row| is(unit, row)).count())
        };
        let warnings = sum(units, |unit| unit.warnings().count());
        let failed = sum(units, |unit| if unit.failed() { unit.files } else { unit.left_out.len() });
        vec![
            name.to_owned(),
            sum(units, |unit| unit.files).to_string(),
            failed.to_string(),
            sum(units, |unit| unit.workloads).to_string(),
            moved.to_string(),
            listeners(&|_, row| row.from != row.to).to_string(),
            listeners(&|unit, row| row.from == row.to && unit.warnings_of(row).next().is_some()).to_string(),
            listeners(&|unit, row| row.from == row.to && unit.warnings_of(row).next().is_none()).to_string(),
            warnings.to_string(),
            ratio(warnings, moved),
        ]
    };
    // The total counts each file once; a file may be in several corpora.
    let once = corpora.iter().filter(|(name, _)| !name.ends_with("in one input") && !name.ends_with("folder"));
    let once: Vec<&Measured> =
        once.filter(|(name, _)| !name.ends_with("together")).flat_map(|(_, units)| units).collect();
    let rows = corpora.iter().map(|(name, units)| row(name, &units.iter().collect::<Vec<_>>()));
    markdown(&head.map(str::to_owned), rows.chain([row("all files, each once", &once)]))
}

/// Formats a ratio with two decimals, without floating point.
fn ratio(warnings: usize, moved: usize) -> String {
    match (warnings * 100 + moved / 2).checked_div(moved) {
        Some(hundredths) => format!("{}.{:02}", hundredths / 100, hundredths % 100),
        None => "-".to_owned(),
    }
}

fn by_rule(corpora: &[Measures]) -> String {
    let rules_of = |units: &[Measured]| -> BTreeMap<&'static str, usize> {
        let mut rules = BTreeMap::new();
        for warning in units.iter().flat_map(Measured::warnings) {
            *rules.entry(warning.rule).or_default() += 1;
        }
        rules
    };
    let counted: Vec<_> = corpora.iter().map(|(name, units)| (name, rules_of(units))).collect();
    let rules: BTreeSet<&str> = counted.iter().flat_map(|(_, rules)| rules.keys().copied()).collect();
    let head: Vec<String> = std::iter::once("warnings").chain(rules.iter().copied()).map(str::to_owned).collect();
    let rows = counted.iter().map(|(name, counts)| {
        let count = |rule: &&str| counts.get(*rule).map_or_else(String::new, ToString::to_string);
        std::iter::once((**name).to_owned()).chain(rules.iter().map(count)).collect()
    });
    markdown(&head, rows)
}

fn markdown(head: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut out = line(head);
    let _ = writeln!(out, "|{}", "---|".repeat(head.len()));
    out.extend(rows.map(|row| line(&row)));
    out
}

/// Lists the units that fail, and the files that were left out.
fn errors(corpora: &[Measures]) -> String {
    let mut out = "Errors:\n".to_owned();
    for (name, units) in corpora {
        for unit in units {
            let rules: BTreeSet<&str> = unit.with_severity(Severity::Error).map(|outcome| outcome.rule).collect();
            if !rules.is_empty() {
                let _ = writeln!(out, "- {name}: {}: {}", unit.name, rules.into_iter().collect::<Vec<_>>().join(", "));
            }
            let mut without: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for (file, rule) in &unit.left_out {
                let file = file.strip_prefix(&unit.name).map_or(file.as_str(), |file| file.trim_start_matches('/'));
                without.entry(rule).or_default().push(file);
            }
            for (rule, files) in without {
                let _ = writeln!(out, "- {name}: {}: {rule}, left out: {}", unit.name, files.join(", "));
            }
        }
    }
    out
}
