//! Argo Rollouts with both a pod template and a `workloadRef`, whose pods have a host port.

use crate::check::facts::KindFacts;
use crate::check::{CheckContext, Finding};
use crate::judge::rollout_templates::message;
use crate::model::{Meta, ObjectId};
use crate::rule::{ROLLOUT_SURGE, Severity};
use lossless_yaml::Path;

/// True for a Rollout with both a pod template and a `workloadRef`: it never replaces pods.
pub(super) fn has_template_and_workload_ref(context: &CheckContext<'_>, id: ObjectId) -> bool {
    let facts = context.facts.get(id).map(|facts| &facts.by_kind);
    matches!(facts, Some(KindFacts::RolloutWithReference(instead)) if instead.has_template)
}

/// Reports Rollouts with both a pod template and a `workloadRef`, if their pods or the pods of the referenced workload
/// use a port of their node.
pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let all = context
        .all_of(|facts| if let KindFacts::RolloutWithReference(instead) = facts { Some(&**instead) } else { None });
    let mut findings = Vec::new();
    for (id, meta, instead) in all.filter(|(.., instead)| instead.has_template) {
        let (kind, name) = &instead.workload;
        let is_other =
            |other: &Meta| other.namespace == meta.namespace && other.gvk.kind == *kind && other.name == *name;
        let is_about = |other: ObjectId, other_meta: &Meta| other == id || is_other(other_meta);
        let mut pods = context.workloads.iter().filter(|workload| is_about(workload.object, workload.meta));
        let Some(held) = pods.find_map(|workload| workload.template.held_ports().next()) else { continue };
        let pods = format!("have port {}/{} of their nodes", held.number, held.protocol);
        let message = message(meta, &format!("{kind} {name}"), &pods);
        let finding =
            Finding::new(Severity::Error, ROLLOUT_SURGE, message).on_object(id).at(Path::dotted("spec.workloadRef"));
        let fix = "remove `template` or `workloadRef`: a Rollout with both never replaces its pods";
        findings.push(finding.brief(fix, "").of_port(held.number));
    }
    findings
}
