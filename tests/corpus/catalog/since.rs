//! The table of proven releases, `catalog/since.tsv`, has the same rows as the catalog.

use std::collections::{BTreeMap, BTreeSet};

use hostnet::catalog::programs;

/// A row: the project, the program, and the flag, variable or field.
type Row = (String, String, String);

/// Returns the rows of the table, each with the first release that has the setting and the release before it.
fn table() -> BTreeMap<Row, (&'static str, &'static str)> {
    let lines = include_str!("../../../catalog/since.tsv").lines().skip(1);
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let &[project, program, setting, first, before, place] = cells.as_slice() else { panic!("{line}") };
        assert!(!place.is_empty(), "{line}");
        ((project.to_owned(), program.to_owned(), setting.to_owned()), (first, before))
    };
    lines.map(row).collect()
}

/// Every `since` of a usable setting is proven, or states that no older release was read.
#[test]
fn every_since_is_proven() {
    let table = table();
    let mut rows = BTreeSet::new();
    let mut wrong = Vec::new();
    for (source, program) in programs() {
        for known in program.listeners.iter().flat_map(|listener| &listener.settings) {
            let row = (source.project.to_owned(), program.name.clone(), known.name().to_owned());
            let since = known.since.as_deref();
            let proven = table.get(&row).map(|&(first, before)| match before {
                "oldest" => Some(format!("<={first}")),
                // The first release of the project: every version has the setting.
                "–" => None,
                _ => Some(first.to_owned()),
            });
            if proven.as_ref().map(Option::as_deref) != Some(since) {
                wrong.push(format!("{row:?}: since {since:?}, and the table proves {proven:?}"));
            }
            rows.insert(row);
        }
    }
    let gone: Vec<&Row> = table.keys().filter(|row| !rows.contains(row)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(gone.is_empty(), "in the table and not in catalog/programs: {gone:?}");
    assert!(rows.len() > 500, "{} rows", rows.len());
}
