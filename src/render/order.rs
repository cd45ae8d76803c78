//! Where a new key goes among those that are there: the order in which Kubernetes' own types list their fields.

use crate::yaml::{Path, Place, Step};

/// Fields of a pod spec, in the order that people write them: what stands before `containers` stays before it.
const POD: &[&str] =
    &["serviceAccountName", "serviceAccount", "hostNetwork", "dnsPolicy", "initContainers", "containers"];
/// Fields of a container around those that are added (`core/v1` Container).
const CONTAINER: &[&str] = &["name", "image", "command", "args", "workingDir", "ports", "envFrom", "env", "resources"];
/// Fields of a container port, with `hostPort` after `containerPort`, which it repeats.
const CONTAINER_PORT: &[&str] = &["name", "containerPort", "hostPort", "protocol", "hostIP"];
/// Fields of a Service port (`core/v1` ServicePort).
const SERVICE_PORT: &[&str] = &["name", "protocol", "appProtocol", "port", "targetPort", "nodePort"];

/// The place of a key that is added at `path`.
pub(super) fn place(path: &Path) -> Place {
    let Some(Step::Key(key)) = path.last() else { return Place::default() };
    let order = match key.as_ref() {
        "hostNetwork" | "dnsPolicy" => POD,
        "hostPort" => CONTAINER_PORT,
        "targetPort" => SERVICE_PORT,
        "args" | "env" | "ports" => CONTAINER,
        _ => return Place::default(),
    };
    let (before, after) = match order.iter().position(|known| known == key) {
        Some(position) => order.split_at(position),
        None => (order, &[][..]),
    };
    Place {
        after: before.iter().rev().map(|&key| key.into()).collect(),
        before: after.iter().skip(1).map(|&key| key.into()).collect(),
    }
}
