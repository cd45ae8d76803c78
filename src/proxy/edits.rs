//! Converts the variable changes of a container to edits of its object.

use super::merge::{Change as VariableChange, Merged};
use super::planned_state::changed;
use super::variables::{NAMES, VariableValue, Variables, without_password};
use super::writer::ContainerPlace;
use crate::plan::{Change, Edit, MergedChange, Message};
use crate::rule;
use lossless_yaml::{Path, Value};

/// Converts the variable changes of a container to edits of its object; `None` without changes.
pub(super) fn env_edits(place: &ContainerPlace, variables: &Variables, merged: Merged) -> Option<MergedChange> {
    if merged.changes.is_empty() {
        return None;
    }
    let list = place.path.key("env");
    let message = place.message(describe_values(variables, &merged));
    let mut edits = Vec::new();
    let mut push = |path: Path, change: Change, message: Message| {
        edits.push(Edit { object: place.object, path, change, rule: rule::PROXY_VARIABLE, message });
    };
    let mut end = variables.names.as_ref().map_or(0, Vec::len);
    if variables.names.is_none() && !variables.is_null {
        push(list.clone(), Change::Add { new: Value::Seq(Vec::new()) }, place.message("env is new"));
    }
    let at = |index: usize, name: Option<&str>| list.named_item(index, name);
    for (name, change) in merged.changes {
        let message = place.message(change.display_change(&name));
        let own = Some(name.as_str());
        match change {
            VariableChange::Set(index, old, new) => {
                push(at(index, own).key("value"), Change::Set { old: Value::Str(old), new: Value::Str(new) }, message);
            }
            VariableChange::Give(index, new) => {
                push(at(index, own).key("value"), Change::Add { new: Value::Str(new) }, message);
            }
            VariableChange::Replace(index, held) => {
                let old = variables
                    .own
                    .iter()
                    .find(|variable| variable.index == index)
                    .map_or(Value::Null, |variable| variable.held.item(&name));
                push(at(index, own), Change::Set { old, new: held.item(&name) }, message);
            }
            VariableChange::New(held) => match merged.after {
                Some(after) => {
                    let name_of = |names: &Vec<String>| names.get(after).cloned();
                    let before = variables.names.as_ref().and_then(name_of);
                    push(at(after, before.as_deref()), Change::Insert { new: held.item(&name) }, message);
                }
                None => {
                    push(at(end, own), Change::Add { new: held.item(&name) }, message);
                    end += 1;
                }
            },
        }
    }
    Some(MergedChange { object: place.object, path: list, rule: rule::PROXY_VARIABLE, message, edits })
}

/// Describes the new values of the changed variables, and `NO_PROXY` even if unchanged: `HTTPS_PROXY, https_proxy =
/// http://p:3128; NO_PROXY = example.com`.
fn describe_values(variables: &Variables, merged: &Merged) -> String {
    let written = changed(variables, merged);
    let mut parts: Vec<String> = Vec::new();
    for upper in NAMES {
        let is_list = upper == "NO_PROXY";
        let mut by_text: Vec<(String, Vec<String>)> = Vec::new();
        for name in [upper.to_owned(), upper.to_ascii_lowercase()] {
            let Some(variable) = written.last(&name) else { continue };
            let changes = merged.changes.iter().any(|(changed, _)| *changed == name);
            if !changes && !is_list {
                continue;
            }
            let text = match &written.origin(variable).held {
                VariableValue::Text(text) if is_list => text.clone(),
                VariableValue::Text(text) => without_password(text),
                held => held.display_value(),
            };
            match by_text.iter_mut().find(|(known, _)| *known == text) {
                Some((_, names)) => names.push(name),
                None => by_text.push((text, vec![name])),
            }
        }
        parts.extend(by_text.into_iter().map(|(text, names)| format!("{} = {text}", names.join(", "))));
    }
    parts.join("; ")
}
