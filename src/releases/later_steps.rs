//! Steps of a kustomization that run after its patches or its components, and may undo their changes or add other
//! values.
//!
//! Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/target/kusttarget_configplugin.go` (order of the built-in
//! transformers) and `kusttarget.go` (`transformers` last).

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::names::text;
use super::patch::{Patch, select, unescaped};
use crate::model::Meta;
use crate::plan::Matcher;
use krm::files::kustomizations_in;
use lossless_yaml::{NodeRef, Tree};

/// Transformers of kustomize that never change the fields of a patch for ports.
const HARMLESS: [&str; 5] =
    ["AnnotationsTransformer", "HashTransformer", "ImageTagTransformer", "LabelTransformer", "ReplicaCountTransformer"];

/// A step that runs after the patches.
#[derive(Debug)]
pub struct LaterStep {
    /// Field of the kustomization.
    pub field: &'static str,
    change: Change,
}

#[derive(Debug)]
enum Change {
    Patch(Arc<Patch>),
    /// A replacement: objects, and a path of keys in which `None` matches any element.
    Field(Box<Matcher>, Vec<Option<String>>),
    /// Any object.
    Unknown,
}

impl LaterStep {
    /// True if the step gives its object the name of one of these identities.
    pub fn renames_to(&self, identities: &[Meta]) -> bool {
        let Change::Patch(patch) = &self.change else { return false };
        patch.new_name().is_some_and(|name| identities.iter().any(|meta| meta.name == name))
    }

    /// True if the step may change a field that one of these JSON pointers selects, in an object
    /// with one of these identities. With `any_namespace`, the namespace of the object before the
    /// step is unknown.
    pub fn may_change(&self, identities: &[Meta], pointers: &[&str], any_namespace: bool) -> bool {
        let is_at = |path: &[Option<String>]| {
            let overlaps = |pointer: &&str| {
                let pairs = pointer.split('/').skip(1).zip(path);
                pairs.into_iter().all(|(step, key)| key.as_ref().is_none_or(|key| *key == unescaped(step)))
            };
            pointers.iter().any(overlaps)
        };
        match &self.change {
            Change::Patch(patch) => {
                let is_target =
                    if any_namespace { patch.matches_anywhere(identities) } else { patch.matches(identities) };
                is_target && patch.paths().iter().any(|path| is_at(path))
            }
            Change::Field(target, path) => identities.iter().any(|meta| target.matches(meta)) && is_at(path),
            Change::Unknown => true,
        }
    }
}

/// Patches in the kustomization of a folder. They run after its components.
///
/// Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/target/kusttarget.go` (`accumulateTarget`).
pub fn steps_after_components(folder: &Path) -> Vec<LaterStep> {
    let read = |root: NodeRef<'_, '_>| {
        let items = |key: &str| root.get(key).into_iter().flat_map(NodeRef::items);
        let strategic = items("patchesStrategicMerge").filter_map(NodeRef::text);
        let strategic = strategic.flat_map(|entry| Patch::strategic(entry, folder, ""));
        let patches = items("patches").flat_map(|entry| Patch::entry(entry, Some(folder), ""));
        let strategic = strategic.map(|patch| ("patchesStrategicMerge", patch));
        let all = strategic.chain(patches.map(|patch| ("patches", patch)));
        all.map(|(field, patch)| LaterStep { field, change: Change::Patch(patch) }).collect()
    };
    with_kustomization(folder, read)
}

