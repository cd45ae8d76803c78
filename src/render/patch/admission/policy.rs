//! The policy for one object, or for several objects with equal changes.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::generated::GeneratedName;
use crate::model::Meta;

/// Maximum number of objects of one policy, so that the list of their names stays shorter than an expression may be.
const MAX_OBJECTS: usize = 200;

/// A MutatingAdmissionPolicy that makes the planned changes of its objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MutatingPolicy {
    /// Identity of the object.
    pub meta: Meta,
    /// Identities of further objects with the same expressions.
    pub(super) alike: Vec<Meta>,
    /// Controller and pattern of a name that changes; `None` for a fixed name.
    pub(super) generated: Option<GeneratedName>,
    /// True if the name has a generated part, also where `generated` is `None` because the controller does not identify
    /// the object.
    pub(super) is_generated: bool,
    /// True for a Service with a port that gets a number as its target.
    pub(super) sets_target_number: bool,
    /// Messages that describe the changes.
    pub(super) reasons: Vec<String>,
    /// Expression that is true for an object that fits the plan.
    pub(super) fits: String,
    /// Expression that is true for an object with all changes.
    pub(super) done: String,
    /// Names and expressions of the indexes of list elements.
    pub(super) variables: Vec<(String, String)>,
    /// Expression for the JSON patch.
    pub(super) mutation: String,
}

impl MutatingPolicy {
    /// All objects of the policy.
    pub fn objects(&self) -> impl Iterator<Item = &Meta> {
        std::iter::once(&self.meta).chain(&self.alike)
    }
}

/// Everything that objects of one policy have in common.
type Key<'p> = (&'p str, &'p str, &'p str, bool, Option<&'p GeneratedName>, [&'p str; 3], &'p [(String, String)]);

/// Key of a policy: the match and the changes.
fn key(policy: &MutatingPolicy) -> Key<'_> {
    let MutatingPolicy { meta, generated, fits, done, variables, mutation, .. } = policy;
    let gvk = &meta.gvk;
    let texts = [fits, done, mutation].map(String::as_str);
    (&gvk.group, &gvk.version, &gvk.kind, meta.namespace.is_some(), generated.as_ref(), texts, variables)
}

/// Joins policies of objects that differ only in their names.
///
/// `generated` counts the input's objects of each generated name. If one of these objects has other changes or no
/// changes, their controller does not identify them, and a policy matches each by its current name.
pub fn join(mut policies: Vec<MutatingPolicy>, generated: &BTreeMap<GeneratedName, usize>) -> Vec<MutatingPolicy> {
    let mut counts: HashMap<Key<'_>, usize> = HashMap::new();
    for policy in &policies {
        *counts.entry(key(policy)).or_default() += 1;
    }
    let is_identified = |policy: &MutatingPolicy| {
        let all = policy.generated.as_ref().and_then(|name| generated.get(name));
        all.is_some_and(|all| counts.get(&key(policy)) == Some(all))
    };
    let identified: Vec<bool> = policies.iter().map(is_identified).collect();
    for (policy, _) in policies.iter_mut().zip(identified).filter(|(_, is_identified)| !is_identified) {
        policy.generated = None;
    }
    let mut positions: HashMap<Key<'_>, usize> = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, policy) in policies.iter().enumerate() {
        let position = positions.entry(key(policy)).or_insert(groups.len());
        match groups.get_mut(*position).filter(|group| group.len() < MAX_OBJECTS) {
            Some(group) => group.push(index),
            None => {
                *position = groups.len();
                groups.push(vec![index]);
            }
        }
    }
    let mut left: Vec<Option<MutatingPolicy>> = policies.into_iter().map(Some).collect();
    let joined = groups.into_iter().filter_map(|group| {
        let mut members = group.into_iter().filter_map(|index| left.get_mut(index)?.take());
        let mut first = members.next()?;
        for MutatingPolicy { meta, reasons, .. } in members {
            first.alike.push(meta);
            first.reasons.extend(reasons);
        }
        let mut known = HashSet::new();
        first.reasons.retain(|reason| known.insert(reason.clone()));
        Some(first)
    });
    joined.collect()
}
