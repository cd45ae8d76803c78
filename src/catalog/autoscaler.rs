//! Objects that set the replicas of a workload.

use super::data;

/// Kind of objects that set the replicas of a workload.
#[derive(Debug, PartialEq, Eq)]
pub struct AutoscalerKind {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Dotted path of the reference to the workload.
    pub target: &'static str,
    /// Dotted path of the smallest number of replicas; `None` for a schedule.
    pub fewest: Option<&'static str>,
    /// Dotted path of the largest number of replicas; `[]` after a list, each of whose elements has one.
    pub most: &'static str,
    /// Default of the smallest number.
    pub fewest_by_default: u32,
    /// Default of the largest number; `None` if the field is required.
    pub most_by_default: Option<u32>,
    /// Annotation with a number that overrides minimum and maximum; `None` if the kind has no such annotation.
    pub pinned_by: Option<&'static str>,
}

/// Row of a kind; `None` for other kinds.
pub fn autoscaler(group: &str, kind: &str) -> Option<&'static AutoscalerKind> {
    data::AUTOSCALERS.iter().find(|row| row.group == group && row.kind == kind)
}
