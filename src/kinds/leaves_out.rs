//! What is not read of objects, since nothing is asked of it.

use crate::api::HostNetworkSpec;
use crate::wire::Head;
use crate::yaml::LeavesOut;

/// What servers note down of who wrote which field.
const MANAGED_FIELDS: LeavesOut = |outer, key| outer == Some("metadata") && key == "managedFields";

/// That, and the status, but for the phase of a Pod.
const WRITTEN_BY_SERVERS: LeavesOut =
    |outer, key| MANAGED_FIELDS(outer, key) || outer == Some("status") && key != "phase";

/// All but group, version, kind and metadata.
const ALL_BUT_IDENTITY: LeavesOut = |outer, key| match outer {
    None => !["apiVersion", "kind", "metadata"].contains(&key),
    outer => MANAGED_FIELDS(outer, key),
};

/// The rule for an object: it is read for its identity alone, unless more of it is needed, or its lines do not show what it is.
pub(super) fn unless(head: Option<Head<'_>>, is_needed: impl Fn(Head<'_>) -> bool) -> LeavesOut {
    if head.is_none_or(is_needed) { MANAGED_FIELDS } else { ALL_BUT_IDENTITY }
}

/// The rule for a check, which changes nothing: the status is read only where a config says that it holds a template.
pub(super) fn in_a_check(config: Option<&HostNetworkSpec>) -> LeavesOut {
    let mut templates = config.into_iter().flat_map(|config| &config.templates);
    if templates.any(|template| template.path.starts_with("status")) { MANAGED_FIELDS } else { WRITTEN_BY_SERVERS }
}
