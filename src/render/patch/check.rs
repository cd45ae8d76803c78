//! Verifies that built output contains the changes of a patch.

use std::collections::HashMap;

use super::edit_site::Site;
use super::target::Target;
use super::unterminated;
use crate::model::Meta;
use crate::model::text::is_placeholder;
use lossless_yaml::{NodeRef, Path, Step, Tree, Value};

/// A path and its expected content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) path: Path,
    pub(super) expected: Expected,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expected {
    Value(Value),
    Element(Value),
    Nothing,
}

/// Name and namespace changes that a kustomization applies to its build after its patches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renames {
    /// `namePrefix`
    pub prefix: String,
    /// `nameSuffix`
    pub suffix: String,
    /// `namespace`, Flux's `targetNamespace`
    pub namespace: Option<String>,
}

/// The kind that kustomize names after the `namespace` of a kustomization.
const NAMESPACE: (&str, &str) = ("", "Namespace");

/// Kinds that get no prefix and no suffix.
const KEPT: [(&str, &str); 3] =
    [NAMESPACE, ("apiextensions.k8s.io", "CustomResourceDefinition"), ("apiregistration.k8s.io", "APIService")];

impl Renames {
    /// True if names change, not only the namespace.
    pub fn renames(&self) -> bool {
        !self.prefix.is_empty() || !self.suffix.is_empty()
    }

    /// Converts a target of the renamed build to the target before renaming.
    pub fn undo(&self, target: Target) -> Result<Target, String> {
        match (&self.namespace, target.kind() == NAMESPACE) {
            (Some(set), true) if set == target.name() => return Ok(target.before_namespace()),
            (Some(set), true) => {
                return Err(format!(
                    "{target} is not named `{set}`, as `namespace` of the kustomization with the patches names its \
                     Namespace: PATH must be the build of this kustomization"
                ));
            }
            _ if KEPT.contains(&target.kind()) => return Ok(target),
            _ => {}
        }
        let name =
            target.name().strip_prefix(self.prefix.as_str()).and_then(|name| name.strip_suffix(self.suffix.as_str()));
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            let (prefix, suffix) = (&self.prefix, &self.suffix);
            return Err(format!(
                "{target} does not have the namePrefix `{prefix}` and the nameSuffix `{suffix}` of the kustomization \
                 with the patches: PATH must be the build of this kustomization"
            ));
        };
        match (target.namespace(), &self.namespace) {
            (Some(own), Some(set)) if own != set => Err(format!(
                "{target} is not in namespace `{set}`, which the kustomization with the patches sets: PATH must be the \
                 build of this kustomization"
            )),
            (own, set) => Ok(target.before(name.to_owned(), own.is_some() && set.is_some())),
        }
    }

    /// Number of objects in `built` that match the renamed object; `None` if the identity is invalid or contains
    /// placeholders.
    pub fn count(&self, meta: &Meta, built: &[Meta]) -> Option<usize> {
        let target = self.target(&Target::new(meta, []).ok()?);
        (!target.is_filled_in()).then(|| built.iter().filter(|meta| self.matches(&target, meta)).count())
    }

    /// Name of an object after renaming.
    pub fn name(&self, meta: &Meta) -> String {
        Target::new(meta, []).map_or_else(|_| meta.name.clone(), |target| self.target(&target).name().to_owned())
    }

    /// The target with the names after the kustomization's changes.
    pub(super) fn target(&self, target: &Target) -> Target {
        match &self.namespace {
            Some(namespace) if target.kind() == NAMESPACE => return target.renamed(namespace.clone(), None),
            _ if KEPT.contains(&target.kind()) => return target.clone(),
            _ => {}
        }
        target.renamed(format!("{}{}{}", self.prefix, target.name(), self.suffix), self.namespace.as_deref())
    }

    /// True if an object of the built output matches the renamed target. An object without a namespace in a build that
    /// sets one is cluster-scoped.
    pub(super) fn matches(&self, renamed: &Target, meta: &Meta) -> bool {
        let apart = self.namespace.is_some() && meta.namespace.is_none();
        if apart { renamed.anywhere().fits(meta) } else { renamed.fits(meta) }
    }
}

