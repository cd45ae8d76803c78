//! A plan as edits of documents: one list of YAML operations an object.

use std::collections::BTreeMap;
use std::ops::Range;

use super::order::place;
use crate::model::ObjectId;
use crate::plan::{Change, Edit};
use crate::yaml::{Op, Path, Step, Value};

/// The operations of each object that changes.
///
/// Changes inside one text become one replacement of it, and elements of a list that is itself new become its value.
#[must_use]
pub fn ops<'p>(edits: impl IntoIterator<Item = &'p Edit>) -> BTreeMap<ObjectId, Vec<Op>> {
    let mut objects: BTreeMap<ObjectId, Vec<&Edit>> = BTreeMap::new();
    for edit in edits {
        objects.entry(edit.object).or_default().push(edit);
    }
    objects.into_iter().map(|(object, edits)| (object, of_object(&edits))).collect()
}

/// A range of a text, and what stands there then.
type Part<'e> = (Range<usize>, &'e str);

/// The operations of one object.
pub(super) fn of_object(edits: &[&Edit]) -> Vec<Op> {
    let mut ops: Vec<Op> = Vec::new();
    let mut texts: BTreeMap<&Path, (&str, Vec<Part<'_>>)> = BTreeMap::new();
    // Elements by their list, each with its planned position.
    let mut elements: Vec<(Path, Vec<(usize, &Value)>)> = Vec::new();
    for edit in edits {
        match &edit.change {
            Change::Set { new, .. } => {
                let op = Op::Set { path: edit.path.clone(), value: new.clone() };
                if !ops.contains(&op) {
                    ops.push(op);
                }
            }
            Change::Text { old, range, new } => {
                let (_, ranges) = texts.entry(&edit.path).or_insert_with(|| (old, Vec::new()));
                if !ranges.iter().any(|(known, _)| known == range) {
                    ranges.push((range.clone(), new));
                }
            }
            Change::Add { new } => match (edit.path.parent(), edit.path.last()) {
                (Some(list), Some(Step::Item { index, .. })) => {
                    match elements.iter_mut().find(|(known, _)| *known == list) {
                        Some((_, values)) => values.push((*index, new)),
                        None => elements.push((list, vec![(*index, new)])),
                    }
                }
                (Some(parent), Some(Step::Key(key))) => {
                    let place = place(&edit.path);
                    ops.push(Op::Add { parent, key: key.to_string(), value: new.clone(), place });
                }
                _ => {}
            },
            Change::Remove { .. } => ops.push(Op::Remove { path: edit.path.clone() }),
            Change::AddDocument { .. } | Change::RemoveDocument => {}
        }
    }
    for (path, (old, ranges)) in texts {
        ops.push(Op::Set { path: path.clone(), value: Value::Str(replaced(old, ranges)) });
    }
    for (list, mut values) in elements {
        values.sort_by_key(|(index, _)| *index);
        let values = values.into_iter().map(|(_, value)| value.clone());
        // A list that is new itself is written together with its elements.
        let new_list = ops.iter_mut().find_map(|op| match op {
            Op::Add { parent, key, value: Value::Seq(elements), .. } if parent.key(key.clone()) == list => {
                Some(elements)
            }
            _ => None,
        });
        match new_list {
            Some(elements) => elements.extend(values),
            None => ops.extend(values.map(|value| Op::Append { sequence: list.clone(), value })),
        }
    }
    ops
}

/// A text with ranges of it replaced.
fn replaced(text: &str, mut ranges: Vec<Part<'_>>) -> String {
    ranges.sort_by_key(|(range, _)| range.start);
    let mut new = String::with_capacity(text.len());
    let mut end = 0;
    for (range, with) in ranges {
        new.push_str(text.get(end..range.start).unwrap_or_default());
        new.push_str(with);
        end = range.end;
    }
    new.push_str(text.get(end..).unwrap_or_default());
    new
}
