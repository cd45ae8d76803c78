//! Edits of one unit, made together and then verified.

use std::collections::HashMap;

use super::chunk::{Chunk, start_of_line};
use super::objects::{self, FoundObject};
use lossless_yaml::{EditError, NodeRef, Op, Path, Splice, Step, Tree};

/// An object with its edits.
pub(super) struct Edited<'e> {
    /// Index of the object in the unit.
    pub at: usize,
    /// Index of the object in the input.
    pub object: usize,
    pub ops: &'e [Op],
}

/// Reason why a unit cannot be edited.
#[derive(Debug)]
pub(super) struct EditRefusal {
    /// Index in the input of the object that blocks the edit.
    pub object: Option<usize>,
    /// Byte offset in the unit.
    pub offset: usize,
    pub message: String,
}

/// Returns the replacements for all edits of a unit. The edited text has been parsed and compared
/// with the expected tree.
pub(super) fn edit(tree: &Tree<'_>, unit: &Chunk, edited: &[Edited<'_>]) -> Result<Vec<Splice>, EditRefusal> {
    let unit_line = unit.line;
    let first = edited.first().map(|edited| edited.object);
    let broken =
        |message: &str| EditRefusal { object: first, offset: 0, message: format!("internal error: {message}") };
    let found = objects::objects(tree, unit.part).map_err(|_| broken("the input reads differently the second time"))?;
    let mut splices = match edited {
        [one] => {
            let node = node_of(&found, one).ok_or_else(|| broken("an object is missing after the edit"))?;
            edit_and_verify(node, one.ops).map_err(|error| refusal(node, Some(one.object), &error, unit_line))?
        }
        several => edit_several(tree, &found, several, unit.line)?,
    };
    splices.sort_by_key(|splice| splice.range.start);
    check(&splices, tree.text()).map_err(|_| broken("two edits touch the same bytes"))?;
    if edited.iter().flat_map(|edited| edited.ops).any(may_change_kind) {
        let text = lossless_yaml::splice(tree.text(), &splices);
        let count =
            Tree::parse_by_granit(&text).ok().and_then(|tree| Some(objects::objects(&tree, unit.part).ok()?.len()));
        if count != Some(found.len()) {
            return Err(broken("an edit changed the number of objects"));
        }
    }
    Ok(splices)
}

/// Node of the edited object.
fn node_of<'t, 's>(found: &[FoundObject<'t, 's>], edited: &Edited<'_>) -> Option<NodeRef<'t, 's>> {
    found.get(edited.at).map(|found| found.node)
}

/// Makes and verifies the edits below one node.
pub(super) fn edit_and_verify(node: NodeRef<'_, '_>, ops: &[Op]) -> Result<Vec<Splice>, EditError> {
    let splices = lossless_yaml::edit(node, ops)?;
    let old = node.tree().text();
    let new = lossless_yaml::splice(old, &splices);
    lossless_yaml::verify(node, ops, &new)?;
    // The text that follows in the input must still start on a new line.
    if new.ends_with('\n') != old.ends_with('\n') {
        return Err(EditError::Internal("the last line is not ended as it was".to_owned()));
    }
    Ok(splices)
}

/// Edits of one document of a tree.
#[derive(Default)]
struct DocumentEdits<'t, 's, 'e> {
    ops: Vec<Op>,
    objects: Vec<(NodeRef<'t, 's>, &'e Edited<'e>)>,
}

