//! Objects that are marked as local instead of removed, so that they are not applied to the cluster.

use std::collections::BTreeSet;

use lossless_yaml::{KeyPosition, NodeRef, Op, Path, Tree, Value};

use super::changes::Changes;
use super::input::{Form, Input};
use super::objects;
use super::package::Package;

/// Annotation of objects that must not be applied to the cluster; kustomize, kpt and hostnet drop or skip them.
const LOCAL_CONFIG: &str = "config.kubernetes.io/local-config";

impl Input {
    /// Marks objects as `config.kubernetes.io/local-config: "true"` instead of removing them, for a
    /// file that a kustomization lists and may patch.
    pub fn with_removals_as_local_config(mut self) -> Self {
        self.keeps_objects = true;
        self
    }

    /// Returns the removed objects that are marked instead: all in a file that a kustomization
    /// lists, and all if the file or stream would be empty.
    pub fn marks(&self, changes: &Changes) -> BTreeSet<usize> {
        if changes.removed.is_empty() {
            return BTreeSet::new();
        }
        let list = matches!(self.form(), Form::ResourceList | Form::List) && self.origin.path().is_none();
        let added: usize = changes.added.values().map(Vec::len).sum();
        let nothing_left = || self.layout().is_ok_and(|layout| layout.objects() <= changes.removed.len());
        if self.keeps_objects || (!list && added == 0 && nothing_left()) {
            return changes.removed.clone();
        }
        // A kustomization cannot be built without a file that it lists, and kpt removes the file
        // when its object is removed.
        let Ok(Some(package)) = Package::read(self) else { return BTreeSet::new() };
        let is_listed = self.objects(|_, object| package.lists(object)).unwrap_or_default();
        changes.removed.iter().copied().filter(|&object| is_listed.get(object) == Some(&true)).collect()
    }

    /// Replaces removals by annotations that mark the objects as local.
    pub(super) fn replace_removals_with_marks(&self, changes: &mut Changes) {
        for object in self.marks(changes) {
            changes.removed.remove(&object);
            changes.edits.entry(object).or_default().extend(self.mark(object));
        }
    }

    /// Edit that marks an object as local config.
    fn mark(&self, object: usize) -> Option<Op> {
        let layout = self.layout().ok()?;
        let (unit, at) = layout.unit_of(object)?;
        let unit = layout.units.get(unit)?;
        let text = self.text.get(unit.range.clone())?;
        let tree = Tree::parse(text).ok()?;
        Some(mark(objects::objects(&tree, unit.part).ok()?.get(at)?.node))
    }
}

/// Returns the operation that marks an object.
fn mark(object: NodeRef<'_, '_>) -> Op {
    let after =
        |keys: &[&'static str]| KeyPosition { after: keys.iter().map(|&key| key.into()).collect(), before: Vec::new() };
    let metadata = Path::root().key("metadata");
    let annotations = metadata.key("annotations");
    let value = Value::from("true");
    if object.lookup(&annotations.key(LOCAL_CONFIG)).is_some() {
        return Op::Set { path: annotations.key(LOCAL_CONFIG), value };
    }
    if object.lookup(&annotations).is_some() {
        return Op::Add { parent: annotations, key: LOCAL_CONFIG.to_owned(), value, place: KeyPosition::default() };
    }
    let value = Value::map([(LOCAL_CONFIG, value)]);
    if object.lookup(&metadata).is_some() {
        return Op::Add {
            parent: metadata,
            key: "annotations".to_owned(),
            value,
            place: after(&["namespace", "name"]),
        };
    }
    let value = Value::map([("annotations", value)]);
    Op::Add { parent: Path::root(), key: "metadata".to_owned(), value, place: after(&["kind", "apiVersion"]) }
}
