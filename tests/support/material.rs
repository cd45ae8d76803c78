//! Manifests of public repositories, which `make material` fetches and `tests/material` lists. All other tests read
//! only files of the checkout.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use super::material_folders::material_folders;
use super::{files_below, missing, project};

/// The value of `HOSTNET_REQUIRE` that makes missing material an error.
const KIND: &str = "material";

/// Returns a folder of the material, such as `corpus/charts`. Returns `None`, and reports it, if the folder is missing.
///
/// # Panics
/// If the folder is missing and `HOSTNET_REQUIRE` contains `material`.
pub(crate) fn material(path: &str) -> Option<PathBuf> {
    let found = material_folders().into_iter().map(|folder| folder.join(path)).find(|folder| folder.is_dir());
    if found.is_none() {
        missing(KIND, &format!("{path} of the material is missing (`make material` fetches it)"));
    }
    found
}

/// The listed files, by path in the material, each with `REPOSITORY@COMMIT`.
pub(crate) static LISTED: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let read = |name: &str| std::fs::read_to_string(project().join("tests/material").join(name)).unwrap();
    let mut listed = BTreeMap::new();
    let (mut folder, mut source) = (String::new(), String::new());
    let files = read("files.txt");
    for line in files.lines().filter(|line| !line.starts_with('#')) {
        match line.split(' ').collect::<Vec<_>>().as_slice() {
            ["=", repository, commit, into, ..] => {
                (folder, source) = ((*into).to_owned(), format!("{repository}@{commit}"));
            }
            [_hash, path @ ..] => _ = listed.insert(format!("{folder}/{}", path.join(" ")), source.clone()),
            [] => {}
        }
    }
    for line in read("charts.txt").lines().filter(|line| !line.starts_with('#')) {
        let [name, repository, commit, ..] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        for render in ["default.yaml", "hostnetwork.yaml"] {
            listed.insert(format!("corpus/charts/{name}/{render}"), format!("{repository}@{commit}"));
        }
    }
    listed
});

/// A file with its content.
pub(crate) struct Text {
    /// The path relative to its folder.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the listed files below a folder of the material, by path in that folder. Empty, with a report, if the
/// material is missing.
pub(crate) fn material_texts(folder: &str) -> Vec<Text> {
    let Some(root) = material(folder) else { return Vec::new() };
    let names = LISTED.keys().filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/'));
    let files =
        names.filter_map(|name| Some(Text { name: name.to_owned(), bytes: std::fs::read(root.join(name)).ok()? }));
    files.collect()
}

/// Returns the repository's own samples of unusual YAML and JSON (`tests/documents`), by path.
pub(crate) fn own_texts() -> Vec<Text> {
    let root = project().join("tests/documents");
    let files =
        files_below(&root).into_iter().filter(|path| path.extension().is_some_and(|extension| extension != "md"));
    let text = |path: PathBuf| Text {
        name: path.strip_prefix(&root).unwrap().display().to_string(),
        bytes: std::fs::read(&path).unwrap(),
    };
    files.map(text).collect()
}
