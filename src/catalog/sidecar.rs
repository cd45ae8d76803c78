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

/// Injector that adds a container to each pod with an annotation.
#[derive(Debug, PartialEq, Eq)]
pub struct AnnotatedSidecar {
    /// Name of the injector, for messages.
    pub by: &'static str,
    /// Annotation of the pods; with `kind`, of the object with the pod template.
    pub annotation: &'static str,
    /// Value that counts next to the true values.
    pub value: Option<&'static str>,
    /// Kind of the objects, if the annotation is not one of the pods.
    pub kind: Option<&'static str>,
    /// True if the value may be the name of an object of the injector, and if the annotation of the Namespace counts too.
    pub named: bool,
    /// Kind of the objects that show the ports. The row counts only in an input without such objects.
    pub objects: Option<&'static str>,
    /// Name of the container. Pods that already have it get no second one.
    pub container: &'static str,
    /// Annotation with which the container does not stay in the pod.
    pub unless: Option<&'static str>,
    /// Ports of the container.
    pub opens: &'static [AnnotatedPort],
}

/// Port of a container that an injector adds.
#[derive(Debug, PartialEq, Eq)]
pub struct AnnotatedPort {
    /// Default number.
    pub number: u16,
    /// `TCP` or `UDP`.
    pub protocol: &'static str,
    /// Annotation of the pods that sets another number.
    pub annotation: Option<&'static str>,
    /// Annotations of the pods; one of them opens the port. Empty: the port is always open.
    pub only_if: &'static [&'static str],
}

/// The injectors that select pods by an annotation alone.
pub fn annotated_sidecars() -> &'static [AnnotatedSidecar] {
    data::ANNOTATED_SIDECARS
}
