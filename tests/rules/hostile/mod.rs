//! Hostile texts and files: the output to terminals, logs and commands, and the files that are written.

// Helpers of a test may panic like the test itself; clippy.toml excuses only functions marked as tests.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod commands;
mod files;
mod passwords;
mod texts;

use crate::support::run::{Run, hostnet};

/// Runs `hostnet` in a folder with these files.
fn run_over(files: &[(&str, &str)], arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    hostnet(folder.path(), arguments, b"")
}

fn mirror(to: &str) -> String {
    format!(
        "apiVersion: hostnet.dev/v1alpha1\nkind: PackageMirror\nmetadata: {{name: m}}\nspec: {{rules: [{{from: a.io, to: '{to}'}}]}}\n"
    )
}
