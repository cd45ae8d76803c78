//! Accepted warnings of a config or an object.

use std::collections::BTreeMap;

use crate::api::HostNetworkConfig;
use crate::judge::suppress::Suppressions;
use crate::kinds::function::ObjectIndex;
use crate::plan::{Finding, Plan};
use crate::rule::{self, Severity};

/// Removes the warnings that the config or an object accepts, and reports their number. Errors cannot be accepted.
pub(super) fn remove_accepted_warnings(
    plan: &mut Plan,
    mut suppressions: Suppressions,
    config: &HostNetworkConfig,
    read: &ObjectIndex<'_>,
) {
    let mut accepted: BTreeMap<&'static str, usize> = BTreeMap::new();
    plan.findings.retain(|finding| {
        let ids = finding.object.into_iter().chain(finding.other.as_ref().map(|(id, _)| *id));
        let finding_objects: Vec<_> = ids.filter_map(|id| Some((id, read.metas.get(id)?))).collect();
        let is_accepted = suppressions.accepts(finding, &finding_objects).is_some();
        if !is_accepted || finding.severity == Severity::Error {
            return true;
        }
        *accepted.entry(finding.rule.id).or_default() += 1;
        false
    });
    if !accepted.is_empty() {
        let counts: Vec<String> = accepted.iter().map(|(rule, count)| format!("{count} of `{rule}`")).collect();
        let message = format!("not shown, since the config or an annotation accepts it: {}", counts.join(", "));
        plan.findings.push(Finding::new(Severity::Info, rule::UNUSED_IGNORE, message));
    }
    // With `unmatched` set, the config is used for several renders, which do not contain all objects.
    let absent = config.host_network.spec.unmatched.severity().is_some();
    for (place, message) in suppressions.unused(absent) {
        plan.findings.push(Finding::new(Severity::Warning, rule::UNUSED_IGNORE, format!("{place}: {message}")));
    }
}
