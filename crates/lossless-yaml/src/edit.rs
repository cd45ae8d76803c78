//! Conversion of edits to byte replacements.

use std::collections::{BTreeMap, HashSet};

use super::block::Block;
use super::draft::Drafts;
use super::finder::Finder;
use super::flow::Flow;
use super::json;
use super::node::NodeRef;
use super::op::{EditError, KeyPosition, Op, Splice};
use super::path::Path;
use super::set;
use super::shape;
use super::target::{self, Sharing};
use super::tree::{Id, Kind};
use super::value::Value;

/// Change of a node by one edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change<'o> {
    Set(&'o Value),
    Add(&'o str, &'o Value, &'o KeyPosition),
    Append(&'o Value),
    /// Inserts after the entry at this index.
    Insert(usize, &'o Value),
    /// Removes the entry at this index.
    Remove(usize),
}

impl<'o> Change<'o> {
    /// Returns the value to write.
    pub(super) fn value(&self) -> Option<&'o Value> {
        match self {
            Self::Set(value) | Self::Add(_, value, _) | Self::Append(value) | Self::Insert(_, value) => Some(value),
            Self::Remove(_) => None,
        }
    }
}

/// Changes of one node, which apply to all paths that share it by aliases.
#[derive(Debug)]
pub(super) struct Target<'o> {
    /// Path of the node in one of the edits.
    pub(super) path: Path,
    pub(super) changes: Vec<Change<'o>>,
}

/// Changes by changed node.
pub(super) type Targets<'o> = BTreeMap<Id, Target<'o>>;

/// Converts edits of the document or object at `root` to replacements in the text of its tree. Paths
/// start at `root` and refer to the document before any edit.
///
/// The result is not verified: [`verify`](super::verify()) and [`edit_text`](super::edit_text) do that.
pub fn edit(root: NodeRef<'_, '_>, ops: &[Op]) -> Result<Vec<Splice>, EditError> {
    if ops.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(error) = root.tree.go_parse_error() {
        return Err(EditError::ReadOnly(error));
    }
    let targets = targets(root, ops)?;
    writable(root, &targets)?;
    let mut drafts = Drafts::new(root.tree);
    for (&id, target) in &targets {
        apply(&mut drafts, NodeRef { tree: root.tree, id }, target)?;
    }
    drafts.finish()
}

/// Rejects raw values of other documents that cannot be written in JSON or in flow collections.
fn writable(root: NodeRef<'_, '_>, targets: &Targets<'_>) -> Result<(), EditError> {
    for (&id, target) in targets {
        let node = NodeRef { tree: root.tree, id };
        let all = |holds: &dyn Fn(&str) -> bool| {
            target.changes.iter().filter_map(Change::value).all(|value| value.all_raw_scalars(&holds))
        };
        let flow = || node.is_flow() || node.parent().is_some_and(NodeRef::is_flow);
        let is_scalar = |value: &Value| !matches!(value, Value::Seq(_) | Value::Map(_));
        let to_scalar = |change: &Change<'_>| matches!(change, Change::Set(value) if is_scalar(value));
        let why = if root.tree.json && node.parent().is_none() && target.changes.iter().any(to_scalar) {
            "a document in JSON is an object or an array"
        } else if root.tree.json && !all(&json::is_json) {
            "JSON cannot express this value without quotes, and quotes could change it"
        } else if !all(&|raw| !raw.contains([',', '[', ']', '{', '}'])) && flow() {
            "between brackets this value needs quotes, and quotes could change it"
        } else {
            continue;
        };
        let line = node.tree.line(node.start());
        return Err(EditError::Unsupported { path: target.path.clone(), line, why });
    }
    Ok(())
}

/// Finds the nodes that edits change. Rejects shared, merged and duplicate nodes.
pub(super) fn targets<'o>(root: NodeRef<'_, '_>, ops: &'o [Op]) -> Result<Targets<'o>, EditError> {
    let mut found: BTreeMap<Id, Vec<Target<'o>>> = BTreeMap::new();
    let mut finder = Finder::default();
    // The sequence of the preceding append, so that it is looked up only once: appends to a long
    // sequence usually follow each other.
    let mut list: Option<(&Path, Id)> = None;
    for op in ops {
        let (id, path, change) = match (op, list) {
            (Op::Append { sequence, value }, Some((known, id))) if known.is_same_place(sequence) => {
                (id, sequence.clone(), Change::Append(value))
            }
            _ => change(&mut finder, root, op)?,
        };
        list = if let Op::Append { sequence, .. } = op { Some((sequence, id)) } else { None };
        let routes = found.entry(id).or_default();
        match routes.iter_mut().find(|route| route.path.is_same_place(&path)) {
            Some(route) if matches!(change, Change::Set(_) | Change::Remove(_)) && route.changes.contains(&change) => {}
            Some(route) => route.changes.push(change),
            None => routes.push(Target { path, changes: vec![change] }),
        }
    }
    let sharing = Sharing::new(root.tree);
    let mut targets = Targets::new();
    for (id, mut routes) in found {
        let node = NodeRef { tree: root.tree, id };
        let count = routes.len();
        let Some(first) = routes.pop() else { continue };
        if let Some(anchored) = sharing.anchor(node) {
            let is_equal = routes.iter().all(|route| route.changes == first.changes);
            if !is_equal || sharing.path_count(node, count) != count {
                return Err(aliased(anchored, &first.path));
            }
        }
        targets.insert(id, first);
    }
    check(root, &targets, &sharing)?;
    Ok(targets)
}

