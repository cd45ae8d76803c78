//! Tests of the catalog with manifests of the projects, one folder per project.
//!
//! `input.yaml` contains the project's manifests. Every workload gets `ports: auto`; `want.yaml` is the output,
//! `want.txt` the errors and warnings. `make generated` writes both: compare them with the project's manifests before
//! committing.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "these are tests"
)]

mod mutation;
mod packages;
use crate::support::generated::difference;
use crate::support::patched;
mod port_list;
mod project;
mod since;
mod twice;

use std::fmt::Write as _;
use std::path::Path;

use project::projects;

#[test]
fn every_project_of_the_catalog_moves() {
    let mut wrong = String::new();
    for project in projects() {
        let config = project.config(&[]);
        let run = project.run(&config);
        let log: String = run.log.iter().map(|line| format!("{line}\n")).collect();
        let again = project.rerun(&config, &run.output);
        let diff = similar::TextDiff::from_lines(&run.output, &again);
        assert!(again == run.output, "{}: a second run changes something:\n{}", project.name, diff.unified_diff());
        project.compare_patches(&config, &run);
        compare(&project.folder.join("want.yaml"), &run.output, &mut wrong);
        compare(&project.folder.join("want.txt"), &log, &mut wrong);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_project_of_the_catalog_has_manifests() {
    let with: Vec<String> = projects().map(|project| project.name).collect();
    let without: Vec<&str> = hostnet::catalog::programs()
        .map(|(source, _)| source.project)
        .filter(|project| !with.iter().any(|name| name == project))
        .collect();
    assert!(without.is_empty(), "no tests/corpus/catalog/PROJECT/input.yaml: {without:?}");
}

fn compare(path: &Path, text: &str, wrong: &mut String) {
    if let Some(difference) = difference(path, text) {
        let _ = writeln!(wrong, "{difference}");
    }
}
