//! Objects that are in the input more than once, with different content.

use std::collections::{BTreeMap, HashMap};

use super::{Finding, Situation};
use crate::api::GROUP;
use crate::model::facts::package;
use crate::rule::{DUPLICATE_OBJECT, Severity};
use crate::yaml::Path;

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut first: HashMap<_, usize> = HashMap::new();
    let mut findings = Vec::new();
    // Two files that hold one object mostly hold others too: one finding for all of them.
    let mut across: BTreeMap<_, Vec<(usize, usize)>> = BTreeMap::new();
    for (id, object) in situation.model.objects().iter().enumerate() {
        let meta = &object.meta;
        if meta.name.is_empty() || meta.gvk.group == GROUP || meta.is_local_config() {
            continue;
        }
        // Packages are the cluster's, whatever namespace is written in them.
        let namespace = meta.namespace.as_deref().filter(|_| meta.gvk.group != package::GROUP);
        let known = *first.entry((&meta.gvk.group, &meta.gvk.kind, namespace, &meta.name)).or_insert(id);
        let digest = |id: usize| situation.facts.get(id).map(|facts| facts.digest);
        if known == id || digest(known) == digest(id) {
            continue;
        }
        let files = (situation.inputs.get(known), situation.inputs.get(id));
        if files.0 != files.1 {
            if situation.is_judged(id) {
                across.entry(files).or_default().push((known, id));
            }
            continue;
        }
        let message = format!(
            "{meta} is in the input more than once, with different content: which of them the cluster ends up with is undefined. Remove one"
        );
        let finding = Finding::new(Severity::Error, DUPLICATE_OBJECT, message).on(id).at(Path::root());
        findings.push(finding.with(known, Path::root()));
    }
    for pairs in across.into_values() {
        let Some(&(known, id)) = pairs.first() else { continue };
        let Some(meta) = situation.model.object(id).map(|object| &object.meta) else { continue };
        let more = match pairs.len() - 1 {
            0 => "is".to_owned(),
            1 => "and 1 more object are".to_owned(),
            more => format!("and {more} more objects are"),
        };
        let message = format!(
            "{meta} {more} in two files with different content: a base and its overlay, or two clusters. Check what is rendered for one \
             cluster at a time"
        );
        let finding = Finding::new(Severity::Warning, DUPLICATE_OBJECT, message).on(id).at(Path::root());
        findings.push(finding.with(known, Path::root()));
    }
    findings
}
