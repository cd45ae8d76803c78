//! Patches of an earlier run, compared with objects that may already be built with them.

use super::check::contains_value;
use super::insert::{List, carriers};
use super::target::Target;
use crate::releases::unescaped;
use lossless_yaml::{NodeRef, Tree, Value};

/// A patch that `hostnet patch` wrote earlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierPatch {
    target: Value,
    changes: Vec<Change>,
}

/// One change of a patch: an operation, and the tests between it and the operation before.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    tests: Vec<(String, Value)>,
    path: String,
    value: Value,
}

/// Number of changes of earlier patches that an object has already, or does not have yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Applied {
    /// Changes that are made: the object has the new value, and a test of the old value fails.
    pub made: usize,
    /// Changes that are not made: the tests of the old value pass, and the new value is missing.
    pub open: usize,
}

/// Reads the patches of earlier runs of a config from a file; empty for a file without such patches.
///
/// ```
/// # use hostnet::render::patch::earlier_patches;
/// let file = "kind: Component\npatches:\n- target: {kind: Pod, name: web}\n  patch: |\n    # hostnet patch: this object\n";
/// assert_eq!(earlier_patches(file, "HostNetwork web").len(), 1);
/// assert!(earlier_patches("kind: Component\n", "HostNetwork web").is_empty());
/// ```
pub fn earlier_patches(text: &str, owner: &str) -> Vec<EarlierPatch> {
    let Ok(tree) = Tree::parse(text) else { return Vec::new() };
    let mut found = Vec::new();
    for (form, root) in carriers(&tree) {
        let Ok(list) = List::read(form, root, Some(owner)) else { continue };
        let patches = list.own(root).filter_map(|own| Some((own.target?, own.patch)));
        found.extend(patches.map(|(target, patch)| EarlierPatch { target, changes: changes(&patch) }));
    }
    found
}

/// Reads the operations of a patch that set a value.
fn changes(text: &str) -> Vec<Change> {
    let Ok(tree) = Tree::parse(text) else { return Vec::new() };
    let (mut found, mut tests) = (Vec::new(), Vec::new());
    for operation in tree.root(0).into_iter().flat_map(NodeRef::items) {
        let field = |key: &str| operation.get(key).and_then(NodeRef::text);
        let (Some(op), Some(pointer)) = (field("op"), field("path")) else { continue };
        let path = pointer.to_owned();
        match (op, operation.get("value").and_then(NodeRef::to_value)) {
            // Names may change after the patches.
            ("test", Some(value)) if !IDENTITY.contains(&pointer) => tests.push((path, value)),
            ("add" | "replace", Some(value)) => {
                found.push(Change { tests: std::mem::take(&mut tests), path, value });
            }
            ("remove", _) => tests.clear(),
            _ => {}
        }
    }
    found
}

/// Pointers of an object's name and namespace.
const IDENTITY: [&str; 2] = ["/metadata/name", "/metadata/namespace"];

impl EarlierPatch {
    /// True if the patch selects the object of a target.
    pub fn selects(&self, target: &Target) -> bool {
        target.is_written_as(&self.target)
    }

    /// Counts the changes that an object already has, and the changes that it does not have yet.
    pub fn applied(&self, object: NodeRef<'_, '_>) -> Applied {
        let mut applied = Applied::default();
        for Change { tests, path, value } in &self.changes {
            let pass = tests.iter().all(|(path, value)| has_value_at(object, path, value));
            match (pass, has_value_at(object, path, value)) {
                (false, true) => applied.made += 1,
                (true, false) => applied.open += 1,
                _ => {}
            }
        }
        applied
    }
}

/// True if an object has a value at a JSON pointer. A missing field counts as null, and `-` is any element.
fn has_value_at(object: NodeRef<'_, '_>, pointer: &str, value: &Value) -> bool {
    if let Some(list) = pointer.strip_suffix("/-") {
        return find(object, list).into_iter().flat_map(NodeRef::items).any(|element| contains_value(element, value));
    }
    match find(object, pointer) {
        Some(node) => contains_value(node, value),
        None => *value == Value::Null,
    }
}

/// Node at a JSON pointer.
fn find<'t, 's>(object: NodeRef<'t, 's>, pointer: &str) -> Option<NodeRef<'t, 's>> {
    pointer.split('/').skip(1).try_fold(object, |node, step| {
        if node.is_sequence() { node.items().nth(step.parse().ok()?) } else { node.get(&unescaped(step)) }
    })
}
