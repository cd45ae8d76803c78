//! Kinds with pod templates, and kinds that run pods but are never moved.

use super::data;

/// Kind with a pod template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkloadKind {
    /// API group, empty for the core group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// API versions of the row; empty for all versions.
    pub versions: &'static [&'static str],
    /// Dotted path of the pod templates, with `[]` for each element of a list; empty if the object itself is a pod
    /// template. A kind with several paths has several rows.
    pub path: &'static str,
    /// Dotted path of a reference to a workload, whose pod template the object uses if it has no template.
    pub workload_ref: Option<&'static str>,
    /// True if pods get DNS host names from the Service in `serviceName`, a field next to the template.
    pub service_name: bool,
}

/// Kinds that run pods, or add containers to pods, and are never moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftKind {
    /// API group.
    pub group: &'static str,
    /// Kinds.
    pub kinds: &'static [&'static str],
    /// Reason, for messages.
    pub why: &'static str,
}

/// Returns the kinds with pod templates.
pub static WORKLOAD_KINDS: &[WorkloadKind] = data::WORKLOADS;

/// Reason why a kind is never moved; `None` for kinds without a row.
pub fn reason_not_moved(group: &str, kind: &str) -> Option<&'static str> {
    data::LEFT_KINDS.iter().find(|row| row.group == group && row.kinds.contains(&kind)).map(|row| row.why)
}
