//! The page of proven releases, `docs/since.md`, against the catalogue: every row of the one is a row of the other.

use std::collections::{BTreeMap, BTreeSet};

use hostnet::catalog::programs;

/// A row: the project, the program, and the flag, variable or field.
type Row = (String, String, String);

/// What the page has: the first release that has it, and the one before.
fn page() -> BTreeMap<Row, (&'static str, &'static str)> {
    let lines = include_str!("../../../docs/since.md").lines();
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let &[project, program, setting, first, before, place] = cells.as_slice() else { return None };
        let setting = setting.strip_prefix('`')?.strip_suffix('`')?;
        assert!(!place.is_empty(), "{line}");
        Some(((project.to_owned(), program.to_owned(), setting.to_owned()), (first, before)))
    };
    lines.filter_map(row).collect()
}

/// Every `since` that a listener may use is proven, or says that nothing older was read.
#[test]
fn every_since_is_proven() {
    let page = page();
    let mut rows = BTreeSet::new();
    let mut wrong = Vec::new();
    for (source, program) in programs() {
        for known in program.listeners.iter().flat_map(|listener| &listener.settings) {
            let row = (source.project.to_owned(), program.name.clone(), known.name().to_owned());
            let since = known.since.as_deref().unwrap_or_default();
            let proven = page.get(&row).map(|&(first, before)| match before {
                "oldest" => format!("<={first}"),
                _ => first.to_owned(),
            });
            if proven.as_deref() != Some(since) {
                wrong.push(format!("{row:?}: since {since}, and the page proves {proven:?}"));
            }
            rows.insert(row);
        }
    }
    let gone: Vec<&Row> = page.keys().filter(|row| !rows.contains(row)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(gone.is_empty(), "on the page and not in catalog/programs: {gone:?}");
    assert!(rows.len() > 500, "{} rows", rows.len());
}
