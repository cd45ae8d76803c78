//! Objects whose operators put a container with ports into pods of other objects.

use super::data;

/// Kind of objects that add a container to pods.
#[derive(Debug, PartialEq, Eq)]
pub struct SidecarKind {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Dotted path of a field, and the value that it must have; with another value no container is added.
    pub only_if: Option<(&'static str, &'static str)>,
    /// Annotation of a pod template or a Namespace with the name of the object, or `true`.
    pub annotation: Option<&'static str>,
    /// Dotted path of the field with kind and name, or selector, of workloads.
    pub workload: Option<&'static str>,
    /// Dotted path of each list of ports, and the key of the number.
    pub ports: &'static [(&'static str, &'static str)],
    /// Dotted path of a config of the OpenTelemetry Collector.
    pub config: Option<&'static str>,
    /// Ports that the container always has.
    pub always: &'static [u16],
}

/// The row of a kind.
pub fn sidecar_kind(group: &str, kind: &str) -> Option<&'static SidecarKind> {
    data::SIDECARS.iter().find(|row| row.group == group && row.kind == kind)
}
