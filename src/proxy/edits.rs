//! The changes of a container's variables as edits of its object.

use super::merge::{Change as VariableChange, Merged};
use super::variables::Variables;
use super::writer::Place;
use crate::plan::{Change, Edit};
use crate::rule;
use crate::yaml::{Path, Value};

/// The changes of a container's variables as edits of its object.
pub(super) fn env_edits(place: &Place, variables: &Variables, merged: Merged, edits: &mut Vec<Edit>) {
    let list = place.path.key("env");
    let mut push = |path: Path, change: Change, message: String| {
        edits.push(Edit { object: place.object, path, change, rule: rule::PROXY_VARIABLE, message });
    };
    let mut end = variables.len.unwrap_or(0);
    if variables.len.is_none() && !variables.is_null && !merged.changes.is_empty() {
        push(list.clone(), Change::Add { new: Value::Seq(Vec::new()) }, format!("{}: env is new", place.call));
    }
    for (name, change) in merged.changes {
        let message = format!("{}: {}", place.call, change.shown(&name));
        let at = |index: usize| list.named_item(index, Some(&name));
        match change {
            VariableChange::Set(index, old, new) => {
                push(at(index).key("value"), Change::Set { old: Value::Str(old), new: Value::Str(new) }, message);
            }
            VariableChange::Give(index, new) => {
                push(at(index).key("value"), Change::Add { new: Value::Str(new) }, message);
            }
            VariableChange::Replace(index, held) => {
                let old =
                    variables.own.iter().find(|own| own.index == index).map_or(Value::Null, |own| own.held.item(&name));
                push(at(index), Change::Set { old, new: held.item(&name) }, message);
            }
            VariableChange::Append(held) => {
                push(at(end), Change::Add { new: held.item(&name) }, message);
                end += 1;
            }
        }
    }
}
