//! The patch of one object.

use std::collections::HashMap;

use super::change::Change;
use super::check::{Check, Expected, Renames, contains_value, find, renamed, written};
use super::target::Target;
use crate::model::Meta;
use crate::model::text::is_placeholder;
use lossless_yaml::{NodeRef, Path, Step, Value};

/// The patch of one object.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectPatch {
    /// The object in the input.
    pub object: Meta,
    /// kustomize's selector of the object.
    pub target: Target,
    /// Index of the input that contains the object.
    pub input: usize,
    pub(super) changes: Vec<Change>,
    pub(super) checks: Vec<Check>,
}

impl ObjectPatch {
    /// Names the config that makes the patch, such as `HostNetwork web`, in its first comment.
    pub(crate) fn set_owner(&mut self, owner: &str) {
        if let Some(comment) = self.changes.first_mut().and_then(|change| change.why.first_mut()) {
            *comment = format!("{comment} ({owner})");
        }
    }

    /// Kind and name of the target in built output; `None` if they contain placeholders or a hash.
    pub fn built_kind_and_name(&self, renames: &Renames) -> Option<(String, String)> {
        let target = renames.target(&self.target);
        (!target.is_filled_in() && !target.has_hash()).then(|| (target.kind().1.to_owned(), target.name().to_owned()))
    }

    /// Identities of the object: in the input, and before the name changes of its carrier.
    pub fn identities(&self) -> [Meta; 2] {
        [self.object.clone(), Meta { name: self.target.name().to_owned(), ..self.object.clone() }]
    }

    /// True if the namespace of the object at the time of the patch is unknown.
    pub fn has_late_namespace(&self) -> bool {
        self.target.late_namespace()
    }

    /// JSON pointers that the patch tests or changes.
    pub fn pointers(&self) -> Vec<&str> {
        self.changes.iter().flat_map(|change| &change.operations).map(|operation| operation.path.as_str()).collect()
    }

    /// Texts that the patch compares with the object.
    pub fn tested_texts(&self) -> Vec<&str> {
        self.texts(|op| op == "test")
    }

    /// Texts that the patch writes.
    pub fn written_texts(&self) -> Vec<&str> {
        self.texts(|op| op != "test")
    }

    /// Texts of the operations that `is_wanted` accepts.
    fn texts(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<&str> {
        let mut found = Vec::new();
        let all = self.changes.iter().flat_map(|change| &change.operations);
        for operation in all.filter(|operation| is_wanted(operation.op)) {
            operation.value.iter().for_each(|value| add_texts(value, &mut found));
        }
        found
    }

    /// True if the patch applies to this object of built output.
    pub fn matches(&self, meta: &Meta, renames: &Renames) -> bool {
        renames.matches(&renames.target(&self.target), meta)
    }

    /// Message about a patch that did not match exactly one object of the built output; `matched` is the number of
    /// matches.
    pub fn missed(&self, matched: usize, built: &[Meta], renames: &Renames) -> Option<String> {
        let target = renames.target(&self.target);
        let name = &self.object;
        match matched {
            1 => None,
            0 => {
                let is_similar = |meta: &&Meta| {
                    (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) == target.kind()
                        && meta.name.contains(target.name())
                };
                let near: Vec<String> = built.iter().filter(is_similar).map(Meta::to_string).collect();
                let hint = match near.as_slice() {
                    [] => String::new(),
                    _ => format!(
                        ". There is {}: give --name-prefix, --name-suffix and --namespace as the kustomization that \
                         carries the patches sets them",
                        near.join(", ")
                    ),
                };
                Some(format!("the patch of {name} matched nothing: the build has no {target}{hint}"))
            }
            // Several objects may result from the placeholders.
            _ if target.is_filled_in() => None,
            many => {
                Some(format!("the patch of {name} matches {many} objects: {target} is in the build more than once"))
            }
        }
    }

    /// Lists the changes that are missing in the built object, one line each. References to new objects must have the
    /// new `names`.
    pub fn missing_changes(&self, object: NodeRef<'_, '_>, names: &HashMap<&str, String>) -> Vec<String> {
        // A placeholder in a key makes the path unknown.
        let is_known =
            |path: &Path| !path.steps().into_iter().any(|step| matches!(step, Step::Key(key) if is_placeholder(key)));
        let failed = self.checks.iter().filter(|check| is_known(&check.path)).filter_map(|Check { path, expected }| {
            let found = find(object, path);
            let shown = || match found.and_then(NodeRef::to_value) {
                Some(value) => format!("is `{}`", written(&value)),
                None => "is absent".to_owned(),
            };
            match expected {
                Expected::Value(value) => {
                    let renamed = renamed(path, value, names);
                    let wanted = renamed.as_ref().unwrap_or(value);
                    let hint = match &renamed {
                        Some(_) if found.is_some_and(|node| contains_value(node, value)) => {
                            ": kustomize renames a reference that its `configurations` name as nameReference"
                        }
                        _ => "",
                    };
                    let missed = !found.is_some_and(|node| contains_value(node, wanted));
                    missed.then(|| format!("{path} {}, not `{}`{hint}", shown(), written(wanted)))
                }
                Expected::Element(value) => {
                    let there = found.into_iter().flat_map(NodeRef::items).any(|node| contains_value(node, value));
                    (!there).then(|| format!("{path} has no element `{value}`"))
                }
                Expected::Nothing if found.is_some() => Some(format!("{path} {}, and should be removed", shown())),
                Expected::Nothing => None,
            }
        });
        failed.map(|failure| format!("the patch of {} was not applied: {failure}", self.object)).collect()
    }
}

/// Adds all texts of a value.
fn add_texts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Str(text) | Value::Raw(text) => found.push(text),
        Value::Seq(items) => items.iter().for_each(|item| add_texts(item, found)),
        Value::Map(entries) => entries.iter().for_each(|(_, value)| add_texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Int(_) => {}
    }
}
