//! Fields of a folder's kustomization for a kustomization in another folder, to which Flux's fields are added.

use std::fs;
use std::path::{Path, PathBuf};

use krm::files::kustomizations_in;
use krm::kustomization::{PLAIN_FIELDS, is_local};
use lossless_yaml::{NodeRef, Tree, Value};

/// Fields with entries that contain a patch, or the path of a patch.
const PATCHES: [&str; 2] = ["patches", "patchesJson6902"];

/// Field with texts and paths of patches.
const MERGED: &str = "patchesStrategicMerge";

/// Generators with values in files.
const GENERATORS: [&str; 2] = ["configMapGenerator", SECRETS];

/// Generator of Secrets.
const SECRETS: &str = "secretGenerator";

/// Field with entries, or the path of a file with entries.
const REPLACEMENTS: &str = "replacements";

/// Maximum size in bytes of a value whose file is replaced by its content.
const MAX_BYTES: usize = 64 << 10;

/// Fields that are not copied: the new kustomization writes them itself.
const REPLACED: [&str; 6] = ["apiVersion", "kind", "metadata", "resources", "bases", "components"];

/// Contents of a kustomization.
pub(super) struct OwnFields {
    pub(super) resources: Vec<PathBuf>,
    pub(super) components: Vec<PathBuf>,
    /// All other fields; paths of patches are replaced by the contents of the files.
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
            if let Some(key) = known(&PLAIN_FIELDS) {
                fields.push((key, value.to_value()?));
            } else if let Some(key) = known(&PATCHES) {
                let entries = value.items().map(|entry| with_patch(entry, folder));
                fields.push((key, Value::Seq(entries.collect::<Option<_>>()?)));
            } else if key == MERGED {
                let text = |entry: &str| fs::read_to_string(folder.join(entry)).unwrap_or_else(|_| entry.to_owned());
                let texts = value.items().filter_map(NodeRef::text).map(|entry| Value::Str(text(entry)));
                fields.push((MERGED, Value::Seq(texts.collect())));
            } else if let Some(key) = known(&GENERATORS) {
                // Contents of Secrets stay out of the script.
                let mut entries = value.items();
                if key == SECRETS && entries.any(|entry| entry.get("files").is_some()) {
                    return None;
                }
                let entries = value.items().map(|entry| with_literals(entry, folder));
                fields.push((key, Value::Seq(entries.collect::<Option<_>>()?)));
            } else if key == REPLACEMENTS {
                let entries = value.items().map(|entry| replacements(entry, folder)).collect::<Option<Vec<_>>>()?;
                fields.push((REPLACEMENTS, Value::Seq(entries.concat())));
            } else if known(&REPLACED).is_none() {
                return None;
            }
        }
        (!resources.is_empty()).then_some(Self { resources, components, fields })
    }

    /// Sets a field as Flux does: appends entries to lists, and replaces other values.
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

/// An entry of a generator with the contents of its files as literals; `None` for files that literals cannot express.
///
/// Source: kubernetes-sigs/kustomize@v5.8.1 `api/kv/kv.go` (a literal loses the quotes around its value).
fn with_literals(entry: NodeRef<'_, '_>, folder: &Path) -> Option<Value> {
    if ["envs", "env"].iter().any(|key| entry.get(key).is_some()) {
        return None;
    }
    let literal = |entry: &str| {
        let name = || Some((Path::new(entry).file_name()?.to_str()?, entry));
        let (key, path) = entry.split_once('=').or_else(name)?;
        let content = fs::read_to_string(folder.join(path)).ok()?;
        let is_plain = content.len() <= MAX_BYTES && !content.starts_with(['\'', '"']);
        is_plain.then(|| Value::Str(format!("{key}={content}")))
    };
    let files = entry.get("files").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
    let contents: Vec<Value> = files.map(literal).collect::<Option<_>>()?;
    let Value::Map(mut fields) = entry.to_value()? else { return None };
    fields.retain(|(key, _)| key != "files");
    match fields.iter_mut().find(|(key, _)| key == "literals") {
        Some((_, Value::Seq(literals))) => literals.extend(contents),
        _ if contents.is_empty() => {}
        _ => fields.push(("literals".to_owned(), Value::Seq(contents))),
    }
    Some(Value::Map(fields))
}

/// An entry of `replacements`, or the entries of the file that it names.
fn replacements(entry: NodeRef<'_, '_>, folder: &Path) -> Option<Vec<Value>> {
    let Some(path) = entry.get("path").and_then(NodeRef::text) else { return Some(vec![entry.to_value()?]) };
    let written = fs::read_to_string(folder.join(path)).ok()?;
    match Tree::parse(&written).ok()?.root(0)?.to_value()? {
        Value::Seq(entries) => Some(entries),
        one => Some(vec![one]),
    }
}
