//! The texts: the corpus of manifests and the YAML test suite, which lie beside the repository.

use crate::support::not_run;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) text: String,
}

fn shared(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    not_run(&format!("{} is not there", folder.display()));
    None
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { files(&entry, found) } else { found.push(entry) }
    }
}

fn read(root: &Path, path: &Path) -> Option<Input> {
    let name = path.strip_prefix(root).unwrap().display().to_string();
    Some(Input { name, text: String::from_utf8(fs::read(path).unwrap()).ok()? })
}

/// Every YAML and JSON file of the corpus.
pub(crate) fn corpus() -> Vec<Input> {
    let Some(root) = shared("corpus") else { return Vec::new() };
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
    paths.iter().filter(|path| is_yaml(path)).filter_map(|path| read(&root, path)).collect()
}

/// The valid cases of the test suite, the invalid ones apart.
pub(crate) fn suite() -> (Vec<Input>, Vec<Input>) {
    let Some(root) = shared("yaml-test-suite") else { return (Vec::new(), Vec::new()) };
    let mut paths = Vec::new();
    files(&root, &mut paths);
    let cases: Vec<&PathBuf> = paths.iter().filter(|path| path.ends_with("in.yaml")).collect();
    let (invalid, valid): (Vec<_>, Vec<_>) = cases.into_iter().partition(|path| path.with_file_name("error").exists());
    let read = |paths: Vec<&PathBuf>| paths.into_iter().filter_map(|path| read(&root, path)).collect();
    (read(valid), read(invalid))
}
