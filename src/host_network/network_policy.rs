//! Network policies of pods that are on the host network: what they do there is undefined.

use std::collections::BTreeMap;

use super::listed::listed;
use super::workload::Workload;
use crate::judge::network_policy::{OnHost, peers};
use crate::model::facts::{Reach, Scope};
use crate::model::{Meta, Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Warns of the policies that select pods of these workloads: once for all policies of a pod, and once for all pods with the same; and of
/// those with a peer that selects them.
pub(super) fn warn(model: &Model, workloads: &[Workload<'_>], findings: &mut Vec<Finding>) {
    // Many policies may select the same pods, and many pods have the same policies.
    let mut scopes: BTreeMap<&Scope, Vec<(ObjectId, &Meta)>> = BTreeMap::new();
    for (id, meta, policy) in model.network_policies() {
        scopes.entry(&policy.scope).or_default().push((id, meta));
    }
    let mut by_scopes: BTreeMap<Vec<usize>, Vec<&Workload<'_>>> = BTreeMap::new();
    for workload in workloads {
        let pods = workload.pods_view();
        let selecting = scopes.keys().enumerate().filter(|(_, scope)| pods.is_selected(scope) == Some(Reach::Sure));
        let selecting: Vec<usize> = selecting.map(|(index, _)| index).collect();
        if !selecting.is_empty() {
            by_scopes.entry(selecting).or_default().push(workload);
        }
    }
    let scopes: Vec<Vec<(ObjectId, &Meta)>> = scopes.into_values().collect();
    let mut by_policies: BTreeMap<Vec<(ObjectId, String)>, Vec<&Workload<'_>>> = BTreeMap::new();
    for (selecting, selected) in by_scopes {
        let policies = selecting.into_iter().filter_map(|index| scopes.get(index)).flatten();
        let mut policies: Vec<(ObjectId, String)> = policies.map(|(id, meta)| (*id, meta.to_string())).collect();
        policies.sort_unstable();
        by_policies.insert(policies, selected);
    }
    for (policies, selected) in by_policies {
        let select = if policies.len() == 1 { "selects" } else { "select" };
        let message = format!(
            "{} {select} pods on the host network ({}): what a NetworkPolicy does for them is undefined, and most \
             network plugins ignore it; protect their ports with a firewall of the nodes or the plugin's host policies",
            listed(policies.iter().map(|(_, name)| name.clone()), LISTED),
            listed(selected.iter().map(ToString::to_string), LISTED)
        );
        let finding = Finding::new(Severity::Warning, rule::NETWORK_POLICY, message);
        findings.extend(policies.first().map(|(id, _)| finding.on(*id)));
    }
    let on_host = workloads.iter().map(|workload| (workload.id, workload.pods_view()));
    findings.extend(peers(model, &OnHost::of(on_host), |_, _| true));
}

/// How many names a message lists.
const LISTED: usize = 20;
