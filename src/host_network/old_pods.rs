//! Moved workloads whose pods an apply does not replace: old pods stay in the pod network, with their old numbers.

use std::collections::BTreeSet;

use super::service_order::missed_by_old_pods;
use super::workload::Workload;
use crate::model::Model;
use crate::model::pod::{OldPods, OldPodsReason};
use crate::plan::{Finding, Plan, listed};
use crate::rule::{self, Severity};

/// Maximum number of names in a message.
const NAMED: usize = 5;

/// One finding for each moved workload whose old pods stay: a warning if a Service leads to the new number at once, so
/// that it reaches no old pod.
pub(super) fn report_old_pods(model: &Model, workloads: &[Workload<'_>], plan: &Plan) -> Vec<Finding> {
    let finding = |workload: &Workload<'_>| {
        let old = workload.template.old_pods.as_deref()?;
        let moves = || plan.moves.iter().filter(|moved| moved.workload == workload.id);
        let is_changed = moves().next().is_some()
            || plan.edits.iter().any(|edit| {
                edit.object == workload.id.object && edit.path.steps().starts_with(&workload.template.path.steps())
            });
        let missed = moves().flat_map(missed_by_old_pods).filter_map(|edit| model.object(edit.object));
        let services: BTreeSet<String> = missed.map(|service| service.meta.to_string()).collect();
        is_changed.then(|| old_pods_finding(workload, old, &services))
    };
    workloads.iter().filter_map(finding).collect()
}

/// Finding about the old pods of a workload, which these Services no longer reach.
fn old_pods_finding(workload: &Workload<'_>, old: &OldPods, services: &BTreeSet<String>) -> Finding {
    let OldPods { path, value, reason } = old;
    let (cause, remedy) = match reason {
        OldPodsReason::Immutable => (
            format!("where it is in the cluster already, the API server refuses the changed pod template of a {value}"),
            "Delete it before the apply",
        ),
        OldPodsReason::NotReplaced if path.last().is_none() => (
            format!("a {value} never replaces its pods, so they stay in the pod network"),
            "Delete its old pods after the apply",
        ),
        OldPodsReason::NotReplaced => {
            (format!("{path} is `{value}`, so its old pods stay in the pod network"), "Delete them after the apply")
        }
        OldPodsReason::Paused => (
            format!("{path} is `{value}`, so its old pods stay in the pod network"),
            "Resume the rollout after the apply",
        ),
        OldPodsReason::Partition => (
            format!("{path} is `{value}`, so some of its old pods stay in the pod network"),
            "Lower the partition to 0 after the apply",
        ),
    };
    let unreached = match services.is_empty() {
        true => String::new(),
        false => format!(", and {} no longer reaches the old pods", listed(services, NAMED)),
    };
    let severity = if services.is_empty() { Severity::Info } else { Severity::Warning };
    let message = format!("{workload}: {cause}{unreached}. {remedy}");
    Finding::new(severity, rule::ROLLOUT, message).on_object(workload.id.object).at(path.clone())
}
