//! Kustomizations that rename new objects but not the references to them.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Fields that rename objects. kustomize updates references to renamed objects only in the fields that it supports.
pub(super) const RENAMING: [&str; 2] = ["namePrefix", "nameSuffix"];

/// A kustomization among the sources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Layer {
    /// File of the kustomization, for messages.
    pub(super) file: String,
    pub(super) folder: PathBuf,
    /// Files and folders of its resources and components.
    pub(super) lists: HashSet<PathBuf>,
    /// Field of [`RENAMING`] that the kustomization sets.
    pub(super) field: Option<&'static str>,
    /// Kinds with `nameReference` rows in the `configurations` of the kustomization; `None` if these
    /// files cannot be read.
    pub(super) corrected_kinds: Option<BTreeSet<String>>,
}

/// A layer that renames objects without updating all references to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renaming {
    /// File of the kustomization, for messages.
    pub file: String,
    /// Field that renames the objects.
    pub field: &'static str,
}

/// Finds the layer above a file that renames objects of a kind; `None` if a layer of the same build
/// has `nameReference` rows for the kind.
pub(super) fn renaming(layers: &[Layer], file: &Path, kind: &str) -> Option<Renaming> {
    let above = closed(layers, |layer, found| {
        layer.lists.contains(file) || found.iter().any(|inner| layer.lists.contains(&inner.folder))
    });
    let renaming = above.iter().find_map(|layer| Some((layer, layer.field?)))?;
    let build = closed(layers, |layer, found| {
        above.contains(&layer) || found.iter().any(|outer| outer.lists.contains(&layer.folder))
    });
    let is_corrected =
        build.iter().any(|layer| layer.corrected_kinds.as_ref().is_none_or(|kinds| kinds.contains(kind)));
    let (layer, field) = renaming;
    (!is_corrected).then(|| Renaming { file: layer.file.clone(), field })
}

/// Returns the closure of layers: repeatedly adds the layers that `joins` accepts, given those added so far.
fn closed<'l>(layers: &'l [Layer], joins: impl Fn(&Layer, &[&'l Layer]) -> bool) -> Vec<&'l Layer> {
    let mut found: Vec<&Layer> = Vec::new();
    loop {
        let next = layers.iter().find(|layer| !found.contains(layer) && joins(layer, &found));
        let Some(next) = next else { return found };
        found.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(folder: &str, lists: &[&str], field: Option<&'static str>, corrected_kinds: &[&str]) -> Layer {
        Layer {
            file: format!("{folder}/kustomization.yaml"),
            folder: folder.into(),
            lists: lists.iter().map(PathBuf::from).collect(),
            field,
            corrected_kinds: Some(corrected_kinds.iter().map(|&kind| kind.to_owned()).collect()),
        }
    }

    #[test]
    fn overlays_rename_unless_the_build_lists_the_kind() {
        let base = layer("base", &["base/a.yaml"], None, &[]);
        let top = layer("top", &["base", "names"], Some("namePrefix"), &[]);
        let field = |layers: &[Layer]| renaming(layers, Path::new("base/a.yaml"), "Thing").map(|found| found.field);
        assert_eq!(field(&[top.clone(), base.clone()]), Some("namePrefix"));
        assert_eq!(field(&[top.clone(), base.clone(), layer("names", &[], None, &["Thing"])]), None);
        assert_eq!(field(&[top.clone(), base.clone(), layer("names", &[], None, &["Other"])]), Some("namePrefix"));
        assert_eq!(field(&[top.clone(), base.clone(), layer("elsewhere", &[], None, &["Thing"])]), Some("namePrefix"));
        assert_eq!(field(&[layer("top", &["other"], Some("namePrefix"), &[]), base.clone()]), None);
        assert_eq!(field(&[Layer { corrected_kinds: None, ..top }, base]), None);
    }
}
