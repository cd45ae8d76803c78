//! Annotations with ports, annotations of hooks, and labels that pods get at run time.

use super::data;

/// Annotations of pod templates and Services whose value is a port of the pod, or a list of ports.
pub static PORT_ANNOTATIONS: &[&str] = data::ANNOTATIONS;

/// Annotations of hooks: workloads that a tool runs before or after a release.
pub static HOOK_ANNOTATIONS: &[&str] = data::HOOKS;

/// Annotation that requests a feature of a network plugin for a pod in the pod network.
#[derive(Debug)]
pub struct PluginAnnotation {
    /// Key of the annotation.
    pub key: &'static str,
    /// Noun for the feature.
    pub gives: &'static str,
    /// True if the annotation of a Namespace counts for all its pods.
    pub of_namespace: bool,
}

/// Annotations of pod templates that request a feature of a network plugin.
pub static POD_NETWORK_ANNOTATIONS: &[PluginAnnotation] = data::POD_NETWORK;

/// Label or annotation of a pod template by which another program refuses pods on the host network, or never starts them.
#[derive(Debug)]
pub struct RefusingMark {
    /// Key of the label or annotation.
    pub key: &'static str,
    /// True for a label.
    pub is_label: bool,
    /// Label that the pods must also have for the mark to count, as `KEY=VALUE`; empty if no label is needed.
    pub label: &'static str,
    /// Reason, as a clause for messages.
    pub why: &'static str,
}

/// Labels and annotations by which other programs refuse pods on the host network.
pub static REFUSING_MARKS: &[RefusingMark] = data::REFUSING;

/// Program or controller that sets a label on running pods; `None` for labels of pod templates.
pub fn run_time_label_setter(key: &str) -> Option<&'static str> {
    data::RUN_TIME_LABELS.iter().find(|(known, _)| *known == key).map(|(_, by)| *by)
}

/// Annotation with the health check port of a load balancer.
#[derive(Debug)]
pub struct HealthCheck {
    /// Key of the annotation.
    pub key: &'static str,
    /// Kinds with the annotation: `Service`, `Ingress`.
    pub kinds: &'static [&'static str],
    /// Annotation with the target type of the load balancer; `instance` means nodes.
    pub target_type: &'static str,
}

/// Returns the annotations with health check ports of load balancers.
pub static HEALTH_CHECKS: &[HealthCheck] = data::HEALTH_CHECKS;
