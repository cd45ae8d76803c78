//! Annotations that name ports, or that say when an object runs; labels that pods get when they run.

use super::data;

/// The annotations of templates and Services whose value is a port of the pod, or a list of them.
#[must_use]
pub fn port_annotations() -> &'static [&'static str] {
    data::ANNOTATIONS
}

/// The annotations of workloads that a tool runs around a release, and not as a part of it.
#[must_use]
pub fn hook_annotations() -> &'static [&'static str] {
    data::HOOKS
}

/// The program or controller that sets a label on running pods; `None` for labels that pod templates have.
#[must_use]
pub fn sets_label_at_run_time(key: &str) -> Option<&'static str> {
    data::RUN_TIME_LABELS.iter().find(|(known, _)| *known == key).map(|(_, by)| *by)
}

/// An annotation with the port that a load balancer checks.
#[derive(Debug)]
pub struct HealthCheck {
    /// The annotation.
    pub key: &'static str,
    /// The kinds that have it: `Service`, `Ingress`.
    pub kinds: &'static [&'static str],
    /// The annotation that says what the load balancer sends to: `instance` are nodes.
    pub target_type: &'static str,
}

/// The annotations with the port that a load balancer checks.
#[must_use]
pub fn health_checks() -> &'static [HealthCheck] {
    data::HEALTH_CHECKS
}
