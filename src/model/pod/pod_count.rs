//! Number of pods that an object runs at the same time, for kinds with known fields.

use crate::catalog::rollout_of_kind;
use crate::model::facts::package::GROUP;
use lossless_yaml::{NodeRef, Path, Step};

/// Reads the number of pods of the template at this path that run at the same time. `None` if each node has one pod, if
/// the number is not readable, and for kinds with an unknown controller.
pub(super) fn pod_count(object: NodeRef<'_, '_>, template: &Path) -> Option<u32> {
    let text = |key: &str| object.get(key).and_then(NodeRef::text);
    let (version, kind) = (text("apiVersion")?, text("kind")?);
    let group = version.rsplit_once('/').map_or("", |(group, _)| group);
    let parent = template.parent();
    let spec = parent.as_ref().and_then(|parent| object.lookup(parent));
    match (group, kind) {
        ("", "Pod") => Some(1),
        ("", "ReplicationController")
        | ("apps" | "apps.kruise.io", "StatefulSet")
        | ("apps", "ReplicaSet")
        | ("game.kruise.io", "GameServerSet") => number(spec, "replicas"),
        ("batch", "Job" | "CronJob") => {
            let (parallel, complete) = (number(spec, "parallelism")?, spec.and_then(|spec| spec.get("completions")));
            let complete = complete.filter(|field| !field.is_null()).map(parse_pod_count);
            complete.map_or(Some(parallel), |complete| Some(parallel.min(complete?)))
        }
        (LEADER_WORKERS, _) => {
            Some(number(object.get("spec"), "replicas")?.saturating_mul(pods_per_replica(group, object, template)?))
        }
        // Crossplane runs one pod of a package unless its runtime config says otherwise.
        (GROUP, "DeploymentRuntimeConfig") => number(spec, "replicas"),
        // The object around a nested template, such as a subset, sets the number of its pods.
        _ if *template != Path::dotted("spec.template") => None,
        _ => rollout_of_kind(group, kind).filter(|kind| !kind.per_node).and_then(|_| number(spec, "replicas")),
    }
}

/// API group of `LeaderWorkerSet`.
const LEADER_WORKERS: &str = "leaderworkerset.x-k8s.io";

/// Number of pods of a template in each replica; `None` if it is not readable. A replica of a `LeaderWorkerSet` is a
/// group of pods; without a template for the leader, all of them are made from the template of the workers.
///
/// Source: kubernetes-sigs/lws@024af084 `api/leaderworkerset/v1/leaderworkerset_types.go`, `LeaderWorkerTemplate`.
pub fn pods_per_replica(group: &str, object: NodeRef<'_, '_>, template: &Path) -> Option<u32> {
    if group != LEADER_WORKERS {
        return Some(1);
    }
    let templates = template.parent().and_then(|parent| object.lookup(&parent));
    let leader = templates.and_then(|templates| templates.get("leaderTemplate")).filter(|leader| !leader.is_null());
    let is_of_leader = || matches!(template.steps().last(), Some(Step::Key(key)) if *key == "leaderTemplate");
    match leader {
        Some(_) if is_of_leader() => Some(1),
        Some(_) => number(templates, "size").map(|size| size.saturating_sub(1)),
        None => number(templates, "size"),
    }
}

/// A number of pods; 1 if missing.
fn number(spec: Option<NodeRef<'_, '_>>, key: &str) -> Option<u32> {
    let written = spec.and_then(|spec| spec.get(key)).filter(|field| !field.is_null());
    written.map_or(Some(1), parse_pod_count)
}

/// Converts a field to a number of pods; `None` for text, negative numbers and numbers above the range of an int32.
///
/// Source: kubernetes v1.36 `staging/src/k8s.io/api/apps/v1/types.go`, `Replicas *int32`; numbers such as `1e3` and
/// `0x3` are integers for sigs.k8s.io/yaml v1.6.0.
pub fn parse_pod_count(field: NodeRef<'_, '_>) -> Option<u32> {
    field.as_go_int().and_then(|number| i32::try_from(number).ok()).and_then(|number| u32::try_from(number).ok())
}
