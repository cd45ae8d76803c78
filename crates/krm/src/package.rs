//! Files of a kpt package, as annotations of the objects in a ResourceList.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::error::ReadError;
use super::escape::escape_line;
use super::file_path::{PLACES, annotation, is_kustomization, path};
use super::input::{Form, Input};
use super::kustomization::RESOURCES;
use super::renaming::{Layer, RENAMING, Renaming, renaming};
use lossless_yaml::{NodeRef, Value};

/// Files of a package.
#[derive(Debug, Default)]
pub(super) struct Package {
    /// First free index in each file.
    free: HashMap<String, u64>,
    /// Kustomizations of the package.
    layers: Vec<Layer>,
}

/// One object of a package.
struct Entry {
    path: String,
    index: u64,
    /// The object as a layer, if it is a kustomization.
    layer: Option<Layer>,
}

impl Input {
    /// Returns the kustomization that would rename a new object of a kind, written next to this
    /// object, without updating references to the kind.
    pub fn renaming(&self, object: usize, kind: &str) -> Option<Renaming> {
        if let Some(path) = self.origin.path() {
            return renaming(&self.layers, &path.canonicalize().ok()?, kind);
        }
        Package::read(self).ok()??.renaming(self, object, kind)
    }
}

impl Package {
    /// Reads the files of a package; `None` if the input is not a package.
    pub(super) fn read(input: &Input) -> Result<Option<Self>, ReadError> {
        if input.form() != Form::ResourceList || !input.text.contains("config.kubernetes.io/path") {
            return Ok(None);
        }
        let mut package = Self::default();
        for Entry { path, index, layer } in input.objects(|_, object| entry(object))?.into_iter().flatten() {
            package.layers.extend(layer);
            let free = package.free.entry(path).or_default();
            *free = (*free).max(index.saturating_add(1));
        }
        Ok(Some(package).filter(|package| !package.free.is_empty()))
    }

    /// True if a kustomization of the package lists the file of an object.
    pub(super) fn lists(&self, object: NodeRef<'_, '_>) -> bool {
        path(object).is_some_and(|path| self.layers.iter().any(|layer| layer.lists.contains(Path::new(path))))
    }

    /// Returns the kustomization that renames new objects of a kind in the file of an object, but
    /// not the references to them.
    pub(super) fn renaming(&self, input: &Input, object: usize, kind: &str) -> Option<Renaming> {
        let paths = input.objects(|_, object| path(object).map(str::to_owned)).ok()?;
        renaming(&self.layers, Path::new(paths.get(object)?.as_ref()?), kind)
    }

    /// Returns the annotations that place a new object at the end of another object's file; empty without a file.
    pub(super) fn assign_next_index_in_file_of(&mut self, object: NodeRef<'_, '_>) -> Vec<(String, Value)> {
        let Some(free) = path(object).and_then(|path| self.free.get_mut(path)) else { return Vec::new() };
        let index = free.to_string();
        *free = free.saturating_add(1);
        let given = PLACES.into_iter().filter_map(|(path, index)| Some((path, annotation(object, path)?, index)));
        let both = given
            .flat_map(|(path, file, key)| [(path.to_owned(), file.into()), (key.to_owned(), index.as_str().into())]);
        both.collect()
    }
}

/// Reads the annotations of an object of a kpt package.
fn entry(object: NodeRef<'_, '_>) -> Option<Entry> {
    let path = path(object)?.to_owned();
    let index = PLACES.iter().find_map(|(_, index)| annotation(object, index)?.parse().ok()).unwrap_or(0);
    let layer = is_kustomization(object).then(|| layer(object, &path));
    Some(Entry { path, index, layer })
}

/// Layer of an object in the package.
fn layer(object: NodeRef<'_, '_>, path: &str) -> Layer {
    let fields = RESOURCES.into_iter().filter_map(|field| object.get(field));
    let entries = fields.flat_map(NodeRef::items).filter_map(NodeRef::non_null_text);
    let is_set = |field: &&str| object.get(field).and_then(NodeRef::non_null_text).is_some_and(|text| !text.is_empty());
    let has_rows = object.get("configurations").is_some_and(|files| files.items().next().is_some());
    Layer {
        file: escape_line(path).into_owned(),
        folder: Path::new(path).parent().unwrap_or(Path::new("")).to_owned(),
        lists: entries.filter_map(|file| relative_path(path, file)).collect(),
        field: RENAMING.into_iter().find(is_set),
        // kpt does not send the files of `configurations`, because they are not objects. Their rows are unknown.
        corrected_kinds: (!has_rows).then(BTreeSet::new),
    }
}

/// Returns the path of a file that a kustomization lists; `None` if the file is outside of the package.
fn relative_path(kustomization: &str, file: &str) -> Option<PathBuf> {
    let folder = kustomization.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut steps: Vec<&str> = Vec::new();
    for step in folder.split('/').chain(file.split('/')) {
        match step {
            "" | "." => {}
            ".." => _ = steps.pop()?,
            step => steps.push(step),
        }
    }
    Some(steps.into_iter().collect())
}

/// Adds annotations to a new object.
pub(super) fn annotated(mut object: Value, annotations: Vec<(String, Value)>) -> Value {
    let Value::Map(fields) = &mut object else { return object };
    let metadata = fields.iter_mut().find(|(key, _)| key == "metadata").map(|(_, value)| value);
    if let Some(Value::Map(metadata)) = metadata.filter(|_| !annotations.is_empty()) {
        match metadata.iter_mut().find(|(key, _)| key == "annotations") {
            Some((_, Value::Map(own))) => own.extend(annotations),
            _ => metadata.push(("annotations".to_owned(), Value::Map(annotations))),
        }
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_relative_to_their_kustomization() {
        let cases = [
            ("kustomization.yaml", "a.yaml", Some("a.yaml")),
            ("x/kustomization.yaml", "./a.yaml", Some("x/a.yaml")),
            ("x/y/kustomization.yaml", "../a.yaml", Some("x/a.yaml")),
            ("x/kustomization.yaml", "../../a.yaml", None),
        ];
        for (kustomization, file, want) in cases {
            assert_eq!(relative_path(kustomization, file), want.map(PathBuf::from), "{kustomization} {file}");
        }
    }
}
