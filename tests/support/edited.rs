//! Applies operations to objects with an independent model, JSON values, instead of the product's.

use krm::{Added, Changes};
use lossless_yaml::{Op, Path, Step, Value as Written};
use serde_json::{Map, Value, json};

/// The expected objects after the changes. `count` is the actual number of objects: if removed objects are still
/// present, they must have the annotation `local-config`.
pub(crate) fn expected(before: &[Value], changes: &Changes, count: usize) -> Vec<Value> {
    let added: usize = changes.added.values().map(Vec::len).sum();
    let stays = count == before.len() + added;
    let mut wanted = Vec::new();
    for (index, object) in before.iter().enumerate() {
        let none = Vec::new();
        let own = edited(object, changes.edits.get(&index).unwrap_or(&none));
        if !changes.removed.contains(&index) {
            wanted.push(own);
        } else if stays {
            let mut marked = own;
            marked["metadata"]["annotations"]["config.kubernetes.io/local-config"] = json!("true");
            wanted.push(marked);
        }
        for new in changes.added.get(&index).into_iter().flatten() {
            wanted.push(match new {
                Added::Copy(ops) => edited(object, ops),
                Added::New(value, ops) => edited(&value_of(value), ops),
            });
        }
    }
    wanted
}

/// Applies operations to an object. All paths refer to the original object, so operations that shift list items run
/// last, from the end of the list.
pub(crate) fn edited(object: &Value, ops: &[Op]) -> Value {
    let mut object = object.clone();
    let mut moving: Vec<(&Path, Option<&Written>)> = Vec::new();
    for op in ops {
        let Some(at) = value_at(&mut object, op.path()) else {
            return json!(format!("there is no {}", op.path()));
        };
        match op {
            Op::Set { value, .. } => *at = value_of(value),
            Op::Add { key, value, .. } => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                at[key.as_str()] = value_of(value);
            }
            Op::Append { value, .. } => {
                if at.is_null() {
                    *at = json!([]);
                }
                at.as_array_mut().unwrap().push(value_of(value));
            }
            Op::Insert { after, value } => moving.push((after, Some(value))),
            Op::Remove { path } => moving.push((path, None)),
        }
    }
    let index = |step: &Step| match step {
        Step::Item { index, .. } => *index,
        Step::Key(_) => 0,
    };
    moving.sort_by_key(|(path, new)| (path.steps().into_iter().map(index).collect::<Vec<_>>(), new.is_some()));
    for (path, new) in moving.into_iter().rev() {
        match (value_at(&mut object, &path.parent().unwrap()).unwrap(), path.last().unwrap(), new) {
            (Value::Array(items), Step::Item { index, .. }, Some(new)) => items.insert(*index + 1, value_of(new)),
            (Value::Array(items), Step::Item { index, .. }, None) => drop(items.remove(*index)),
            (Value::Object(map), Step::Key(key), None) => drop(map.remove(key.as_ref()).unwrap()),
            (at, step, _) => panic!("{step:?} of {at}"),
        }
    }
    object
}

fn value_at<'v>(object: &'v mut Value, path: &Path) -> Option<&'v mut Value> {
    path.steps().into_iter().try_fold(object, |value, step| match step {
        Step::Key(key) => value.get_mut(key.as_ref()),
        Step::Item { index, .. } => value.get_mut(index),
    })
}

pub(crate) fn value_of(value: &Written) -> Value {
    match value {
        Written::Null => Value::Null,
        Written::Bool(value) => json!(value),
        Written::Int(value) => json!(value),
        Written::Str(text) => json!(text),
        Written::Raw(text) => serde_yaml::from_str(text).unwrap_or_else(|_| json!(text)),
        Written::Seq(items) => items.iter().map(value_of).collect(),
        Written::Map(entries) => entries.iter().map(|(key, value)| (key.clone(), value_of(value))).collect(),
    }
}