/// Edits several objects of one tree. The edits of a document form one set because aliases can share
/// nodes between objects.
fn edit_several<'t, 's>(
    tree: &'t Tree<'s>,
    found: &[FoundObject<'t, 's>],
    edited: &[Edited<'_>],
    unit_line: usize,
) -> Result<Vec<Splice>, EditRefusal> {
    let mut splices = Vec::new();
    let mut steps = ChildSteps::default();
    let mut by_root: HashMap<u32, DocumentEdits<'t, 's, '_>> = HashMap::new();
    for one in edited {
        let Some(node) = node_of(found, one) else { continue };
        let (root, prefix) = steps.path_from_root(node);
        let document = by_root.entry(root.number()).or_default();
        document.ops.extend(one.ops.iter().map(|op| below(&prefix, op)));
        document.objects.push((node, one));
    }
    for root in tree.roots() {
        let Some(DocumentEdits { ops, objects }) = by_root.remove(&root.number()) else { continue };
        splices.extend(edit_and_verify(root, &ops).map_err(|error| {
            // Report the first object whose edits also fail alone.
            let alone = |(node, one): &(NodeRef<'_, '_>, &Edited<'_>)| {
                let error = lossless_yaml::edit(*node, one.ops).err()?;
                Some(refusal(*node, Some(one.object), &error, unit_line))
            };
            let named = objects.iter().find_map(alone);
            named.unwrap_or_else(|| refusal(root, objects.first().map(|(_, one)| one.object), &error, unit_line))
        })?);
    }
    Ok(splices)
}

/// Steps from collections to their children. Each collection is indexed once and reused for all paths through it.
#[derive(Default)]
struct ChildSteps(HashMap<u32, HashMap<u32, Step>>);

impl ChildSteps {
    /// Returns the root of the node's document and the path from the root to the node.
    fn path_from_root<'t, 's>(&mut self, node: NodeRef<'t, 's>) -> (NodeRef<'t, 's>, Path) {
        let mut steps = Vec::new();
        let mut node = node;
        while let Some(parent) = node.parent() {
            let inside = self.0.entry(parent.number()).or_insert_with(|| inside(parent));
            steps.push(inside.get(&node.number()).cloned().unwrap_or(Step::Item { index: 0, name: None }));
            node = parent;
        }
        (node, steps.into_iter().rev().fold(Path::root(), |path, step| path.step(step)))
    }
}

/// Maps the node number of each value or element of a collection to the step that leads there.
fn inside(collection: NodeRef<'_, '_>) -> HashMap<u32, Step> {
    if collection.is_mapping() {
        let step = |key: NodeRef<'_, '_>| Some(Step::Key(key.text()?.to_owned().into()));
        return collection
            .entries_without_merge_keys()
            .filter_map(|(key, value)| Some((value.number(), step(key)?)))
            .collect();
    }
    collection.children().enumerate().map(|(index, child)| (child.number(), Step::Item { index, name: None })).collect()
}

/// Operation whose path is below a prefix.
fn below(prefix: &Path, op: &Op) -> Op {
    let mut op = op.clone();
    match &mut op {
        Op::Set { path, .. } | Op::Remove { path } => *path = prefix.join(path),
        Op::Add { parent, .. } => *parent = prefix.join(parent),
        Op::Append { sequence, .. } => *sequence = prefix.join(sequence),
        Op::Insert { after, .. } => *after = prefix.join(after),
    }
    op
}

/// True if an edit could turn an object into another kind of node or the reverse.
fn may_change_kind(op: &Op) -> bool {
    let steps = op.path().steps();
    match steps.first() {
        None if matches!(op, Op::Add { .. }) => matches!(op, Op::Add { key, .. } if decides_kind_of_node(key)),
        Some(Step::Key(key)) => decides_kind_of_node(key),
        _ => true,
    }
}

/// True for the keys that decide if a node is an object or a list.
fn decides_kind_of_node(key: &str) -> bool {
    matches!(key, "apiVersion" | "kind" | "items")
}

/// Converts an edit error to a refusal, positioned at the line that the error names or else at the node.
pub(super) fn refusal(
    node: NodeRef<'_, '_>,
    object: Option<usize>,
    error: &EditError,
    unit_line: usize,
) -> EditRefusal {
    let offset = match error {
        EditError::ReadOnly(error) | EditError::Parse(error) => error.offset,
        _ => error.line().map_or(node.start(), |line| start_of_line(node.tree().text(), line)),
    };
    // The error counts lines from the start of the unit; the caller reports the line of the input.
    let message = match error {
        EditError::ReadOnly(error) | EditError::Parse(error) => error.message.clone(),
        EditError::Duplicate { path, first, .. } => {
            format!("{path} occurs twice, first in line {}: remove one", unit_line + first - 1)
        }
        _ => error.reason(),
    };
    EditRefusal { object, offset, message }
}

/// Checks that replacements are sorted, do not overlap and lie inside of the text; the error is the
/// offset of the first that does not.
pub(super) fn check(splices: &[Splice], text: &str) -> Result<(), usize> {
    let mut at = 0;
    for splice in splices {
        if splice.range.start < at || text.get(splice.range.clone()).is_none() {
            return Err(splice.range.start.min(text.len()));
        }
        at = splice.range.end;
    }
    Ok(())
}
