//! Requests of a rollout for which the API server calls webhooks.

use super::role::covers;
use super::scope::{Requirements, label_selector};
use crate::model::pod::{PodTemplate, Token};
use crate::model::text::Labels;
use lossless_yaml::NodeRef;

/// Request of a rollout.
#[derive(Debug, PartialEq, Eq)]
pub struct RolloutRequest {
    /// Resource, with its subresource.
    resource: &'static str,
    /// API group of the resource.
    group: &'static str,
    /// Operations of the request.
    operations: &'static [&'static str],
    /// Kind of the workloads whose rollout makes the request; empty for all.
    kind: &'static str,
    /// Labels of the object of the request.
    labels: LabelSource,
    /// Noun for the objects of the request, for messages.
    pub objects: &'static str,
    /// Change that fails if the request is refused, for messages.
    pub change: &'static str,
}

/// Source of the labels of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LabelSource {
    /// Pod template.
    Template,
    /// Workload.
    Workload,
    /// Another object, whose labels are not in the manifest of the workload.
    Other,
}

/// Resource of the kubelet's requests for the tokens of pods.
const TOKENS: &str = "serviceaccounts/token";

/// Resource by which controllers elect their leader.
const LEASES: &str = "leases";

/// Requests in the order of the messages about them.
///
/// Source: kubernetes v1.36 `pkg/registry/core/pod/storage/storage.go` (`BindingREST`), `pkg/kubelet/status/status_manager.go`
/// (a patch is an update), `pkg/controller/deployment/sync.go` (`getNewReplicaSet`),
/// `pkg/controller/statefulset/stateful_set_utils.go` (`newRevision`), `pkg/controller/daemon/update.go` (`snapshot`), and
/// `staging/src/k8s.io/endpointslice/reconciler.go`: without the slice of the new pods no call reaches them;
/// `pkg/registry/core/serviceaccount/storage/token.go` (`Create` calls webhooks): without its token no pod starts;
/// `staging/src/k8s.io/client-go/tools/leaderelection/resourcelock/leaselock.go` (`Update`) and
/// `cmd/kube-controller-manager/app/options/options.go` (the namespace): without its Lease no controller runs.
static REQUESTS: [RolloutRequest; 12] = [
    request("", "pods", &["CREATE"], "", LabelSource::Template, ("pods", "the new pods")),
    request("", "pods/binding", &["CREATE"], "", LabelSource::Other, ("bindings of pods", "the node of each new pod")),
    request(
        "",
        TOKENS,
        &["CREATE"],
        "",
        LabelSource::Other,
        ("tokens of ServiceAccounts", "the tokens of the new pods"),
    ),
    request(
        "",
        "pods/status",
        &["UPDATE"],
        "",
        LabelSource::Template,
        ("the status of pods", "the readiness of the new pods"),
    ),
    request(
        "discovery.k8s.io",
        "endpointslices",
        &["CREATE", "UPDATE"],
        "",
        LabelSource::Other,
        ("EndpointSlices", "the addresses of the new pods"),
    ),
    request(
        "apps",
        "replicasets",
        &["CREATE"],
        "Deployment",
        LabelSource::Template,
        ("ReplicaSets", "the new ReplicaSet"),
    ),
    revision("StatefulSet"),
    revision("DaemonSet"),
    update("deployments", "Deployment"),
    update("statefulsets", "StatefulSet"),
    update("daemonsets", "DaemonSet"),
    request(
        "coordination.k8s.io",
        LEASES,
        &["UPDATE"],
        "",
        LabelSource::Other,
        ("Leases", "the Leases of kube-controller-manager and kube-scheduler, without which no new pods start,"),
    ),
];

/// Creates a request; `objects` and `change` are words for messages.
const fn request(
    group: &'static str,
    resource: &'static str,
    operations: &'static [&'static str],
    kind: &'static str,
    labels: LabelSource,
    (objects, change): (&'static str, &'static str),
) -> RolloutRequest {
    RolloutRequest { resource, group, operations, kind, labels, objects, change }
}

/// Request that creates a `ControllerRevision`.
const fn revision(kind: &'static str) -> RolloutRequest {
    let words = ("ControllerRevisions", "the new ControllerRevision");
    request("apps", "controllerrevisions", &["CREATE"], kind, LabelSource::Template, words)
}

