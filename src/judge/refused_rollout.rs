//! Webhooks whose own rollout needs them: while no pod of the webhook runs, the API server refuses the requests that start
//! a new one.

use super::admission::is_excluded_by_match_conditions;
use super::update_strategy::UpdateStrategy;
use crate::model::Model;
use crate::model::facts::{Call, PodsView, RolloutRequest};

/// Request of a rollout that the API server refuses while a webhook does not answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefusedRequest<'m> {
    /// Call of the webhook.
    pub(crate) call: &'m Call,
    /// The refused request.
    pub(crate) request: &'static RolloutRequest,
    /// False if `matchConditions` of the webhook may leave out the request.
    pub(crate) is_always: bool,
}

/// First request of the rollout of these pods that the API server refuses if one of the calls fails.
pub(crate) fn refused_request<'m>(
    model: &'m Model,
    pods: PodsView<'_>,
    mut calls: impl Iterator<Item = &'m Call>,
) -> Option<RefusedRequest<'m>> {
    calls.find_map(|call| {
        let conditions = &call.rollout.as_ref()?.conditions;
        let request = model.rollout_request_refused_by(call, pods.meta, pods.template)?;
        let is_excluded = is_excluded_by_match_conditions(model, pods, request.is_of_pods(), conditions);
        (!is_excluded).then_some(RefusedRequest { call, request, is_always: conditions.is_empty() })
    })
}

/// Request that each new pod needs and that the API server refuses while no pod of these pods runs.
pub(crate) fn refused_new_pod<'m>(model: &'m Model, pods: PodsView<'m>) -> Option<RefusedRequest<'m>> {
    let calls = model.services_of(pods.meta, pods.template).flat_map(|(_, service, _)| model.calls_of(service));
    refused_request(model, pods, calls).filter(|refused| refused.request.is_of_each_pod())
}

/// True if a rollout stops the only pod before it starts the new one.
pub(crate) fn stops_only_pod_first(pods: PodsView<'_>) -> bool {
    pods.template.pods == Some(1)
        && match &pods.template.rollout {
            Some(rollout) => match UpdateStrategy::from_rollout(rollout) {
                Some(UpdateStrategy::OldFirst) => true,
                Some(UpdateStrategy::Rolling { surge, .. }) => surge.is_zero(),
                _ => false,
            },
            None => pods.meta.gvk.kind == "StatefulSet",
        }
}

impl RefusedRequest<'_> {
    /// Message about the rollout of a workload in this namespace, after the name of the workload.
    pub(crate) fn deadlock_message(&self, namespace: Option<&str>) -> String {
        let RolloutRequest { objects, change, .. } = self.request;
        format!(
            "its only pod stops before the new one runs, and then the API server refuses {change} too{}: {} is called for \
             {objects} with `failurePolicy: Fail`, and no pod answers, so no pod starts again. Leave out namespace {} with a \
             `namespaceSelector`, or write `replicas: 2`, and a PodDisruptionBudget with `minAvailable: 1`",
            if self.is_always { "" } else { ", unless its `matchConditions` leave them out" },
            self.call.by,
            self.request.namespace().or(namespace).unwrap_or("default")
        )
    }

    /// Remedy that stops the only pod first, with the field that the webhook then needs.
    pub(crate) fn with_namespace_selector(&self, fix: &str, namespace: Option<&str>) -> String {
        format!(
            "{fix} and a `namespaceSelector` that leaves out namespace {} in {}, which is called for {} with `failurePolicy: \
             Fail`",
            self.request.namespace().or(namespace).unwrap_or("default"),
            self.call.by,
            self.request.objects
        )
    }
}
