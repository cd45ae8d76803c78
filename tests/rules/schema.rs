//! The schema files of the repository equal the output of `hostnet schema`.
#![allow(clippy::unwrap_used, reason = "these are tests")]

use std::path::Path;
use std::process::Command;

use crate::support::generated::assert_generated;

fn assert_is_printed(file: &str, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_hostnet")).arg("schema").args(arguments).output().unwrap();
    assert!(output.status.success());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(file);
    assert_generated(&path, &String::from_utf8(output.stdout).unwrap());
}

#[test]
fn the_json_schema_is_kept() {
    assert_is_printed("hostnetwork.json", &[]);
}

#[test]
fn the_function_definition_is_kept() {
    assert_is_printed("krm-function-definition.yaml", &["--function-definition"]);
}

#[test]
fn the_schemas_of_reports_are_kept() {
    for report in ["ports", "check"] {
        assert_is_printed(&format!("report-{report}.json"), &["--report", report]);
    }
}
