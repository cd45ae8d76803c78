//! YAML files of this repository.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder of files, and its name in a table.
pub(super) struct Corpus {
    pub(super) name: &'static str,
    /// Documents of the files, and items of their lists.
    pub(super) documents: Vec<String>,
}

/// Returns the corpora of the repository.
pub(super) fn corpora() -> Vec<Corpus> {
    let corpus = |name: &'static str| {
        let mut documents = Vec::new();
        for file in files(&test_programs::project().join(name)) {
            if let Ok(text) = fs::read_to_string(file) {
                documents.extend(self::documents(&text));
            }
        }
        Corpus { name, documents }
    };
    ["examples", "kustomization-tests", "tests/corpus", "tests/documents", "tests/rules"].map(corpus).into()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut open = vec![folder.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
            if path.is_dir() {
                open.push(path);
            } else if yaml {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the documents of a text, and the items of the documents that are lists.
fn documents(text: &str) -> Vec<String> {
    let mut documents = cut(text, "---");
    documents.retain(|document| document.lines().any(|line| !line.trim().is_empty() && !line.starts_with(['#', '-'])));
    let lists = documents.iter().filter_map(|document| document.split_once("\nitems:\n"));
    let items: Vec<String> = lists.flat_map(|(_, items)| cut(below_key(items), "- ")).collect();
    documents.extend(items);
    documents
}

/// Returns the lines up to the next key of the outermost mapping.
fn below_key(text: &str) -> &str {
    let mut lines = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    let end = lines.find(|(_, line)| !line.starts_with([' ', '-', '#', '\n', '\r'])).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

/// Cuts a text before each line that begins with `start`.
fn cut(text: &str, start: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.starts_with(start) {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(line);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}
