//! Network policies of pods that are on the host network: what they do there is undefined.

use super::rule;
use super::target::Selected;
use super::{Finding, Severity};
use crate::model::Model;

/// Warns of every policy that selects pods of these workloads.
pub(super) fn warn(model: &Model, workloads: &[Selected<'_>], findings: &mut Vec<Finding>) {
    for (id, meta, policy) in model.network_policies() {
        let selects = |w: &&Selected<'_>| policy.scope.meets(w.meta.namespace.as_deref(), &w.template.labels);
        let selected: Vec<String> = workloads.iter().filter(selects).map(|w| w.meta.to_string()).collect();
        if selected.is_empty() {
            continue;
        }
        let message = format!(
            "{meta} selects pods on the host network ({}): what a NetworkPolicy does for them is undefined, and most \
             network plugins ignore it; protect their ports with a firewall of the nodes or the plugin's host policies",
            selected.join(", ")
        );
        findings.push(Finding::new(Severity::Warning, rule::NETWORK_POLICY, message).on(id));
    }
}
