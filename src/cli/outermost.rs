//! The kustomization whose build a message recommends.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use crate::plan;
use krm::files::{self, Changed, is_kustomization, kustomizations_in};
use krm::kustomization::Kustomization;
use krm::{Origin, shell_path, shown_path};

/// Maximum number of folders to build that an error names.
const MAX_SHOWN_FOLDERS: usize = 8;

/// Returns the kustomization that no other kustomization lists and that lists the most others; the first if there are
/// several. Components are skipped, because they have no build of their own.
pub(super) fn outermost<'c>(changed: impl IntoIterator<Item = &'c Changed>) -> Option<&'c Changed> {
    let all: Vec<&Changed> = changed.into_iter().collect();
    let folder = outermost_folder(all.iter().map(|one| one.folder.as_path()))?;
    all.into_iter().find(|one| one.folder == folder)
}

/// The folder of [`outermost`].
fn outermost_folder<'c>(folders: impl Iterator<Item = &'c Path>) -> Option<&'c Path> {
    let all: Vec<&Path> = folders.collect();
    let [first, _, ..] = all.as_slice() else { return all.first().copied() };
    let resolved = all.iter().filter_map(|one| Some((*one, one.canonicalize().ok()?)));
    let with_listed = |(one, folder): (&'c Path, PathBuf)| {
        let below = listed(&folder);
        (one, folder, below)
    };
    let found: Vec<(&Path, PathBuf, BTreeSet<PathBuf>)> = resolved.map(with_listed).collect();
    let is_outermost = |folder: &Path| !is_component(folder) && !found.iter().any(|(.., below)| below.contains(folder));
    let count = |below: &BTreeSet<PathBuf>| found.iter().filter(|(_, other, _)| below.contains(other)).count();
    let candidates = found.iter().filter(|(_, folder, _)| is_outermost(folder));
    let best = candidates
        .map(|(one, _, below)| (*one, count(below)))
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(one, _)| one).or(Some(*first))
}

/// True if the labels that a kustomization adds may apply to an object in a file: the kustomization lists the file,
/// directly or through other kustomizations, or it is a Component, whose labels apply to all objects of the
/// kustomizations that list it. True without a file.
pub(super) fn may_set_labels_of(folder: &Path, file: Option<&Path>) -> bool {
    let (Ok(folder), Some(file)) = (folder.canonicalize(), file) else { return true };
    let Ok(file) = file.canonicalize() else { return true };
    let lists = |folder: &Path| entries(folder).contains(&file);
    is_component(&folder) || lists(&folder) || listed(&folder).iter().any(|folder| lists(folder))
}

/// True if the kustomization of a folder includes a file, or the folder of a build, directly or through other
/// kustomizations. False for its own build, and for standard input.
pub(super) fn is_part_of_build(folder: &Path, origin: &Origin) -> bool {
    match (origin.build_folder(), origin.path()) {
        (Some(built), _) => match (folder.canonicalize(), built.canonicalize()) {
            (Ok(folder), Ok(built)) => listed(&folder).contains(&built),
            _ => false,
        },
        (None, Some(file)) => may_set_labels_of(folder, Some(file)),
        (None, None) => false,
    }
}

/// Folder to build for the objects of a kustomization: for a Component, the outermost kustomization that lists it.
pub(super) fn folder_to_build<'c>(folder: &'c Path, all: impl Iterator<Item = &'c Path>) -> &'c Path {
    if !is_component(folder) {
        return folder;
    }
    let Ok(inner) = folder.canonicalize() else { return folder };
    let lists = |outer: &&Path| outer.canonicalize().is_ok_and(|outer| listed(&outer).contains(&inner));
    outermost_folder(all.filter(lists)).unwrap_or(folder)
}

/// Folder whose build has a file with the changes of a kustomization: the kustomization itself, or for a Component the
/// outermost one of these that lists both. `None` if no build has both.
pub(super) fn build_with<'c>(folder: &'c Path, file: &Path, all: impl Iterator<Item = &'c Path>) -> Option<&'c Path> {
    let (inner, file) = (folder.canonicalize().ok()?, file.canonicalize().ok()?);
    let builds_file = |outer: &Path| {
        let below = listed(outer);
        let has = |folder: &Path| entries(folder).contains(&file);
        (has(outer) || below.iter().any(|folder| has(folder))).then_some(below)
    };
    if !is_component(folder) {
        return builds_file(&inner).map(|_| folder);
    }
    let has_both = |outer: &&Path| {
        let outer = outer.canonicalize().ok().filter(|outer| !is_component(outer));
        outer.and_then(|outer| builds_file(&outer)).is_some_and(|below| below.contains(&inner))
    };
    outermost_folder(all.filter(has_both))
}

