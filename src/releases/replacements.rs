//! Replacements of kustomizations: values that they copy from one object into fields of others.
//!
//! Source: kubernetes-sigs/kustomize@v5.8.1 `api/filters/replacement/replacement.go` (selection and options).

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::names::text;
use super::patch::{Patch, select};
use crate::api::Select;
use lossless_yaml::{NodeRef, Tree, Value};

/// Kinds with fields that change a render.
const KINDS: [&str; 4] = ["Application", "HelmChart", "HelmRelease", "Kustomization"];

/// A field into which a kustomization copies a value.
#[derive(Debug)]
pub(super) struct Replacement {
    from: Copied,
    target: Select,
    rejected: Vec<Select>,
    path: Vec<String>,
    /// True if the value replaces only a part of the field, and the other parts stay.
    is_part: bool,
    /// Display name of the kustomization.
    by: String,
}

/// The copied value.
#[derive(Debug, Clone)]
enum Copied {
    Text(String),
    Field(Box<Field>),
}

/// Field of an object of the build.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) object: Select,
    pub(super) path: Vec<String>,
    /// Delimiter and index of the copied part.
    pub(super) part: Option<(String, usize)>,
}

impl Replacement {
    /// Reads an entry of `replacements`, which may name a file with entries.
    pub(super) fn entry(entry: NodeRef<'_, '_>, folder: &Path, by: &str) -> Vec<Arc<Self>> {
        let Some(path) = text(entry, "path") else { return Self::read(entry, by) };
        let written = fs::read_to_string(folder.join(path)).unwrap_or_default();
        let Ok(tree) = Tree::parse(&written) else { return Vec::new() };
        let Some(root) = tree.root(0) else { return Vec::new() };
        if root.is_mapping() {
            Self::read(root, by)
        } else {
            root.items().flat_map(|one| Self::read(one, by)).collect()
        }
    }

    /// Reads a replacement whose targets may be objects that change a render.
    fn read(one: NodeRef<'_, '_>, by: &str) -> Vec<Arc<Self>> {
        let Some(from) = Copied::read(one) else { return Vec::new() };
        let mut found = Vec::new();
        for target in one.get("targets").into_iter().flat_map(NodeRef::items) {
            let items = |key: &str| target.get(key).into_iter().flat_map(NodeRef::items);
            let selected = target.get("select").map(select).unwrap_or_default();
            let is_word = |kind: &str| kind.chars().all(|c| c.is_ascii_alphanumeric());
            if selected.kind.as_deref().is_some_and(|kind| is_word(kind) && !KINDS.contains(&kind)) {
                continue;
            }
            let paths: Vec<&str> = items("fieldPaths").filter_map(NodeRef::text).collect();
            let paths = if paths.is_empty() { vec![NAME] } else { paths };
            found.extend(paths.into_iter().map(|path| {
                Arc::new(Self {
                    from: from.clone(),
                    target: selected.clone(),
                    rejected: items("reject").map(select).collect(),
                    path: keys(path),
                    is_part: text(target, "options.delimiter").is_some(),
                    by: format!("{by} (replacements)"),
                })
            }));
        }
        found
    }

    /// The patch with the same effect; its value is missing if `value_of` does not know it.
    pub(super) fn patch(&self, value_of: impl FnOnce(&Field) -> Option<String>) -> Option<Arc<Patch>> {
        let value = match &self.from {
            Copied::Text(text) => Some(text.clone()),
            Copied::Field(field) => value_of(field),
        };
        let value = value.filter(|_| !self.is_part).map(Value::Str);
        Patch::for_value(&self.target, &self.rejected, (self.path.clone(), value), &self.by)
    }
}

/// Default field of a source and of a target.
const NAME: &str = "metadata.name";

impl Copied {
    fn read(one: NodeRef<'_, '_>) -> Option<Self> {
        if let Some(value) = text(one, "sourceValue") {
            return Some(Self::Text(value.to_owned()));
        }
        let source = one.get("source")?;
        let delimiter = text(source, "options.delimiter").map(str::to_owned);
        let index = text(source, "options.index").and_then(|index| index.parse().ok()).unwrap_or_default();
        Some(Self::Field(Box::new(Field {
            object: select(source),
            path: keys(text(source, "fieldPath").unwrap_or(NAME)),
            part: delimiter.map(|delimiter| (delimiter, index)),
        })))
    }
}

/// Keys of a field path: a backslash or brackets keep the dots of a key.
fn keys(path: &str) -> Vec<String> {
    let (mut found, mut key, mut is_inside) = (Vec::new(), String::new(), false);
    let mut left = path.chars().peekable();
    while let Some(c) = left.next() {
        match c {
            '\\' if left.peek() == Some(&'.') => key.extend(left.next()),
            '.' if !is_inside => found.push(std::mem::take(&mut key)),
            _ => {
                is_inside = c == '[' || is_inside && c != ']';
                key.push(c);
            }
        }
    }
    found.push(key);
    let plain = |key: String| {
        let inside = key.strip_prefix('[').and_then(|key| key.strip_suffix(']'));
        inside.filter(|key| !key.contains('=')).map(str::to_owned).unwrap_or(key)
    };
    found.into_iter().map(plain).collect()
}
