//! The kustomization whose build a message recommends.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use krm::files::{Changed, kustomizations_in};
use krm::kustomization::RESOURCES;
use lossless_yaml::{NodeRef, Tree};

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
        let entries = read(&folder, |root| {
            let entries = RESOURCES.iter().filter_map(|key| root.get(key)).flat_map(NodeRef::items);
            entries.filter_map(NodeRef::text).map(|entry| folder.join(entry)).collect::<Vec<_>>()
        });
        let folders = entries.into_iter().flatten().filter_map(|entry| entry.canonicalize().ok());
        let new: Vec<PathBuf> = folders.filter(|entry| entry.is_dir() && known.insert(entry.clone())).collect();
        open.extend(new);
    }
    known.remove(folder);
    known
}

/// True for a kustomization that others include as a part.
fn is_component(folder: &Path) -> bool {
    read(folder, |root| root.get("kind").and_then(NodeRef::text) == Some("Component")) == Some(true)
}

/// Reads the kustomization of a folder; `None` without a readable one.
fn read<T>(folder: &Path, of_root: impl Fn(NodeRef<'_, '_>) -> T) -> Option<T> {
    let text = kustomizations_in(folder).find_map(|file| fs::read_to_string(file).ok())?;
    let tree = Tree::parse(&text).ok()?;
    tree.root(0).map(of_root)
}
