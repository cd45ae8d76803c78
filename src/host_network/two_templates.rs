//! Workloads whose pods no controller replaces: a Rollout has a template and also names another workload.

use std::collections::BTreeMap;

use super::blocked_moves::BlockedMoves;
use super::workload::Workload;
use crate::judge::rollout_templates::{message, referenced_workload_of_template};
use crate::model::{Meta, Model};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Refuses Rollouts that have a template and also name another workload, and refuses the named
/// workloads.
pub(super) fn refuse_two_templates(model: &Model, workloads: &[Workload<'_>], found: &mut BlockedMoves) {
    let templates =
        model.objects().iter().flat_map(|object| object.templates().iter().map(|template| (&object.meta, template)));
    let rollouts = templates.filter_map(|(meta, template)| Some((meta, referenced_workload_of_template(template)?)));
    let rollouts: Vec<(&Meta, &str)> = rollouts.collect();
    let named =
        rollouts.iter().map(|(meta, other)| ((meta.namespace.as_deref(), (*other).to_owned()), (*meta, *other)));
    let named: BTreeMap<(Option<&str>, String), (&Meta, &str)> = named.collect();
    for workload in workloads.iter().filter(|_| !named.is_empty()) {
        let own = referenced_workload_of_template(workload.template).map(|other| (workload.meta, other));
        let name = format!("{} {}", workload.meta.gvk.kind, workload.meta.name);
        let by_another = || named.get(&(workload.meta.namespace.as_deref(), name)).copied();
        let Some((rollout, other)) = own.or_else(by_another) else { continue };
        let message = message(rollout, other, "would stay in the pod network");
        let finding = Finding::new(Severity::Warning, rule::ROLLOUT_SURGE, message).on_object(workload.id.object);
        found.add(workload, finding.at(workload.template.path.clone()));
    }
}
