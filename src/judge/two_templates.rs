//! Rollouts of Argo with a template of their own and a reference to the one of another workload: they replace no pods.
//!
//! Source: argoproj/argo-rollouts v1.9.1 `rollout/templateref.go`, `Resolve`; `pkg/apis/rollouts/v1alpha1/types.go`, `EmptyTemplate`.

use crate::model::Meta;
use crate::model::pod::PodTemplate;

/// The workload that the object of a template names, where both are there; a template without labels and annotations does not count.
#[must_use]
pub fn other_workload(template: &PodTemplate) -> Option<&str> {
    let is_empty = template.labels.is_empty() && template.annotations.is_empty();
    template.beside.as_deref().filter(|_| !is_empty)
}

/// The message about a Rollout and the workload that it names; `pods` continues "none of the pods, which".
#[must_use]
pub fn message(rollout: &Meta, workload: &str, pods: &str) -> String {
    format!(
        "{rollout}: it has a template and a `workloadRef` to {workload}: Argo Rollouts replaces none of the pods, which {pods}, and says \
         `template must be empty for workload reference rollout` in its status alone. Remove one of the two"
    )
}
