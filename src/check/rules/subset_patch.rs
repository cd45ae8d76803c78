//! Patches of subsets of pods that are about the host network: nobody validates them with the template.

use crate::rule::{SUBSET_PATCH, Severity};

use super::{Finding, Situation};
use crate::check::facts::OfKind;

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (id, meta, patches) in
        situation.all_of(|facts| if let OfKind::Patches(patches) = facts { Some(&**patches) } else { None })
    {
        for (path, value) in &patches.fields {
            let value = if value.is_empty() { String::new() } else { format!(" to `{value}`") };
            let message = format!(
                "{meta}: {path} sets a field of some of its pods{value}: the template shows other ports or another network than they have, \
                 and neither this check nor a HostNetwork follows it. Write it in the template, or make two workloads"
            );
            findings.push(Finding::new(Severity::Warning, SUBSET_PATCH, message).on(id).at(path.clone()));
        }
    }
    findings
}
