//! Objects that go, but whose file has to keep them: they are marked, so that nobody applies them.

use std::collections::BTreeSet;

use lossless_yaml::{NodeRef, Op, Path, Place, Value};

use super::changes::Changes;
use super::input::{Form, Input};
use super::package::Package;
use super::{chunk, objects};

/// What marks an object as one that only concerns clients: kustomize, kpt and this program drop or leave it.
const LOCAL_CONFIG: &str = "config.kubernetes.io/local-config";

impl Input {
    /// The input as one whose objects others count on: a kustomization lists the file, and may patch what is in it. Objects
    /// that go stay then and are marked as `config.kubernetes.io/local-config: "true"`.
    #[must_use]
    pub fn keeping_objects(mut self) -> Self {
        self.keeps_objects = true;
        self
    }

    /// The objects that are to go, but stay and are marked: those of a file that a kustomization lists, and all where nothing would be left of a
    /// file or a stream.
    #[must_use]
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
        // A kustomization cannot be built once a file that it lists is gone, and kpt removes the file of an object with the object.
        let Ok(Some(package)) = Package::read(self) else { return BTreeSet::new() };
        let is_listed = self.objects(|_, object| package.lists(object)).unwrap_or_default();
        changes.removed.iter().copied().filter(|&object| is_listed.get(object) == Some(&true)).collect()
    }

    /// The changes, with marks in place of removals.
    pub(super) fn marked(&self, changes: &mut Changes) {
        for object in self.marks(changes) {
            changes.removed.remove(&object);
            changes.edits.entry(object).or_default().extend(self.mark(object));
        }
    }

    fn mark(&self, object: usize) -> Option<Op> {
        let layout = self.layout().ok()?;
        let (unit, at) = layout.unit_of(object)?;
        let unit = layout.units.get(unit)?;
        let text = self.text.get(unit.range.clone())?;
        let op = chunk::with_tree(text, |tree, _| Some(mark(objects::objects(tree, unit.part).ok()?.get(at)?.node)));
        op.ok()?
    }
}

/// The operation that marks an object.
fn mark(object: NodeRef<'_, '_>) -> Op {
    let after =
        |keys: &[&'static str]| Place { after: keys.iter().map(|&key| key.into()).collect(), before: Vec::new() };
    let metadata = Path::root().key("metadata");
    let annotations = metadata.key("annotations");
    let value = Value::from("true");
    let entry = |key: &str, value: &Value| Value::Map(vec![(key.to_owned(), value.clone())]);
    if object.lookup(&annotations.key(LOCAL_CONFIG)).is_some() {
        return Op::Set { path: annotations.key(LOCAL_CONFIG), value };
    }
    if object.lookup(&annotations).is_some() {
        return Op::Add { parent: annotations, key: LOCAL_CONFIG.to_owned(), value, place: Place::default() };
    }
    let value = entry(LOCAL_CONFIG, &value);
    if object.lookup(&metadata).is_some() {
        return Op::Add {
            parent: metadata,
            key: "annotations".to_owned(),
            value,
            place: after(&["namespace", "name"]),
        };
    }
    let value = entry("annotations", &value);
    Op::Add { parent: Path::root(), key: "metadata".to_owned(), value, place: after(&["kind", "apiVersion"]) }
}
