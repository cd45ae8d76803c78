//! Objects that are in the input more than once, with different content.

use std::collections::HashMap;

use crate::api::GROUP;
use crate::model::package;
use crate::rule::{DUPLICATE_OBJECT, Severity};
use crate::yaml::Path;

use super::{Finding, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut first: HashMap<_, usize> = HashMap::new();
    let mut findings = Vec::new();
    for (id, object) in situation.model.objects().iter().enumerate() {
        let meta = &object.meta;
        if meta.name.is_empty() || meta.gvk.group == GROUP || meta.is_local_config() {
            continue;
        }
        // Packages are the cluster's, whatever namespace is written in them.
        let namespace = meta.namespace.as_deref().filter(|_| meta.gvk.group != package::GROUP);
        let known = first.entry((&meta.gvk.group, &meta.gvk.kind, namespace, &meta.name)).or_insert(id);
        let digest = |id: usize| situation.facts.get(id).map(|facts| facts.digest);
        if *known == id || digest(*known) == digest(id) {
            continue;
        }
        let in_one = situation.inputs.get(*known) == situation.inputs.get(id);
        let (severity, what) = if in_one {
            (Severity::Error, "which of them the cluster ends up with is undefined. Remove one")
        } else {
            (
                Severity::Warning,
                "in two files: bases and overlays, or two clusters. Check what is rendered for one cluster at a time",
            )
        };
        let message = format!("{meta} is in the input more than once, with different content: {what}");
        let finding = Finding::new(severity, DUPLICATE_OBJECT, message).at(id, Path::root());
        findings.push(finding.with(*known, Path::root()));
    }
    findings
}