/// Request that updates the workload.
const fn update(resource: &'static str, kind: &'static str) -> RolloutRequest {
    request("apps", resource, &["UPDATE"], kind, LabelSource::Workload, (kind, "the update of the workload"))
}

/// Webhook that the API server calls for requests of a rollout: these requests, and the selectors of the webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolloutSelector {
    /// Requests for which the API server calls the webhook.
    requests: Vec<&'static RolloutRequest>,
    /// `namespaceSelector` of the webhook.
    pub namespaces: Requirements,
    /// `objectSelector` of the webhook.
    objects: Requirements,
    /// CEL expressions of `matchConditions`; the webhook is called if all are true.
    pub conditions: Vec<String>,
}

impl RolloutSelector {
    /// Reads the requests for which the API server calls a webhook; `None` if it calls the webhook for no request of a
    /// rollout.
    pub(super) fn read(webhook: NodeRef<'_, '_>) -> Option<Box<Self>> {
        // All objects of a rollout have a namespace.
        let of_namespaces =
            |rule: &NodeRef<'_, '_>| rule.get("scope").and_then(NodeRef::text).is_none_or(|scope| scope != "Cluster");
        let rules: Vec<_> = webhook.get("rules").into_iter().flat_map(NodeRef::items).filter(of_namespaces).collect();
        let calls = |request: &&'static RolloutRequest| rules.iter().any(|rule| request.calls(*rule));
        let requests: Vec<_> = REQUESTS.iter().filter(calls).collect();
        if requests.is_empty() {
            return None;
        }
        let selector = |key: &str| label_selector(webhook.get(key).filter(|selector| !selector.is_null()));
        let (namespaces, objects) = (selector("namespaceSelector")?, selector("objectSelector")?);
        let conditions = webhook.get("matchConditions").into_iter().flat_map(NodeRef::items);
        let conditions = conditions.filter_map(|condition| condition.get("expression")?.text()).map(str::to_owned);
        Some(Box::new(Self { requests, namespaces, objects, conditions: conditions.collect() }))
    }

    /// First request of a workload's rollout for which the API server calls the webhook. `in_namespace` is true if the
    /// webhook selects a namespace, `None` for the namespace of the workload.
    pub(in crate::model) fn request(
        &self,
        kind: &str,
        workload: &Labels,
        template: &PodTemplate,
        in_namespace: impl Fn(Option<&str>) -> bool,
    ) -> Option<&'static RolloutRequest> {
        let is_made = |request: &RolloutRequest| {
            (request.kind.is_empty() || request.kind == kind)
                && (request.resource != TOKENS || template.token != Token::Absent)
        };
        let is_selected = |request: &RolloutRequest| match request.labels {
            LabelSource::Template => self.objects.matches(&template.labels),
            LabelSource::Workload => self.objects.matches(workload),
            LabelSource::Other => self.objects == Requirements::default(),
        };
        let mut requests = self.requests.iter().copied();
        requests.find(|request| is_made(request) && is_selected(request) && in_namespace(request.namespace()))
    }
}

impl RolloutRequest {
    /// Namespace of the object of the request; `None` for the namespace of the workload.
    pub fn namespace(&self) -> Option<&'static str> {
        (self.resource == LEASES).then_some("kube-system")
    }

    /// True if the object of the request is a pod.
    pub fn is_of_pods(&self) -> bool {
        matches!(self.resource, "pods" | "pods/status")
    }

    /// True if no new pod is ready without the request, whatever the kind of its workload.
    pub fn is_of_each_pod(&self) -> bool {
        self.kind.is_empty()
    }

    /// True if the request matches a rule of a webhook.
    fn calls(&self, rule: NodeRef<'_, '_>) -> bool {
        let (resource, subresource) = self.resource.split_once('/').unwrap_or((self.resource, ""));
        let mut resources = rule.get("resources").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
        // `*` is every resource without its subresources.
        let is_resource = |wanted: &str| match wanted.split_once('/') {
            Some(("*", "*")) => true,
            Some((of, below)) => {
                !subresource.is_empty() && ["*", resource].contains(&of) && ["*", subresource].contains(&below)
            }
            None => subresource.is_empty() && (wanted == "*" || wanted == resource),
        };
        covers(rule, "apiGroups", &[self.group])
            && resources.any(is_resource)
            && self.operations.iter().any(|operation| covers(rule, "operations", &[operation]))
    }
}
