//! What is not read of objects, since nothing is asked of it.

use crate::wire::Head;
use crate::yaml::LeavesOut;

/// What servers note down in an object: who wrote which field, and its status, but for the phase of a Pod.
pub(super) const WRITTEN_BY_SERVERS: LeavesOut = |outer, key| match outer {
    Some("metadata") => key == "managedFields",
    Some("status") => key != "phase",
    _ => false,
};

/// All but group, version, kind and metadata.
const ALL_BUT_IDENTITY: LeavesOut = |outer, key| match outer {
    None => !["apiVersion", "kind", "metadata"].contains(&key),
    outer => WRITTEN_BY_SERVERS(outer, key),
};

/// The rule for an object: it is read for its identity alone, unless more of it is needed, or its lines do not show what it is.
pub(super) fn unless(head: Option<Head<'_>>, is_needed: impl Fn(Head<'_>) -> bool) -> LeavesOut {
    if head.is_none_or(is_needed) { WRITTEN_BY_SERVERS } else { ALL_BUT_IDENTITY }
}
