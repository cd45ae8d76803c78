//! The kustomization whose build a message recommends.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use krm::files::{Changed, kustomizations_in};
use krm::kustomization::Kustomization;

/// Returns the kustomization that no other one lists and that lists the most others; the first one of several. A
/// Component is none: it has no build of its own.
pub(super) fn outermost<'c>(changed: impl IntoIterator<Item = &'c Changed>) -> Option<&'c Changed> {
    let all: Vec<&Changed> = changed.into_iter().collect();
    let [first, _, ..] = all.as_slice() else { return all.first().copied() };
    let resolved = all.iter().filter_map(|one| Some((*one, one.folder.canonicalize().ok()?)));
    let with_listed = |(one, folder): (&'c Changed, PathBuf)| {
        let below = listed(&folder);
        (one, folder, below)
    };
    let found: Vec<(&Changed, PathBuf, BTreeSet<PathBuf>)> = resolved.map(with_listed).collect();
    let is_outermost = |folder: &Path| !is_component(folder) && !found.iter().any(|(.., below)| below.contains(folder));
    let count = |below: &BTreeSet<PathBuf>| found.iter().filter(|(_, other, _)| below.contains(other)).count();
    let candidates = found.iter().filter(|(_, folder, _)| is_outermost(folder));
    let best = candidates
        .map(|(one, _, below)| (*one, count(below)))
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(one, _)| one).or(Some(*first))
}

/// Folders that a kustomization lists, also through others, resolved and without its own.
fn listed(folder: &Path) -> BTreeSet<PathBuf> {
    let (mut known, mut open) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        let kustomization = read(&folder);
        let folders = kustomization.iter().flat_map(Kustomization::resources).filter(|path| path.is_dir());
        let new: Vec<PathBuf> = folders.map(Path::to_owned).filter(|path| known.insert(path.clone())).collect();
        open.extend(new);
    }
    known.remove(folder);
    known
}

/// True for a kustomization that others include as a part.
fn is_component(folder: &Path) -> bool {
    read(folder).is_some_and(|kustomization| kustomization.is_component())
}

/// Reads the kustomization of a folder; `None` without a readable one.
fn read(folder: &Path) -> Option<Kustomization> {
    kustomizations_in(folder).find_map(|file| Kustomization::read_incomplete(&file).ok())
}
