//! Texts as Go's readers of YAML read them: the program `readers` of `tests/go`, which uses kyaml and sigs.k8s.io/yaml.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{find_program, not_run, run, text};

/// Reasons for which kyaml or sigs.k8s.io/yaml refuses each of some texts; `None` without these readers, which is
/// reported.
#[must_use]
pub fn refusals(texts: &[&str]) -> Option<Vec<Option<String>>> {
    let error = |seen: &Value| Some(seen["errors"].as_object()?.values().next()?.to_string());
    Some(read(texts)?.iter().map(error).collect())
}

/// Documents that sigs.k8s.io/yaml reads in each of some texts, or its error; `None` without this reader, which is
/// reported.
#[must_use]
pub fn meanings(texts: &[&str]) -> Option<Vec<Result<Vec<Value>, String>>> {
    let meaning = |seen: &Value| match seen["errors"]["sigs"].as_str() {
        Some(error) => Err(error.to_owned()),
        None => Ok(seen["sigs"].as_array().cloned().unwrap_or_default()),
    };
    Some(read(texts)?.iter().map(meaning).collect())
}

/// The program with Go's readers; `None` without it, which is reported.
#[must_use]
pub fn readers() -> Option<PathBuf> {
    let program = find_program("readers");
    if program.is_none() {
        not_run("the readers of Go are missing (`make tools` builds them)");
    }
    program
}

fn read(texts: &[&str]) -> Option<Vec<Value>> {
    Some(read_by(&readers()?, texts))
}

/// Answers of the program for each of some texts.
///
/// # Panics
/// If the program fails.
#[must_use]
pub fn read_by(program: &Path, texts: &[&str]) -> Vec<Value> {
    let stream: String = texts.iter().map(|text| format!("{}\n", json!(text))).collect();
    let output = run(&mut Command::new(program), stream.as_bytes());
    assert!(output.status.success(), "readers: {}", text(&output.stderr));
    let seen: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(seen.len(), texts.len());
    seen
}
