//! The kinds that hold pod templates, and those that run pods and never move.

use super::data;

/// A kind that holds a pod template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkloadKind {
    /// API group, empty for the core group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// The versions that the row is about; all of them when the list is empty.
    pub versions: &'static [&'static str],
    /// Dotted path of its pod templates, with `[]` for each element of a list; empty when the object is one itself. A kind with
    /// several paths has a row for each.
    pub path: &'static str,
    /// Dotted path of a reference to the workload whose template the object takes when it has none of its own.
    pub instead: Option<&'static str>,
    /// True if its pods get host names of the Service that `serviceName`, next to the template, holds.
    pub service_name: bool,
}

/// A kind that runs pods, or adds to some, and that never moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftKind {
    /// API group.
    pub group: &'static str,
    /// Kinds.
    pub kinds: &'static [&'static str],
    /// Why, for a person.
    pub why: &'static str,
}

/// The kinds that hold a pod template.
#[must_use]
pub fn workload_kinds() -> &'static [WorkloadKind] {
    data::WORKLOADS
}

/// Why a kind never moves; none for all others.
#[must_use]
pub fn why_left(group: &str, kind: &str) -> Option<&'static str> {
    data::LEFT_KINDS.iter().find(|row| row.group == group && row.kinds.contains(&kind)).map(|row| row.why)
}