/// Expected content after a change.
pub(super) fn checks(object: NodeRef<'_, '_>, site: &Site) -> Vec<Check> {
    let check = |path: &Path, expected| Check { path: with_element_names(object, path), expected };
    match site {
        Site::Set { path, value } | Site::Add { path, value } => vec![check(path, Expected::Value(value.clone()))],
        Site::Append { list, values } => {
            values.iter().map(|value| check(list, Expected::Element(value.clone()))).collect()
        }
        Site::Insert { after, values } => {
            let list = after.parent().unwrap_or_default();
            values.iter().map(|value| check(&list, Expected::Element(value.clone()))).collect()
        }
        // After the removal the next element has this index.
        Site::Remove { path } if matches!(path.last(), Some(Step::Item { .. })) => {
            match with_element_names(object, path) {
                path if matches!(path.last(), Some(Step::Item { name: Some(_), .. })) => {
                    vec![Check { path, expected: Expected::Nothing }]
                }
                _ => Vec::new(),
            }
        }
        Site::Remove { path } => vec![check(path, Expected::Nothing)],
    }
}

/// Replaces list indexes by unique element names, because other patches may move elements.
fn with_element_names(object: NodeRef<'_, '_>, path: &Path) -> Path {
    let mut named = Path::root();
    let mut at = Some(object);
    for step in path.steps() {
        let next = at.and_then(|node| node.lookup(&Path::root().step(step.clone())));
        named = match step {
            Step::Key(_) => named.step(step.clone()),
            Step::Item { index, .. } => {
                let name = next.and_then(|element| name_of(element)).filter(|name| {
                    let all = at.into_iter().flat_map(NodeRef::items);
                    all.filter(|element| name_of(*element) == Some(name)).count() == 1
                });
                named.named_item(*index, name)
            }
        };
        at = next;
    }
    named
}

/// Name of an element, unless it contains a placeholder.
fn name_of<'t>(element: NodeRef<'t, '_>) -> Option<&'t str> {
    let name = if element.is_mapping() { element.get("name")?.text() } else { None };
    name.filter(|name| !is_placeholder(name))
}

/// Node at a path; list elements are found by name.
pub(super) fn find<'t, 's>(object: NodeRef<'t, 's>, path: &Path) -> Option<NodeRef<'t, 's>> {
    path.steps().into_iter().try_fold(object, |node, step| match step {
        Step::Item { name: Some(name), .. } => node.items().find(|element| name_of(*element) == Some(name)),
        step => node.lookup(&Path::root().step(step.clone())),
    })
}

/// The renamed value of an object reference; `None` if the field does not refer to a renamed object.
pub(super) fn renamed(path: &Path, value: &Value, names: &HashMap<&str, String>) -> Option<Value> {
    let is_reference = |path: &Path| matches!(path.last(), Some(Step::Key(key)) if key.ends_with("Ref"));
    let new = |value: &Value| match value {
        Value::Str(name) => names.get(name.as_str()).filter(|new| *new != name).map(|new| Value::from(new.as_str())),
        _ => None,
    };
    match value {
        Value::Map(entries) if is_reference(path) => {
            let at = entries.iter().position(|(key, value)| key == "name" && new(value).is_some())?;
            let mut entries = entries.clone();
            let (_, name) = entries.get_mut(at)?;
            *name = new(name)?;
            Some(Value::Map(entries))
        }
        value if path.parent().is_some_and(|parent| is_reference(&parent)) => new(value),
        _ => None,
    }
}

/// Formats a value for a message; strings that look like numbers are quoted.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Seq(_) | Value::Map(_) => value.to_string(),
        scalar => lossless_yaml::document(scalar).trim_end().to_owned(),
    }
}

/// True if a node contains a value. Mappings and lists may contain more, because later patches may add to them.
pub(super) fn contains_value(node: NodeRef<'_, '_>, value: &Value) -> bool {
    match value {
        Value::Null => node.is_null(),
        Value::Bool(value) => node.as_bool() == Some(*value),
        Value::Int(value) => node.as_int() == Some(*value),
        // The replacement of a placeholder is unknown.
        Value::Str(text) | Value::Raw(text) if text.contains("${") => node.non_null_text().is_some(),
        Value::Str(text) => {
            unterminated::text(node) == Some(text) && node.as_int().is_none() && node.as_bool().is_none()
        }
        Value::Raw(raw) => {
            let tree = Tree::parse(raw);
            let own = tree.as_ref().ok().and_then(|tree| tree.root(0)).and_then(NodeRef::text);
            own.is_some() && own == node.text()
        }
        Value::Seq(items) => {
            node.is_sequence() && items.iter().all(|item| node.items().any(|element| contains_value(element, item)))
        }
        Value::Map(entries) => {
            node.is_mapping()
                && entries.iter().all(|(key, value)| node.get(key).is_some_and(|node| contains_value(node, value)))
        }
    }
}