/// The outermost kustomization of the build of `target` that sets a namespace after the kustomization in `folder`, with
/// that namespace; `None` if no kustomization around the folder sets one.
///
/// Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/target/kusttarget.go`: resources, then components, then the
/// fields and transformers of a kustomization.
pub(super) fn later_namespace(target: &Path, folder: &Path) -> Option<(PathBuf, String)> {
    let (target, folder) = (target.canonicalize().ok()?, folder.canonicalize().ok()?);
    let set_by = |outer: &Path| Some((outer.to_owned(), read_kustomization(outer)?.namespace()?.to_owned()));
    let (mut open, mut known) = (VecDeque::from([target]), BTreeSet::new());
    while let Some(outer) = open.pop_front() {
        if outer == folder || !known.insert(outer.clone()) || !listed(&outer).contains(&folder) {
            continue;
        }
        let entries = entries(&outer);
        let components = || entries.iter().rev().filter(|entry| **entry != folder && is_component(entry));
        if let Some(found) = set_by(&outer).or_else(|| components().find_map(|component| set_by(component))) {
            return Some(found);
        }
        open.extend(entries.into_iter().filter(|entry| entry.is_dir()));
    }
    None
}

/// The error for `--build` without a folder that it can build.
pub(super) fn nothing_to_build(paths: &[PathBuf], command: &str) -> String {
    let rule = "--build builds kustomizations and charts, and no PATH is the folder of one";
    let below = buildable_below(paths);
    let Some(first) = below.first() else { return format!("{rule}: give such a folder, or leave --build out") };
    let names = plan::listed(below.iter().map(|folder| shown_path(folder)), MAX_SHOWN_FOLDERS);
    format!(
        "{rule}. Below are folders that it builds: {names}. Give one: `hostnet {command} --build {}`",
        shell_path(first)
    )
}

/// The folders below these that `--build` can build and that are no part of another build, in order: of kustomizations
/// that no other kustomization lists, and of charts.
fn buildable_below(paths: &[PathBuf]) -> Vec<PathBuf> {
    let files = files::manifests(paths).unwrap_or_default();
    let folders = files.iter().filter(|file| is_kustomization(file)).filter_map(|file| file.parent());
    let resolved = folders.filter_map(|folder| Some((folder.to_owned(), folder.canonicalize().ok()?)));
    let found: Vec<(PathBuf, PathBuf)> = resolved.filter(|(_, folder)| !is_component(folder)).collect();
    let parts: BTreeSet<PathBuf> = found.iter().flat_map(|(_, folder)| entries(folder)).collect();
    let outermost = found.into_iter().filter(|(_, folder)| !parts.contains(folder)).map(|(folder, _)| folder);
    let mut all: Vec<PathBuf> = outermost.chain(files::charts(paths).unwrap_or_default()).collect();
    all.sort();
    all
}

/// Resolved folders that a kustomization lists, directly or through other kustomizations, without its own folder.
fn listed(folder: &Path) -> BTreeSet<PathBuf> {
    let (mut known, mut open) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        let found = entries(&folder).into_iter();
        let new: Vec<PathBuf> = found.filter(|entry| entry.is_dir() && known.insert(entry.clone())).collect();
        open.extend(new);
    }
    known.remove(folder);
    known
}

/// Files and folders that a kustomization lists itself, resolved.
fn entries(folder: &Path) -> Vec<PathBuf> {
    read_kustomization(folder).iter().flat_map(Kustomization::resources).map(Path::to_owned).collect()
}

/// True for a kustomization that others include as a part.
fn is_component(folder: &Path) -> bool {
    read_kustomization(folder).is_some_and(|kustomization| kustomization.is_component())
}

/// Reads the kustomization of a folder; `None` if it is missing or unreadable.
pub(super) fn read_kustomization(folder: &Path) -> Option<Kustomization> {
    kustomizations_in(folder).find_map(|file| Kustomization::read_incomplete(&file).ok())
}
