//! The state of manifests after a plan: variables, ConfigMap keys, network policies.

use std::collections::HashMap;

use super::merge::{Change, Merged};
use super::policy::Policy;
use super::variables::{Variable, VariableValue, Variables};
use crate::model::ObjectId;

/// The results of a plan that the check reads.
#[derive(Debug, Default)]
pub(super) struct PlannedState {
    /// Variables by object, pod template and container.
    pub(super) containers: HashMap<(ObjectId, usize, usize), Variables>,
    /// Variables of packages, by container name.
    pub(super) packages: HashMap<ObjectId, Vec<(String, Variables)>>,
    /// New texts of ConfigMap keys.
    pub(super) texts: HashMap<(ObjectId, String), String>,
    /// Network policies that are new or changed.
    pub(super) policies: Vec<Policy>,
}

/// Applies changes to the variables of a container.
pub(super) fn changed(variables: &Variables, merged: &Merged) -> Variables {
    let mut all = variables.clone();
    let names = all.names.get_or_insert_default();
    let start = merged.after.map_or(names.len(), |after| after + 1);
    let new = merged.changes.iter().filter_map(|(name, change)| match change {
        Change::New(held) => Some((name.clone(), held.clone())),
        _ => None,
    });
    let new: Vec<(String, VariableValue)> = new.collect();
    for (name, change) in &merged.changes {
        let (index, held) = match change {
            Change::Set(index, _, new) | Change::Give(index, new) => (*index, VariableValue::Text(new.clone())),
            Change::Replace(index, held) => (*index, held.clone()),
            Change::New(_) => continue,
        };
        all.own.retain(|variable| variable.index != index);
        all.own.push(Variable::new(index, name.clone(), held));
    }
    for variable in all.own.iter_mut().filter(|variable| variable.index >= start) {
        variable.index += new.len();
    }
    let start = start.min(names.len());
    names.splice(start..start, new.iter().map(|(name, _)| name.clone()));
    all.own.extend(new.into_iter().zip(start..).map(|((name, held), index)| Variable::new(index, name, held)));
    all.own.sort_by_key(|variable| variable.index);
    all
}
