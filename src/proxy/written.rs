//! What stands in manifests once a plan is written: variables, keys of ConfigMaps, network policies.

use std::collections::HashMap;

use super::merge::Change;
use super::policy::Policy;
use super::variables::{Variable, VariableValue, Variables};
use crate::model::ObjectId;

/// What a plan writes, as far as a check of it asks.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// By object, template and container.
    pub(super) containers: HashMap<(ObjectId, usize, usize), Variables>,
    /// The containers of packages, by their names.
    pub(super) packages: HashMap<ObjectId, Vec<(String, Variables)>>,
    /// The texts of keys of ConfigMaps that grow.
    pub(super) texts: HashMap<(ObjectId, String), String>,
    /// Network policies that are new, or have other rules.
    pub(super) policies: Vec<Policy>,
}

/// The variables of a container once changes are made.
pub(super) fn changed(variables: &Variables, changes: &[(String, Change)]) -> Variables {
    let mut all = variables.clone();
    for (name, change) in changes {
        let (index, held) = match change {
            Change::Set(index, _, new) | Change::Give(index, new) => (*index, VariableValue::Text(new.clone())),
            Change::Replace(index, held) => (*index, held.clone()),
            Change::Append(held) => {
                let end = all.len.unwrap_or(0);
                all.len = Some(end + 1);
                (end, held.clone())
            }
        };
        all.own.retain(|own| own.index != index);
        let has_value = matches!(held, VariableValue::Text(_));
        all.own.push(Variable { index, name: name.clone(), held, has_value });
    }
    all.own.sort_by_key(|own| own.index);
    all
}
