//! Network policies of pods that are on the host network: what they do there is undefined.

use std::collections::BTreeMap;

use super::rule;
use super::target::Selected;
use super::{Finding, Severity};
use crate::model::{Model, ObjectId};

/// Warns of the policies that select pods of these workloads: once for all policies of a pod, and once for all pods with the same.
pub(super) fn warn(model: &Model, workloads: &[Selected<'_>], findings: &mut Vec<Finding>) {
    let mut by_workload: BTreeMap<usize, Vec<(ObjectId, String)>> = BTreeMap::new();
    for (id, meta, policy) in model.network_policies() {
        for (index, workload) in workloads.iter().enumerate() {
            if policy.scope.matches(workload.meta.namespace.as_deref(), &workload.template.labels) {
                by_workload.entry(index).or_default().push((id, meta.to_string()));
            }
        }
    }
    let mut by_policies: BTreeMap<Vec<(ObjectId, String)>, Vec<&Selected<'_>>> = BTreeMap::new();
    for (index, policies) in by_workload {
        by_policies.entry(policies).or_default().extend(workloads.get(index));
    }
    for (policies, selected) in by_policies {
        let names: Vec<String> = selected.iter().map(std::string::ToString::to_string).collect();
        let select = if policies.len() == 1 { "selects" } else { "select" };
        let message = format!(
            "{} {select} pods on the host network ({}): what a NetworkPolicy does for them is undefined, and most \
             network plugins ignore it; protect their ports with a firewall of the nodes or the plugin's host policies",
            policies.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", "),
            names.join(", ")
        );
        let finding = Finding::new(Severity::Warning, rule::NETWORK_POLICY, message);
        findings.extend(policies.first().map(|(id, _)| finding.on(*id)));
    }
}
