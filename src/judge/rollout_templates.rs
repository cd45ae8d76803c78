//! Argo Rollouts with both a `template` and a `workloadRef`: Argo Rollouts does not replace their pods.
//!
//! Source: argoproj/argo-rollouts v1.9.1 `rollout/templateref.go`, `Resolve`; `pkg/apis/rollouts/v1alpha1/types.go`,
//! `EmptyTemplate`.

use crate::model::Meta;
use crate::model::pod::PodTemplate;

/// Workload of the `workloadRef` next to a template; `None` if the template has no labels and no annotations, so that
/// Argo Rollouts treats it as empty.
pub fn referenced_workload_of_template(template: &PodTemplate) -> Option<&str> {
    let is_empty = template.labels.is_empty() && template.annotations.is_empty();
    template.workload_ref.as_deref().filter(|_| !is_empty)
}

/// Message about a Rollout and its `workloadRef`; `pods` continues "the pods, which".
pub fn message(rollout: &Meta, workload: &str, pods: &str) -> String {
    format!(
        "{rollout}: it has a template and a `workloadRef` to {workload}: Argo Rollouts does not replace the pods, \
         which {pods}, and reports `template must be empty for workload reference rollout` only in its status. Remove \
         `template` or `workloadRef`"
    )
}
