//! Objects of files that a run changes, for a comparison with the patches of a kustomization.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::function::ObjectIndex;
use crate::model::{Meta, ObjectId};
use crate::plan::{Change, Edit, Plan};
use crate::releases::{NewValue, place_of};
use crate::rule;
use lossless_yaml::Value;

/// An object of a file that a run changes.
#[derive(Debug)]
pub struct ChangedObject {
    /// Identity of the object.
    pub meta: Meta,
    /// File with the object.
    pub file: PathBuf,
    /// Position of the input, and of the object in it.
    pub index: (usize, usize),
    /// Changed fields.
    pub new: Vec<NewValue>,
    /// Old numbers of listeners that get another port.
    pub moved: BTreeSet<u16>,
    /// Numbers of listeners that the run declares and does not move.
    pub declared: BTreeSet<u16>,
}

/// Returns the changed objects of files, without new and removed objects.
pub(super) fn changed_objects(plan: &Plan, read: &ObjectIndex<'_>) -> Vec<ChangedObject> {
    let mut found: BTreeMap<ObjectId, ChangedObject> = BTreeMap::new();
    for edit in plan.all_edits() {
        let known = found.remove(&edit.object).or_else(|| {
            let index = read.input_of(edit.object)?;
            let file = read.inputs.get(index.0)?.origin().path()?.to_owned();
            let (new, moved, declared) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
            Some(ChangedObject { meta: read.metas.get(edit.object)?.clone(), file, index, new, moved, declared })
        });
        if let Some(mut object) = known {
            add_values(edit, &mut object.new);
            object.declared.extend(declared(edit));
            found.insert(edit.object, object);
        }
    }
    for moved in &plan.moves {
        if let Some(object) = found.get_mut(&moved.workload.object) {
            object.moved.insert(moved.from);
        }
    }
    found.into_values().collect()
}

/// Adds the new values of an edit; the fields of a new mapping are values of their own.
fn add_values(edit: &Edit, values: &mut Vec<NewValue>) {
    let mut place = place_of(&edit.path.steps());
    match &edit.change {
        Change::Set { new, .. } | Change::Add { new } => add_value(place, new, values),
        Change::Text { .. } | Change::Remove { .. } => values.push(NewValue { place, text: None }),
        Change::Insert { .. } => {
            // The index of the new element is unknown until the edit is applied.
            if let Some(position) = place.last_mut() {
                "+".clone_into(position);
            }
            values.push(NewValue { place, text: None });
        }
        Change::AddDocument { .. } | Change::RemoveDocument => {}
    }
}

/// Adds the scalars of a new value, with their paths.
fn add_value(place: Vec<String>, new: &Value, values: &mut Vec<NewValue>) {
    let mut open = vec![(place, new)];
    while let Some((place, new)) = open.pop() {
        match new {
            Value::Map(fields) => {
                let below = |key: &String| place.iter().chain([key]).cloned().collect();
                open.extend(fields.iter().map(|(key, value)| (below(key), value)));
            }
            Value::Seq(_) => values.push(NewValue { place, text: None }),
            scalar => values.push(NewValue { place, text: Some(scalar.to_string()) }),
        }
    }
}

/// Number of a port that an edit declares.
fn declared(edit: &Edit) -> Option<u16> {
    let Change::Add { new: Value::Map(fields) } = &edit.change else { return None };
    let number = fields.iter().find_map(|(key, value)| match value {
        Value::Int(number) if key == "containerPort" => u16::try_from(*number).ok(),
        _ => None,
    });
    number.filter(|_| edit.rule == rule::PORT_DECLARED)
}
