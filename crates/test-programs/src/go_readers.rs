//! Texts as Go's readers of YAML read them: the program `readers` of `tests/go`, which uses kyaml and sigs.k8s.io/yaml.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::{find_program, not_run, run, text};

/// The error of kyaml or sigs.k8s.io/yaml for each text that one of them refuses. Returns `None`, and reports it, if
/// the program with these readers is missing.
pub fn refusals(texts: &[&str]) -> Option<Vec<Option<String>>> {
    let error = |seen: &Value| Some(seen["errors"].as_object()?.values().next()?.to_string());
    Some(read(texts)?.iter().map(error).collect())
}

/// The documents that sigs.k8s.io/yaml reads in each text, or its error. Returns `None`, and reports it, if the program
/// with this reader is missing.
pub fn documents_or_errors(texts: &[&str]) -> Option<Vec<Result<Vec<Value>, String>>> {
    let meaning = |seen: &Value| match seen["errors"]["sigs"].as_str() {
        Some(error) => Err(error.to_owned()),
        None => Ok(seen["sigs"].as_array().cloned().unwrap_or_default()),
    };
    Some(read(texts)?.iter().map(meaning).collect())
}

/// The program with Go's readers. Returns `None`, and reports it, if the program is missing.
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

/// The answer of the program for each text.
///
/// # Panics
/// If the program fails.
pub fn read_by(program: &Path, texts: &[&str]) -> Vec<Value> {
    let stream: String = texts.iter().map(|text| format!("{}\n", json!(text))).collect();
    let output = run(&mut Command::new(program), stream.as_bytes());
    assert!(output.status.success(), "readers: {}", text(&output.stderr));
    let seen: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(seen.len(), texts.len());
    seen
}
