//! Pods that stay as they are after a change of their template: an apply does not replace them.

use crate::catalog::rollout_of_kind;
use lossless_yaml::{NodeRef, Path};

/// Reason why a changed template does not reach all pods of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldPodsReason {
    /// The API server refuses the change of an object that exists: a Pod, a Job.
    Immutable,
    /// The controller never replaces pods: a `ReplicaSet`, `OnDelete`.
    NotReplaced,
    /// The rollout is paused.
    Paused,
    /// The rollout keeps pods: a partition.
    Partition,
}

/// Field or kind by which old pods stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldPods {
    /// Field; the root for the kind.
    pub path: Path,
    /// Value of the field.
    pub value: Box<str>,
    /// Reason.
    pub reason: OldPodsReason,
}

/// Reads the reason why an apply does not replace all pods of an object; `None` if it replaces them.
///
/// Source: kubernetes@00bdb3fa `pkg/apis/batch/validation/validation.go`, `ValidateJobSpecUpdate`; for a Pod the API server
/// answers "pod updates may not change fields other than" images and few others.
pub(super) fn old_pods(object: NodeRef<'_, '_>) -> Option<Box<OldPods>> {
    let text = |key: &str| object.get(key).and_then(NodeRef::text);
    let (version, kind) = (text("apiVersion")?, text("kind")?);
    let group = version.rsplit_once('/').map_or("", |(group, _)| group);
    let of_kind = |reason| OldPods { path: Path::root(), value: kind.into(), reason };
    let found = match (group, kind) {
        ("", "Pod") | ("batch", "Job") => Some(of_kind(OldPodsReason::Immutable)),
        ("", "ReplicationController") | ("apps", "ReplicaSet") => Some(of_kind(OldPodsReason::NotReplaced)),
        ("apps" | "apps.kruise.io", "StatefulSet") => by_field(object, "spec.updateStrategy"),
        _ => by_field(object, rollout_of_kind(group, kind)?.strategy),
    };
    found.map(Box::new)
}

/// True for a value of a field with which old pods stay.
type Keeps = fn(NodeRef<'_, '_>) -> bool;

/// Reads the fields of an object with an update strategy at this path.
fn by_field(object: NodeRef<'_, '_>, strategy: &str) -> Option<OldPods> {
    let fields: [(String, OldPodsReason, Keeps); 6] = [
        ("spec.paused".to_owned(), OldPodsReason::Paused, is_true),
        (format!("{strategy}.paused"), OldPodsReason::Paused, is_true),
        (format!("{strategy}.rollingUpdate.paused"), OldPodsReason::Paused, is_true),
        (format!("{strategy}.type"), OldPodsReason::NotReplaced, |value| value.text() == Some("OnDelete")),
        (format!("{strategy}.partition"), OldPodsReason::Partition, is_partition),
        (format!("{strategy}.rollingUpdate.partition"), OldPodsReason::Partition, is_partition),
    ];
    fields.into_iter().find_map(|(path, reason, keeps)| {
        let path = Path::dotted(&path);
        let value = object.lookup(&path).filter(|value| keeps(*value))?;
        Some(OldPods { path, value: value.text().unwrap_or_default().into(), reason })
    })
}

fn is_true(value: NodeRef<'_, '_>) -> bool {
    value.as_bool() == Some(true)
}

/// True for a number of pods, or a share of them, above 0.
fn is_partition(value: NodeRef<'_, '_>) -> bool {
    let text = value.text().unwrap_or_default();
    text.strip_suffix('%').unwrap_or(text).parse::<u32>().is_ok_and(|number| number > 0)
}
