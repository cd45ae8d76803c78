//! Warnings that a config or an object accepts.

use std::collections::BTreeMap;

use crate::api::{Config, Unmatched};
use crate::judge::suppress::Suppressions;
use crate::kinds::function::ObjectIndex;
use crate::plan::{Finding, Plan};
use crate::rule::{self, Severity};

/// Takes away the warnings that the config or an object accepts, and says how many they were. Errors stay: what cannot be done is
/// not done because somebody accepts it.
pub(super) fn accept(plan: &mut Plan, mut suppressions: Suppressions, config: &Config, read: &ObjectIndex<'_>) {
    let mut accepted: BTreeMap<&'static str, usize> = BTreeMap::new();
    plan.findings.retain(|finding| {
        let meta = finding.object.and_then(|object| read.metas.get(object));
        let is_accepted = meta.is_some_and(|meta| suppressions.accepts(finding, meta).is_some());
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
    // A config is for several renders, which do not have all objects.
    let absent = config.host_network.spec.unmatched != Unmatched::Ignore;
    for (place, message) in suppressions.unused(absent) {
        plan.findings.push(Finding::new(Severity::Warning, rule::UNUSED_IGNORE, format!("{place}: {message}")));
    }
}