/// Error about a node that aliases share.
fn aliased(anchored: NodeRef<'_, '_>, path: &Path) -> EditError {
    let anchor = anchored.anchor().unwrap_or_default().to_owned();
    EditError::Aliased { path: path.clone(), anchor, line: anchored.tree.line(anchored.start()) }
}

/// Returns the node that an edit changes, with its path and the change.
fn change<'t, 's, 'o>(
    finder: &mut Finder<'t, 's>,
    root: NodeRef<'t, 's>,
    op: &'o Op,
) -> Result<(Id, Path, Change<'o>), EditError> {
    match op {
        Op::Set { path, value } => {
            let node = target::find(finder, root, path)?.resolved();
            Ok((node.id, path.clone(), Change::Set(value)))
        }
        Op::Add { parent, key, value, place } => {
            let node = target::find(finder, root, parent)?.resolved();
            let way = || parent.key(key.clone());
            if !node.is_mapping() && !node.is_null() {
                return Err(wrong_kind(node, parent, "mapping"));
            }
            if let Some((key, _)) = target::own(finder, node, key, way)? {
                return Err(EditError::Exists { path: way(), line: key.tree.line(key.start()) });
            }
            if let Some(error) = target::merged(node, key, &way()) {
                return Err(error);
            }
            Ok((node.id, parent.clone(), Change::Add(key, value, place)))
        }
        Op::Append { sequence, value } => {
            let node = target::find(finder, root, sequence)?.resolved();
            if !node.is_sequence() && !node.is_null() {
                return Err(wrong_kind(node, sequence, "sequence"));
            }
            Ok((node.id, sequence.clone(), Change::Append(value)))
        }
        Op::Insert { after, value } => {
            let (parent, way, index) = entry(finder, root, after, "cannot insert after the document root")?;
            if !parent.is_sequence() {
                return Err(wrong_kind(parent, &way, "sequence"));
            }
            Ok((parent.id, way, Change::Insert(index, value)))
        }
        Op::Remove { path } => {
            let (parent, way, index) = entry(finder, root, path, "cannot remove the document root")?;
            Ok((parent.id, way, Change::Remove(index)))
        }
    }
}

/// Returns the collection of an entry, its path, and the index of the entry.
fn entry<'t, 's>(
    finder: &mut Finder<'t, 's>,
    root: NodeRef<'t, 's>,
    path: &Path,
    why_not: &'static str,
) -> Result<(NodeRef<'t, 's>, Path, usize), EditError> {
    let entry = target::find(finder, root, path)?;
    let Some((way, parent)) = path.parent().zip(entry.parent()) else {
        return Err(EditError::Unsupported { path: path.clone(), line: entry.tree.line(entry.start()), why: why_not });
    };
    let width = if parent.is_mapping() { 2 } else { 1 };
    let index = parent.children().position(|child| child == entry).unwrap_or_default() / width;
    Ok((parent, way, index))
}

/// Error about a node of another kind.
fn wrong_kind(node: NodeRef<'_, '_>, path: &Path, expected: &'static str) -> EditError {
    EditError::WrongKind { path: path.clone(), line: node.tree.line(node.start()), expected }
}

