//! Network policies that are about pods on the host network.

use std::collections::BTreeMap;

use super::{Finding, Situation};
use crate::check::Workload;
use crate::check::facts::OfKind;
use crate::check::facts::peers::Peer;
use crate::model::facts::{Requirements, Scope};
use crate::rule::{NETWORK_POLICY, Severity};
use crate::yaml::Path;

/// The workloads on the host network, by their namespaces.
type ByNamespace<'w, 'm> = BTreeMap<&'w str, Vec<&'w Workload<'m>>>;

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut near = ByNamespace::new();
    for workload in situation.on_host() {
        near.entry(workload.meta.namespace.as_deref().unwrap_or_default()).or_default().push(workload);
    }
    let mut findings = Vec::new();
    for (id, meta, policy) in situation.model.network_policies() {
        let selected = of_scope(situation, &policy.scope);
        if selected.is_empty() {
            continue;
        }
        let message = format!(
            "{meta} selects pods on the host network ({}): what a NetworkPolicy does for them is undefined, and most network plugins \
             ignore it. Protect their ports with a firewall of the nodes or the plugin's own policies for hosts",
            selected.join(", ")
        );
        findings
            .push(Finding::new(Severity::Warning, NETWORK_POLICY, message).at(id, Path::dotted("spec.podSelector")));
    }
    let all = situation.all_of(|facts| if let OfKind::Peers(peers) = facts { Some(&**peers) } else { None });
    for (id, meta, peers) in all {
        for peer in &peers.0 {
            let selected = of_peer(situation, &near, peer);
            if selected.is_empty() {
                continue;
            }
            let message = format!(
                "{meta}: {} selects pods on the host network by their labels ({}): their traffic has the address of the node, so that most \
                 network plugins do not know them. Write an `ipBlock` with the addresses of the nodes",
                peer.path,
                selected.join(", ")
            );
            findings.push(Finding::new(Severity::Warning, NETWORK_POLICY, message).at(id, peer.path.clone()));
        }
    }
    findings
}

/// The pods of a peer that are on the host network. One that asks for no label means all pods of a namespace, whatever some are.
fn of_peer(situation: &Situation<'_>, near: &ByNamespace<'_, '_>, peer: &Peer) -> Vec<String> {
    if peer.pods.selector == Requirements::default() {
        return Vec::new();
    }
    let Some(labels) = &peer.namespaces else { return of_scope(situation, &peer.pods) };
    let here = near.iter().filter(|(name, _)| labels.selector.matches(&situation.namespace_labels(name)));
    let selected = here.flat_map(|(_, workloads)| workloads);
    let selected = selected.filter(|workload| peer.pods.selector.matches(&workload.template.labels));
    selected.map(|workload| workload.meta.to_string()).collect()
}

/// The workloads on the host network whose pods a scope selects.
fn of_scope(situation: &Situation<'_>, scope: &Scope) -> Vec<String> {
    let near = situation.model.near(scope).into_iter().filter_map(|id| situation.workload(id));
    let selected = near.filter(|workload| {
        workload.on_host() && scope.matches(workload.meta.namespace.as_deref(), &workload.template.labels)
    });
    selected.map(|workload| workload.meta.to_string()).collect()
}
