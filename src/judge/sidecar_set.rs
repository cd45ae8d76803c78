//! Ports that OpenKruise `SidecarSet`s inject into pods on the host network.

use std::fmt;

use super::network_policy::namespace_labels;
use crate::model::Model;
use crate::model::facts::{PodsView, SidecarSet};

/// True if a `SidecarSet` injects its containers into these pods.
pub fn selects(model: &Model, set: &SidecarSet, pods: PodsView<'_>) -> bool {
    let namespace = pods.meta.namespace.as_deref().unwrap_or_default();
    let here = match (&set.namespace, &set.namespaces) {
        (Some(one), _) => one == namespace,
        (None, Some(labels)) => labels.selector.matches(&namespace_labels(model, namespace)),
        (None, None) => true,
    };
    here && set.pods.selector.matches(&pods.template.labels)
}

/// Message about an injected port that the pods do not otherwise use.
pub fn becomes(set: &dyn fmt::Display, number: u16, protocol: &str, pods: &str) -> String {
    format!(
        "{set}: injects {number}/{protocol} into pods on the host network ({pods}), where it is a port of the node: no template shows it, and two of these pods cannot share a node. Use another selector"
    )
}

/// Message about an injected port that the pods also listen on.
pub fn taken(set: &dyn fmt::Display, number: u16, protocol: &str, pods: &str) -> String {
    format!(
        "{set}: injects {number}/{protocol} into pods on the host network that listen on it themselves ({pods}): the API server checks \
         this only for the Pod, and the second one fails with `bind: address already in use`. Use another number or selector"
    )
}

/// Message about an injected port whose `hostPort` differs, which is invalid on the host network.
///
/// Source: kubernetes v1.37 `pkg/apis/core/validation/validation.go`, `validateHostNetwork`.
pub fn mapped(set: &dyn fmt::Display, number: u16, host: u16, pods: &str) -> String {
    format!(
        "{set}: injects containerPort {number} with hostPort {host} into pods on the host network ({pods}): the API server refuses each of these Pods, since both numbers have to be equal there. Write `hostPort: {number}`, or use another selector"
    )
}