/// Rejects edits inside of nodes that another edit removes, and the removal of an anchor that is used elsewhere.
fn check(root: NodeRef<'_, '_>, targets: &Targets<'_>, sharing: &Sharing<'_, '_>) -> Result<(), EditError> {
    let tree = root.tree;
    // Nodes inside of removed or replaced nodes must not be edited, nor removed nodes themselves.
    let (mut removed, mut replaced) = (HashSet::new(), HashSet::new());
    for (&id, target) in targets {
        let node = NodeRef { tree, id };
        let conflict = || EditError::Conflict { path: target.path.clone() };
        let sets = target.changes.iter().any(|change| matches!(change, Change::Set(_)));
        if sets {
            if target.changes.len() > 1 {
                return Err(conflict());
            }
            replaced.insert(id);
            let lost = id + 1..node.end_id();
            if let Some(anchored) = sharing.anchor_used_outside(&lost) {
                return Err(aliased(anchored, &target.path));
            }
            continue;
        }
        let mut added = HashSet::new();
        if target.changes.iter().any(|change| matches!(change, Change::Add(key, ..) if !added.insert(*key))) {
            return Err(conflict());
        }
        let entries = children(node);
        let goes = |index: usize| target.changes.contains(&Change::Remove(index));
        if target.changes.iter().any(|change| matches!(change, Change::Insert(after, _) if goes(*after))) {
            return Err(conflict());
        }
        for change in &target.changes {
            let Change::Remove(index) = change else { continue };
            let Some(&(start, value)) = entries.get(*index) else { continue };
            removed.insert(value.id);
            if let Some(anchored) = sharing.anchor_used_outside(&(start.id..value.end_id())) {
                let entry = if start == value {
                    target.path.item(*index)
                } else {
                    target.path.key(start.text().unwrap_or_default().to_owned())
                };
                return Err(aliased(anchored, &entry));
            }
        }
    }
    for (&id, target) in targets {
        let node = NodeRef { tree, id };
        let mut ancestors = std::iter::successors(node.parent(), |node| node.parent());
        if removed.contains(&id) || ancestors.any(|node| removed.contains(&node.id) || replaced.contains(&node.id)) {
            return Err(EditError::Conflict { path: target.path.clone() });
        }
    }
    Ok(())
}

/// Returns the entries of a collection: the node at which each entry starts (the key, or the element itself) and the
/// value.
pub(super) fn children<'t, 's>(node: NodeRef<'t, 's>) -> Vec<(NodeRef<'t, 's>, NodeRef<'t, 's>)> {
    match node.kind() {
        Kind::Mapping { .. } => node.entries_without_aliases().collect(),
        Kind::Sequence { .. } => node.children().map(|child| (child, child)).collect(),
        _ => Vec::new(),
    }
}

/// Drafts the changes of one collection, or the new value of one node.
fn apply<'t, 's>(drafts: &mut Drafts<'t, 's>, node: NodeRef<'t, 's>, target: &Target<'_>) -> Result<(), EditError> {
    if let [Change::Set(value)] = target.changes.as_slice() {
        return set::set(drafts, node, value, &target.path, true);
    }
    let adds: Vec<(&str, &Value, &KeyPosition)> = target
        .changes
        .iter()
        .filter_map(
            |change| if let Change::Add(key, value, place) = change { Some((*key, *value, *place)) } else { None },
        )
        .collect();
    let appends: Vec<&Value> = target
        .changes
        .iter()
        .filter_map(|change| if let Change::Append(value) = change { Some(*value) } else { None })
        .collect();
    let inserts = target.changes.iter().filter_map(|change| match change {
        Change::Insert(after, value) => Some((*after, *value)),
        _ => None,
    });
    let mut removed: Vec<usize> = target
        .changes
        .iter()
        .filter_map(|change| if let Change::Remove(index) = change { Some(*index) } else { None })
        .collect();
    removed.sort_unstable();
    removed.dedup();
    let entries = shape::entries(node);
    if entries.len() == removed.len() {
        // All old entries are removed, so the new entries are the whole collection.
        let whole = if appends.is_empty() && (!adds.is_empty() || node.is_mapping()) {
            Value::Map(adds.iter().map(|(key, value, _)| ((*key).to_owned(), (*value).clone())).collect())
        } else {
            Value::Seq(appends.into_iter().cloned().collect())
        };
        if entries.is_empty() && node.raw().contains('#') {
            let line = node.tree.line(node.start());
            let why = "the empty collection contains a comment";
            return Err(EditError::Unsupported { path: target.path.clone(), line, why });
        }
        return set::set(drafts, node, &whole, &target.path, false);
    }
    if node.is_flow() {
        let mut flow = Flow::new(drafts, node, entries, &removed, &target.path)?;
        for (key, value, place) in adds {
            flow.add(key, value, place);
        }
        for (after, value) in inserts {
            flow.insert(after, value);
        }
        for value in appends {
            flow.append(value);
        }
        flow.finish();
        return Ok(());
    }
    let mut block = Block::new(drafts, node, entries);
    block.remove(&removed);
    for (key, value, place) in adds {
        block.add(key, value, place, &removed);
    }
    for (after, value) in inserts {
        block.insert(after, &[value]);
    }
    block.append(&appends);
    Ok(())
}
