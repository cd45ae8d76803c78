//! Objects that let a second copy of a workload's pods run next to all of the first.

use super::data;

/// Kind of objects that let a second copy of all pods of a workload run.
#[derive(Debug, PartialEq, Eq)]
pub struct SecondCopyKind {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Dotted path of the reference to the workload.
    pub workload: &'static str,
    /// Only kind of workload that is copied; `None` for any kind.
    pub of: Option<&'static str>,
    /// Annotation without which there is a second copy: key, and value in any case of letters.
    pub not_annotated: Option<(&'static str, &'static str)>,
    /// Dotted path of the field without which there is no second copy.
    pub field: &'static str,
    /// Dotted path of the list whose `replicas` bound the second copy; `None` where it is as large as the first.
    pub steps: Option<&'static str>,
    /// Key of a percentage in a step without `replicas`.
    pub weight: Option<&'static str>,
    /// Reason for the second copy, for messages.
    pub what: &'static str,
}

/// Rows of a kind.
pub fn second_copies(group: &str, kind: &str) -> impl Iterator<Item = &'static SecondCopyKind> {
    data::SECOND_COPIES.iter().filter(move |row| row.group == group && row.kind == kind)
}
