//! Helpers for tests that start real programs: they find a program, run it with bytes on its stdin, and print a note if
//! it is missing.

#![allow(dead_code, reason = "each of the three crates of tests needs some of it")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "these are tests; a skipped one is loud")]

pub(crate) mod cases;
pub(crate) mod crossplane;
pub(crate) mod deployments;
pub(crate) mod dice;
pub(crate) mod edited;
pub(crate) mod example;
pub(crate) mod files;
pub(crate) mod generated;
pub(crate) mod in_process;
pub(crate) mod json_schema;
pub(crate) mod layout;
pub(crate) mod manifests;
pub(crate) mod material;
pub(crate) mod material_folders;
pub(crate) mod pair;
pub(crate) mod patched;
pub(crate) mod readers;
pub(crate) mod registry;
pub(crate) mod reports;
pub(crate) mod results;
pub(crate) mod run;
pub(crate) mod specs;
pub(crate) mod validation;
#[path = "../../crates/krm/tests/streams/support.rs"]
pub(crate) mod wire;

use std::path::{Path, PathBuf};

#[allow(unused_imports, reason = "each of the three crates of tests needs some of it")]
pub(crate) use test_programs::{find_program, judged, missing, not_run, run, runs_slow_tests, text};

/// Root of the repository.
pub(crate) fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all files below a folder, sorted by path.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}
