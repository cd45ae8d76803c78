//! Converts a plan to document edits: YAML operations by object, new objects, removed objects.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::deduplicate;
use super::fold::{self, Folded, PortReplacement};
use super::order::key_position;
use crate::model::ObjectId;
use crate::plan::{Change, Content, Edit};
use krm::{Added, Changes};
use lossless_yaml::{Op, Path, Step, Value};

/// Changes of a plan, grouped by object.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ops {
    /// Operations of each changed object.
    pub edits: BTreeMap<ObjectId, Vec<Op>>,
    /// New objects, in the order of the plan.
    pub added: Vec<NewDocument>,
    /// Removed objects.
    pub removed: BTreeSet<ObjectId>,
    /// Objects with contradicting changes, each with the reason.
    pub refused: Vec<(ObjectId, String)>,
}

/// A new object.
#[derive(Debug, PartialEq, Eq)]
pub struct NewDocument {
    /// Id of the new object, after all ids of the input.
    pub object: ObjectId,
    /// Input object after which the new object is written.
    pub after: ObjectId,
    /// Content; values include all planned changes.
    pub content: Content,
    /// Operations applied to the content.
    pub ops: Vec<Op>,
}

impl Ops {
    /// Removes and returns the changes of objects from `first` on, as changes of the input that starts with `first`.
    pub fn split_off(&mut self, first: ObjectId) -> Changes {
        let edits = self.edits.split_off(&first).into_iter().map(|(id, ops)| (id - first, ops)).collect();
        let removed = self.removed.split_off(&first).into_iter().map(|id| id - first).collect();
        let mut added: BTreeMap<usize, Vec<Added>> = BTreeMap::new();
        for new in self.added.extract_if(.., |new| new.after >= first) {
            let object = match new.content {
                Content::Copy => Added::Copy(new.ops),
                Content::New(value) => Added::New(value, new.ops),
            };
            added.entry(new.after - first).or_default().push(object);
        }
        Changes { edits, added, removed }
    }
}

/// Converts all edits to operations.
///
/// Changes inside one text become one replacement; additions below an added value become part of that value. Equal
/// edits from several moves are made once.
pub fn ops<'p>(edits: impl IntoIterator<Item = &'p Edit>) -> Ops {
    let mut objects: BTreeMap<ObjectId, Vec<&Edit>> = BTreeMap::new();
    let mut new: Vec<(ObjectId, ObjectId, &Content)> = Vec::new();
    let mut removed = BTreeSet::new();
    for edit in edits {
        match &edit.change {
            Change::AddDocument { after, content } => new.push((edit.object, *after, content)),
            Change::RemoveDocument => _ = removed.insert(edit.object),
            _ => objects.entry(edit.object).or_default().push(edit),
        }
    }
    let (mut added, mut refused) = (Vec::new(), Vec::new());
    let mut of_object = |object, edits: &[&Edit]| match of_object(edits) {
        Ok(ops) => ops,
        Err(why) => {
            refused.push((object, why));
            Vec::new()
        }
    };
    for (object, after, content) in new {
        let edits = objects.remove(&object).unwrap_or_default();
        let (content, ops) = match content {
            Content::Copy => (Content::Copy, of_object(after, &edits)),
            Content::New(value) => {
                let (value, rest) = fold::into_value(&Path::root(), value, &deduplicate::without_duplicates(&edits));
                (Content::New(value), of_object(after, &rest))
            }
        };
        added.push(NewDocument { object, after, content, ops });
    }
    // A removed object is not edited.
    objects.retain(|object, _| !removed.contains(object));
    let edits = objects.into_iter().map(|(object, edits)| (object, of_object(object, &edits))).collect();
    Ops { edits, added, removed, refused }
}

/// Returns the operations of one object, or the reason why its changes contradict each other.
pub(super) fn of_object(edits: &[&Edit]) -> Result<Vec<Op>, String> {
    let edits = deduplicate::without_duplicates(edits);
    let (replacements, rest) = fold::replacements(&edits);
    if let Some(why) = deduplicate::contradiction(&rest) {
        return Err(why);
    }
    let Folded { added, rest } = fold::fold(&rest);
    let mut ops: Vec<Op> = replacements.into_iter().map(|(path, value)| Op::Set { path, value }).collect();
    let mut texts: BTreeMap<&Path, (&str, Vec<PortReplacement>)> = BTreeMap::new();
    for edit in rest {
        match &edit.change {
            Change::Set { new, .. } => {
                ops.push(Op::Set { path: edit.path.clone(), value: new.clone() });
            }
            Change::Text { old, range, new } => {
                let (_, ranges) = texts.entry(&edit.path).or_insert_with(|| (old, Vec::new()));
                ranges.push((range.clone(), *new));
            }
            Change::Insert { new } => ops.push(Op::Insert { after: edit.path.clone(), value: new.clone() }),
            Change::Remove { .. } => ops.push(Op::Remove { path: edit.path.clone() }),
            Change::Add { .. } | Change::AddDocument { .. } | Change::RemoveDocument => {}
        }
    }
    // List elements grouped by list, each with its planned position; lists in plan order.
    let mut elements: Vec<(Path, Vec<(usize, Value)>)> = Vec::new();
    let mut lists: HashMap<Path, usize> = HashMap::new();
    for (path, value) in added {
        match (path.parent(), path.last()) {
            (Some(list), Some(Step::Item { index, .. })) => {
                let position = *lists.entry(list.clone()).or_insert(elements.len());
                match elements.get_mut(position) {
                    Some((_, values)) => values.push((*index, value)),
                    None => elements.push((list, vec![(*index, value)])),
                }
            }
            (Some(parent), Some(Step::Key(key))) => {
                ops.push(Op::Add { parent, key: key.to_string(), value, place: key_position(&path) });
            }
            _ => {}
        }
    }
    for (path, (old, ranges)) in texts {
        ops.push(Op::Set { path: path.clone(), value: Value::Str(fold::replaced(old, ranges)) });
    }
    for (sequence, mut values) in elements {
        values.sort_by_key(|(index, _)| *index);
        ops.extend(values.into_iter().map(|(_, value)| Op::Append { sequence: sequence.clone(), value }));
    }
    Ok(ops)
}