/// Reads the kustomization of a folder; empty without a readable one.
fn with_kustomization<T>(folder: &Path, read: impl Fn(NodeRef<'_, '_>) -> Vec<T>) -> Vec<T> {
    let written = kustomizations_in(folder).find_map(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    let tree = Tree::parse(&written).ok();
    tree.as_ref().and_then(|tree| tree.root(0)).map(read).unwrap_or_default()
}

/// Steps after the patches in the kustomization of a folder.
pub fn later_steps(folder: &Path) -> Vec<LaterStep> {
    with_kustomization(folder, |root| after_patches(root, folder))
}

/// Steps of a kustomization that run after its patches.
fn after_patches(root: NodeRef<'_, '_>, folder: &Path) -> Vec<LaterStep> {
    let items = |key: &str| root.get(key).into_iter().flat_map(NodeRef::items);
    let mut found = Vec::new();
    for entry in items("patchesJson6902") {
        let patches = Patch::entry(entry, Some(folder), "").into_iter().map(Change::Patch);
        found.extend(patches.map(|change| LaterStep { field: "patchesJson6902", change }));
    }
    let mut add = |field, changes: Vec<Change>| {
        found.extend(changes.into_iter().map(|change| LaterStep { field, change }));
    };
    for entry in items("replacements") {
        add(
            "replacements",
            match text(entry, "path") {
                Some(path) => in_file(&fs::read_to_string(folder.join(path)).unwrap_or_default(), replacements),
                None => fields(entry),
            },
        );
    }
    for entry in items("transformers").filter_map(NodeRef::text) {
        let written = fs::read_to_string(folder.join(entry)).unwrap_or_else(|_| entry.to_owned());
        add("transformers", in_file(&written, |root| transformer(root, folder)));
    }
    found
}

/// Changes of the documents of a text; an unknown change for a text without objects, such as the path of a folder.
fn in_file(written: &str, read: impl Fn(NodeRef<'_, '_>) -> Vec<Change>) -> Vec<Change> {
    let tree = Tree::parse(written).ok();
    let roots: Vec<NodeRef<'_, '_>> = tree.iter().flat_map(Tree::roots).filter(|root| root.text().is_none()).collect();
    if roots.is_empty() { vec![Change::Unknown] } else { roots.into_iter().flat_map(read).collect() }
}

/// Replacements of a file: one, or a list.
fn replacements(root: NodeRef<'_, '_>) -> Vec<Change> {
    if root.is_mapping() { fields(root) } else { root.items().flat_map(fields).collect() }
}

/// Fields into which a replacement writes.
fn fields(replacement: NodeRef<'_, '_>) -> Vec<Change> {
    let targets = replacement.get("targets").into_iter().flat_map(NodeRef::items);
    let of_target = |target: NodeRef<'_, '_>| {
        let paths: Vec<&str> =
            target.get("fieldPaths").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text).collect();
        let paths = if paths.is_empty() { vec!["metadata.name"] } else { paths };
        let field = |path: &str| {
            let select = target.get("select").map(select).unwrap_or_default();
            Matcher::compile(&select).map_or(Change::Unknown, |target| Change::Field(Box::new(target), keys(path)))
        };
        paths.into_iter().map(field).collect::<Vec<_>>()
    };
    targets.flat_map(of_target).collect()
}

/// Keys of a field path; `None` for elements that are selected by their content, and for `*` and `-`.
fn keys(path: &str) -> Vec<Option<String>> {
    let (mut keys, mut key, mut is_escaped, mut in_brackets) = (Vec::new(), String::new(), false, false);
    for c in path.chars() {
        match c {
            _ if is_escaped => {
                key.push(c);
                is_escaped = false;
            }
            '\\' => is_escaped = true,
            '.' if !in_brackets => keys.push(std::mem::take(&mut key)),
            c => {
                in_brackets = c == '[' || in_brackets && c != ']';
                key.push(c);
            }
        }
    }
    keys.push(key);
    let is_any = |key: &String| key == "*" || key == "-" || key.starts_with('[');
    keys.into_iter().map(|key| if is_any(&key) { None } else { Some(key) }).collect()
}

/// Changes of a transformer.
fn transformer(root: NodeRef<'_, '_>, folder: &Path) -> Vec<Change> {
    match text(root, "kind") {
        Some(kind) if text(root, "apiVersion") == Some("builtin") && HARMLESS.contains(&kind) => Vec::new(),
        Some("PatchTransformer" | "PatchJson6902Transformer") => {
            Patch::entry(root, Some(folder), "").into_iter().map(Change::Patch).collect()
        }
        _ => vec![Change::Unknown],
    }
}

#[cfg(test)]
mod tests {
    use super::keys;

    #[test]
    fn list_selectors_and_wildcards_match_any_element() {
        let shown = |path: &str| keys(path).into_iter().map(|key| key.unwrap_or("?".to_owned())).collect::<Vec<_>>();
        assert_eq!(shown("spec.[name=a.b].env.*.value"), ["spec", "?", "env", "?", "value"]);
        assert_eq!(shown(r"metadata.annotations.a\.b/c"), ["metadata", "annotations", "a.b/c"]);
    }
}
