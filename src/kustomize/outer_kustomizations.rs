//! Kustomizations outside of the given folders that rename objects of the given files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use krm::functions::KUSTOMIZATIONS;
use krm::kustomization::{Changed, Kustomization, NAMES};
use krm::relative_to_working_dir;

/// Maximum number of repository entries (files and folders) that the walk visits.
const MAX_ENTRIES: usize = 50_000;

/// Finds the kustomizations outside of `given` that rename objects of `files`.
///
/// Searches the git repository of the first file for kustomizations that list one of `files`,
/// directly or through another kustomization. Empty outside of a git repository.
pub fn renaming(files: &[&Path], given: &[PathBuf]) -> Vec<Changed> {
    let files: BTreeSet<PathBuf> = files.iter().filter_map(|file| file.canonicalize().ok()).collect();
    let given: Vec<PathBuf> = given.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let root = files.first().and_then(|file| file.ancestors().find(|folder| folder.join(".git").exists()));
    let Some(root) = root else { return Vec::new() };
    let kustomizations: BTreeMap<PathBuf, Kustomization> = read_repository(root);
    let mut built: BTreeSet<&Path> = BTreeSet::new();
    loop {
        let lists = |one: &Kustomization| one.resources().any(|path| files.contains(path) || built.contains(path));
        let new = kustomizations.iter().filter(|(folder, one)| !built.contains(folder.as_path()) && lists(one));
        let new: Vec<&Path> = new.map(|(folder, _)| folder.as_path()).collect();
        if new.is_empty() {
            break;
        }
        built.extend(new);
    }
    let outside = built.into_iter().filter(|folder| !given.iter().any(|given| folder.starts_with(given)));
    let renames = outside.filter_map(|folder| {
        let Changed { mut fields, .. } = kustomizations.get(folder)?.changed()?;
        fields.retain(|field| NAMES.contains(field));
        (!fields.is_empty()).then(|| Changed {
            folder: relative_to_working_dir(folder),
            fields,
            patches: false,
            namespace: None,
        })
    });
    renames.collect()
}

/// Reads the kustomizations of a repository, keyed by folder.
fn read_repository(root: &Path) -> BTreeMap<PathBuf, Kustomization> {
    let walk = WalkBuilder::new(root).standard_filters(false).hidden(true).build();
    let is_one = |path: &Path| path.file_name().is_some_and(|name| KUSTOMIZATIONS.iter().any(|known| name == *known));
    let files = walk.take(MAX_ENTRIES).flatten().map(ignore::DirEntry::into_path).filter(|path| is_one(path));
    // Skip unreadable kustomizations: they cannot be reported by name.
    let read = files.filter_map(|file| Some((file.parent()?.to_owned(), Kustomization::read(&file).ok()?)));
    read.collect()
}
