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

/// Place of a mark that counts for pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkPlace {
    /// Annotation of the pods.
    Annotation,
    /// Label of the pods.
    Label,
    /// Label of the nodes that the pods require.
    NodeLabel,
    /// Annotation of the `ServiceAccount` of the pods.
    ServiceAccount,
    /// Image of a container.
    Image,
}

/// Label, annotation or image by which another program refuses pods on the host network, never starts them, or treats
/// them differently.
#[derive(Debug)]
pub struct RefusingMark {
    /// Key of the label or annotation, or the image.
    pub key: &'static str,
    /// Place of the mark.
    pub at: MarkPlace,
    /// The only value that counts; empty if any value counts.
    pub value: &'static str,
    /// Label that the pods must also have for the mark to count, as `KEY=VALUE`; empty if no label is needed.
    pub label: &'static str,
    /// True if the pods start on the host network, without the effect of the mark.
    pub starts: bool,
    /// Reason, as a clause for messages.
    pub why: &'static str,
}

impl RefusingMark {
    /// The annotation or label as written: the key, and the value if only one value counts.
    pub fn shown(&self) -> String {
        match self.value {
            "" => self.key.to_owned(),
            value => format!("{}: {value}", self.key),
        }
    }

    /// True if the label or annotation has a value that counts.
    pub fn has_value(&self, value: &str) -> bool {
        self.value.is_empty() || self.value == value
    }
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
