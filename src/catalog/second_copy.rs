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
    /// Dotted path of the field without which there is no second copy.
    pub field: &'static str,
    /// Dotted path of the list whose `replicas` bound the second copy; `None` where it is as large as the first.
    pub steps: Option<&'static str>,
    /// Reason for the second copy, for messages.
    pub what: &'static str,
}

/// Rows of a kind.
pub fn second_copies(group: &str, kind: &str) -> impl Iterator<Item = &'static SecondCopyKind> {
    data::SECOND_COPIES.iter().filter(move |row| row.group == group && row.kind == kind)
}
