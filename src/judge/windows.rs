//! Pods on Windows nodes, where only `HostProcess` pods can use the host network.
//!
//! Source: kubernetes.io/docs/concepts/windows/intro, on `hostNetwork` and `dnsPolicy`, and
//! .../services-networking/dns-pod-service, on Windows nodes; kubernetes v1.37
//! `pkg/apis/core/validation/validation.go`, `validateWindowsHostProcessPod`: `HostProcess` pods must be on the host
//! network; `pkg/features/kube_features.go` of v1.26 to v1.32: `WindowsHostNetwork`, alpha.

use crate::model::pod::{Placement, PodTemplate};

/// True if the pods run on Windows nodes, which do not support `ClusterFirstWithHostNet`.
pub fn is_windows(template: &PodTemplate) -> bool {
    template.placement.as_deref().is_some_and(Placement::is_windows)
}

/// True if the pods run on Windows nodes and are not `HostProcess` pods: they stay in the pod network, even with
/// `hostNetwork: true`.
pub fn stays_in_pod_network(template: &PodTemplate) -> bool {
    is_windows(template) && !template.placement.as_deref().is_some_and(Placement::is_host_process)
}

/// Explanation for messages: pods on Windows nodes stay in the pod network.
pub const WINDOWS_POD_NETWORK_REASON: &str = "on Windows nodes only HostProcess pods are on the host network (and others from v1.26 to v1.32 where the kubelet has the \
                       alpha feature WindowsHostNetwork)";
