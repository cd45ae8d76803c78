//! Fields of a folder's kustomization for a kustomization in another folder, to which Flux's fields are added.

use std::fs;
use std::path::{Path, PathBuf};

use krm::files::kustomizations_in;
use krm::kustomization::is_local;
use lossless_yaml::{NodeRef, Tree, Value};

/// Fields whose values contain no paths.
const PLAIN: [&str; 12] = [
    "buildMetadata",
    "commonAnnotations",
    "commonLabels",
    "generatorOptions",
    "images",
    "labels",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "replicas",
    "sortOptions",
    "vars",
];

/// Fields with entries that contain a patch, or the path of one.
const PATCHES: [&str; 2] = ["patches", "patchesJson6902"];

/// Field with texts and paths of patches.
const MERGED: &str = "patchesStrategicMerge";

/// Lists whose entries may name files, which are read only in the folder itself.
const LISTS: [&str; 3] = ["configMapGenerator", "replacements", "secretGenerator"];

/// Keys of such entries that name files.
const FILES: [&str; 4] = ["files", "envs", "env", "path"];

/// Fields that others replace: the kustomization has them in other places.
const REPLACED: [&str; 6] = ["apiVersion", "kind", "metadata", "resources", "bases", "components"];

/// Contents of a kustomization.
pub(super) struct OwnFields {
    pub(super) resources: Vec<PathBuf>,
    pub(super) components: Vec<PathBuf>,
    /// All other fields, with the contents of patches in place of their paths.
    pub(super) fields: Vec<(&'static str, Value)>,
}

impl OwnFields {
    /// Reads the kustomization of a folder; `None` without resources, and if a part of it can be read only in the folder.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let written = kustomizations_in(folder).find_map(|file| fs::read_to_string(file).ok())?;
        let tree = Tree::parse(&written).ok()?;
        let root = tree.root(0)?;
        let paths = |keys: &[&str]| -> Option<Vec<PathBuf>> {
            let entries = keys.iter().filter_map(|key| root.get(key)).flat_map(NodeRef::items);
            entries.map(|entry| Some(folder.join(entry.text().filter(|entry| is_local(entry))?))).collect()
        };
        let (resources, components) = (paths(&["resources", "bases"])?, paths(&["components"])?);
        let mut fields = Vec::new();
        for (key, value) in root.entries().filter_map(|(key, value)| Some((key.text()?, value))) {
            let known = |keys: &[&'static str]| keys.iter().copied().find(|known| *known == key);
            if let Some(key) = known(&PLAIN) {
                fields.push((key, value.to_value()?));
            } else if let Some(key) = known(&PATCHES) {
                let entries = value.items().map(|entry| with_patch(entry, folder));
                fields.push((key, Value::Seq(entries.collect::<Option<_>>()?)));
            } else if key == MERGED {
                let text = |entry: &str| fs::read_to_string(folder.join(entry)).unwrap_or_else(|_| entry.to_owned());
                let texts = value.items().filter_map(NodeRef::text).map(|entry| Value::Str(text(entry)));
                fields.push((MERGED, Value::Seq(texts.collect())));
            } else if let Some(key) = known(&LISTS) {
                let mut entries = value.items();
                let has_file = entries.any(|entry| FILES.iter().any(|key| entry.get(key).is_some()));
                fields.push((key, value.to_value().filter(|_| !has_file)?));
            } else if known(&REPLACED).is_none() {
                return None;
            }
        }
        (!resources.is_empty()).then_some(Self { resources, components, fields })
    }

    /// Sets a field as Flux does: entries of lists follow, and other values replace.
    pub(super) fn set(&mut self, field: &'static str, value: Value) {
        match (self.fields.iter_mut().find(|(known, _)| *known == field), value) {
            (Some((_, Value::Seq(items))), Value::Seq(more)) => items.extend(more),
            (Some((_, known)), value) => *known = value,
            (None, value) => self.fields.push((field, value)),
        }
    }
}

/// An entry of `patches` with the content of its file.
fn with_patch(entry: NodeRef<'_, '_>, folder: &Path) -> Option<Value> {
    let Value::Map(mut fields) = entry.to_value()? else { return None };
    if let Some((key, value)) = fields.iter_mut().find(|(key, _)| key == "path") {
        let Value::Str(path) = &*value else { return None };
        *value = Value::Str(fs::read_to_string(folder.join(path)).ok()?);
        "patch".clone_into(key);
    }
    Some(Value::Map(fields))
}
