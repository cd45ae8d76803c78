//! Objects that run a second copy of a workload's pods in addition to all pods of the first copy.

use super::data;

/// Kind of objects that run a second copy of all pods of a workload.
#[derive(Debug, PartialEq, Eq)]
pub struct SecondCopyKind {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Dotted path of the reference to the workload; `None` if the object is the workload itself.
    pub workload: Option<&'static str>,
    /// Kind of the workloads that are copied; `None` if workloads of any kind are copied.
    pub of: Option<&'static str>,
    /// Annotation that prevents the second copy: key and value. The case of the value is ignored.
    pub not_annotated: Option<(&'static str, &'static str)>,
    /// Dotted path of a field: there is a second copy only if the object has this field.
    pub field: &'static str,
    /// Dotted path of the list of steps, whose `replicas` limit the second copy; `None` if the
    /// second copy is as large as the first.
    pub steps: Option<&'static str>,
    /// Key of a percentage in a step without `replicas`.
    pub weight: Option<&'static str>,
    /// Dotted path, in a step without `replicas`, of a list whose entries each run `replicas` pods.
    pub templates: Option<&'static str>,
    /// Reason for the second copy, for messages.
    pub what: &'static str,
}

/// Rows of a kind.
pub fn second_copies(group: &str, kind: &str) -> impl Iterator<Item = &'static SecondCopyKind> {
    data::SECOND_COPIES.iter().filter(move |row| row.group == group && row.kind == kind)
}
