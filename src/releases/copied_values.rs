//! Values that the replacements of kustomizations copy.
//!
//! Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/target/kusttarget_configplugin.go` (replacements follow the
//! other fields of their kustomization; replacements of a component see the objects before the fields of the
//! kustomization that lists the component).

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::kustomization::{Content, KustomizationFile};
use super::patch::Patch;
use super::replacements::{Field, Replacement};
use crate::model::Meta;
use lossless_yaml::{NodeRef, Tree};

/// Maximum number of files in which the object of a value is searched.
const MAX_FILES: usize = 1_000;

/// Patches with the effect of the replacements of a kustomization: of `folder` itself, or of a component for the
/// objects of the kustomization in `folder`.
pub(super) fn patches(
    replacements: &[Arc<Replacement>],
    kustomizations: &HashMap<PathBuf, Arc<KustomizationFile>>,
    folder: &Path,
    component: Option<&Path>,
) -> Vec<Arc<Patch>> {
    if replacements.is_empty() {
        return Vec::new();
    }
    let scope = Scope::new(kustomizations, folder, component);
    replacements.iter().filter_map(|replacement| replacement.patch(|field| scope.value(field))).collect()
}

/// The files whose objects a replacement sees, and the kustomizations that have changed them.
struct Scope<'k> {
    files: Vec<ReachedFile>,
    kustomizations: Vec<&'k KustomizationFile>,
    /// False if there are too many files.
    is_complete: bool,
}

/// A file below a kustomization.
struct ReachedFile {
    file: PathBuf,
    /// Content, read for the first value; empty for an unreadable file.
    text: OnceCell<String>,
    /// Namespace that kustomizations set.
    namespace: Option<String>,
    is_renamed: bool,
}

impl<'k> Scope<'k> {
    fn new(all: &'k HashMap<PathBuf, Arc<KustomizationFile>>, folder: &Path, component: Option<&Path>) -> Self {
        let mut scope = Self { files: Vec::new(), kustomizations: Vec::new(), is_complete: true };
        let changed = |at: &Path| {
            let own = all.get(at)?;
            let mut components = own.components.iter().rev().filter_map(|entry| at.join(entry).canonicalize().ok());
            let of_component = components.find_map(|component| all.get(&component)?.namespace.clone());
            Some((own.namespace.clone().or(of_component), own.prefix.is_some() || own.suffix.is_some()))
        };
        let (namespace, is_renamed) = changed(component.unwrap_or(folder)).unwrap_or_default();
        // Flux's components are not listed in the folder.
        let own = component.map(|component| (component.to_owned(), namespace.clone(), is_renamed));
        let mut open: Vec<_> = own.into_iter().chain([(folder.to_owned(), namespace, is_renamed)]).collect();
        let mut known = BTreeSet::new();
        while let Some((at, namespace, is_renamed)) = open.pop() {
            let Some(kustomization) = all.get(&at).filter(|_| known.insert(at.clone())) else { continue };
            // The fields of a kustomization follow its components.
            if component.is_none() || at != folder {
                scope.kustomizations.push(kustomization);
            }
            let entries = kustomization.resources.iter().chain(&kustomization.components);
            for path in entries.filter_map(|entry| at.join(entry).canonicalize().ok()) {
                if path.is_dir() {
                    let (own, is_own) = changed(&path).unwrap_or_default();
                    open.push((path, namespace.clone().or(own), is_renamed || is_own));
                } else if scope.files.len() < MAX_FILES {
                    let (text, namespace) = (OnceCell::new(), namespace.clone());
                    scope.files.push(ReachedFile { file: path, text, namespace, is_renamed });
                } else {
                    scope.is_complete = false;
                }
            }
        }
        scope
    }

    /// Value of a field; `None` unless exactly one object has it and nothing else changes it.
    fn value(&self, field: &Field) -> Option<String> {
        let kind = field.object.kind.as_deref().unwrap_or_default();
        let mut found = self.generated(field);
        for reached in &self.files {
            let text = reached.text.get_or_init(|| fs::read_to_string(&reached.file).unwrap_or_default());
            let tree = if text.contains(kind) { Tree::parse(text).ok() } else { None };
            let roots = tree.as_ref().into_iter().flat_map(Tree::roots);
            found.extend(roots.flat_map(|root| self.value_in(root, reached, field)));
        }
        let mut found = found.into_iter();
        let value = found.next().filter(|_| self.is_complete && found.next().is_none())??;
        match &field.part {
            Some((delimiter, index)) => value.split(delimiter.as_str()).nth(*index).map(str::to_owned),
            None => Some(value),
        }
    }

    /// Values of ConfigMaps that the kustomizations generate.
    fn generated(&self, field: &Field) -> Vec<Option<String>> {
        let is_kind = field.object.kind.as_deref().is_none_or(|kind| kind == "ConfigMap");
        let all = self.kustomizations.iter().flat_map(|kustomization| &kustomization.config_maps);
        let named = all.filter(|one| field.object.name.as_ref().is_none_or(|name| *name == one.name));
        let value = |data: &[(String, Content)]| match field.path.as_slice() {
            [data_key, key] if data_key == "data" => data.iter().find_map(|(known, content)| match content {
                Content::Text(text) if known == key => Some(text.clone()),
                _ => None,
            }),
            _ => None,
        };
        named.filter(|_| is_kind).map(|one| value(&one.data)).collect()
    }

    /// Value of the field in an object: `None` if the value is unknown; empty if the field is of another object.
    fn value_in(&self, object: NodeRef<'_, '_>, reached: &ReachedFile, field: &Field) -> Vec<Option<String>> {
        let own = Meta::read(object);
        let is_namespace = own.gvk.kind == "Namespace" && own.gvk.group.is_empty();
        // kustomize also sets the name of a Namespace.
        let name = reached.namespace.clone().filter(|_| is_namespace).unwrap_or_else(|| own.name.clone());
        let namespace = reached.namespace.clone().or_else(|| own.namespace.clone()).filter(|_| !is_namespace);
        let is = |wanted: &Option<String>, known: &[Option<&str>]| {
            wanted.as_deref().is_none_or(|wanted| known.contains(&Some(wanted)))
        };
        let object_of = &field.object;
        let is_selected = is(&object_of.group, &[Some(&own.gvk.group)])
            && is(&object_of.version, &[Some(&own.gvk.version)])
            && is(&object_of.kind, &[Some(&own.gvk.kind)])
            && is(&object_of.name, &[Some(&own.name), Some(&name)])
            && is(&object_of.namespace, &[own.namespace.as_deref(), namespace.as_deref()]);
        if !is_selected {
            return Vec::new();
        }
        let keys: Vec<&str> = field.path.iter().map(String::as_str).collect();
        let value = match keys.as_slice() {
            ["metadata", "name"] => Some(name.clone()).filter(|_| is_namespace || !reached.is_renamed),
            ["metadata", "namespace"] => namespace.clone(),
            _ => keys.iter().try_fold(object, |node, key| node.get(key)).and_then(NodeRef::text).map(str::to_owned),
        };
        let identities = [own.clone(), Meta { name, namespace, ..own }];
        let mut patches = self.kustomizations.iter().flat_map(|kustomization| &kustomization.patches);
        let is_changed = patches.any(|patch| patch.matches(&identities) && patch.changes(&keys));
        vec![value.filter(|_| !is_changed)]
    }
}
