//! Runs every manifest of every corpus with all workloads and packages selected and `ports: auto`. Counts the moved
//! listeners and the messages, and checks that a second run changes nothing.
//!
//! `own.md` and `material.md` contain the tables for the manifests of the repository and of the material. `make
//! generated` writes them: review the diff before committing. For details, `HOSTNET_DUMP=FOLDER` writes all listeners,
//! changes and results as lines.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these are tests; a skipped one is loud"
)]

mod called;
mod checked;
mod dump;
mod judged;
use crate::support::files;
use crate::support::generated::assert_generated;
mod material;
mod measure;
mod table;

use std::path::Path;

use material::Corpus;
pub(crate) use material::{cases, external, own};
pub(crate) use measure::CONFIG_TEXT;

#[test]
fn manifests_of_the_repository() {
    compare("own", material::own());
}

#[test]
fn manifests_of_the_material() {
    let corpora = material::external();
    if !corpora.is_empty() {
        compare("material", corpora);
    }
}

#[test]
fn a_check_finds_nothing_new_in_the_output_of_the_kustomization_tests() {
    let mut new = Vec::new();
    for (case, config) in material::cases() {
        let found = checked::new_findings(&case.files, &config).into_iter();
        new.extend(found.map(|found| format!("{}: {found}", case.name)));
    }
    assert!(new.is_empty(), "{}", new.join("\n"));
}

#[test]
fn a_check_finds_nothing_new_in_the_output_of_the_corpus() {
    let mut new = Vec::new();
    for unit in material::own().into_iter().chain(material::external()).flat_map(|corpus| corpus.units) {
        let found = checked::new_findings(&unit.files, measure::CONFIG_TEXT);
        new.extend(found.into_iter().map(|found| format!("{}: {found}", unit.name)));
    }
    assert!(new.is_empty(), "{} new findings\n{}", new.len(), new.join("\n"));
}

/// Runs all corpora, and compares the table with the file.
fn compare(scope: &str, corpora: Vec<Corpus>) {
    let measure = |corpus: Corpus| (corpus.name, measure::all(&corpus.units));
    let corpora: Vec<table::Measures> = corpora.into_iter().map(measure).collect();
    if let Some(folder) = std::env::var_os("HOSTNET_DUMP") {
        dump::write(Path::new(&folder), scope, &corpora);
    }
    let is = table::table(&corpora);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/corpus/everything/{scope}.md"));
    assert_generated(&path, &is);
    if scope == "material" {
        let without = called::without_a_row(&corpora);
        assert!(
            without.is_empty(),
            "the API server calls these: a row in catalog/programs, or the reason in catalog/not-covered.yaml\n{without:#?}"
        );
    }
    let units = || corpora.iter().flat_map(|(_, units)| units);
    let faults: Vec<&String> = units().flat_map(|unit| &unit.faults).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}
