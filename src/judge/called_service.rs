//! Message of rule `port-called` for Services that the API server calls and whose pods cannot be found in the input.

use crate::catalog::run_time_label_setter;
use crate::model::listener::{CalledWithoutPods, PossiblePods};
use crate::model::{Model, WorkloadId};
use crate::plan::listed;

/// Maximum number of workloads or labels that a message lists.
const MAX_LISTED: usize = 5;

/// Message of rule `port-called`: the caller of the Service, the reason why its pods are unknown, and a remedy.
pub(crate) fn message(model: &Model, called: &CalledWithoutPods<'_>) -> String {
    let name = |id: WorkloadId| model.object(id.object).map(|object| object.meta.to_string()).unwrap_or_default();
    let fit = match &called.possible_pods {
        PossiblePods::NoSelector => {
            "which has no selector in the input: its pods are not known. If they run in this cluster, select their workload by name".to_owned()
        }
        PossiblePods::AtRunTime { workload, label: (key, value) } => {
            let by = run_time_label_setter(key).unwrap_or("A program");
            format!(
                "which selects pods by label `{key}: {value}`. Running pods get that label from {by}; only {} has the other labels of the \
                 selector, so it is treated as called",
                name(*workload)
            )
        }
        PossiblePods::NamespaceMissing(workloads) => {
            let (with, without) = match called.meta.namespace.is_some() {
                true => ("the Service", "the workload"),
                false => ("the workload", "the Service"),
            };
            format!(
                "whose selector has the labels of {}, but only {with} has a namespace: it is unknown whether the Service selects these pods, so the \
                 workload is not treated as called. Write the namespace into {without} too, or run hostnet on a render that has both",
                listed(workloads.iter().map(|id| name(*id)), MAX_LISTED)
            )
        }
        PossiblePods::Candidates { workloads, selector } if workloads.is_empty() => {
            let labels = selector.iter().map(|(key, value)| format!("`{key}: {value}`"));
            format!(
                "which selects no workload of the input: no pod template has the labels {}. Run hostnet on a render that contains its pods",
                listed(labels, MAX_LISTED)
            )
        }
        PossiblePods::Candidates { workloads, .. } => {
            let lacks = |(id, keys): &(WorkloadId, Vec<&str>)| match keys.is_empty() {
                true => name(*id),
                false => format!("{} (lacks `{}`)", name(*id), keys.join("`, `")),
            };
            format!(
                "and its selector does not show which pods it selects: {}. If one of them gets the label when it runs, select it by \
                 name, and give the Service a port name as `targetPort`, since a number would stay",
                listed(workloads.iter().map(lacks), MAX_LISTED)
            )
        }
    };
    format!("{} makes the API server call {}, {fit}", called.by, called.meta)
}
