//! Network policies whose peers select pods on the host network by label.

use std::collections::{BTreeMap, HashMap};

use crate::model::facts::{LabelledPeer, NetworkPolicy, PodsView, Requirements};
use crate::model::text::Labels;
use crate::model::{Meta, Model, ObjectId, WorkloadId};
use crate::plan::Finding;
use crate::rule::{NETWORK_POLICY, Severity};

/// Workloads that are on the host network or move to it.
pub struct OnHost<'m> {
    by_id: HashMap<WorkloadId, PodsView<'m>>,
    by_namespace: BTreeMap<&'m str, Vec<WorkloadId>>,
}

impl<'m> OnHost<'m> {
    /// Creates the set from these workloads.
    pub fn new(workloads: impl Iterator<Item = (WorkloadId, PodsView<'m>)>) -> Self {
        let mut on_host = Self { by_id: HashMap::new(), by_namespace: BTreeMap::new() };
        for (id, pods) in workloads {
            let namespace = pods.meta.namespace.as_deref().unwrap_or_default();
            on_host.by_namespace.entry(namespace).or_default().push(id);
            on_host.by_id.insert(id, pods);
        }
        on_host
    }

    /// Namespaces of the workloads, empty for a missing one.
    pub fn namespaces(&self) -> impl Iterator<Item = &'m str> {
        self.by_namespace.keys().copied()
    }

    /// All workloads, by namespace.
    pub fn all(&self) -> impl Iterator<Item = (WorkloadId, PodsView<'m>)> {
        self.by_namespace.values().flatten().filter_map(|id| Some((*id, *self.by_id.get(id)?)))
    }

    /// Workloads that a peer selects. Empty for a peer without label requirements, because it selects all pods of a
    /// namespace.
    pub fn selected_by(&self, model: &Model, peer: &LabelledPeer) -> Vec<(WorkloadId, PodsView<'m>)> {
        if peer.pods.selector == Requirements::default() {
            return Vec::new();
        }
        let workloads = |ids: Vec<WorkloadId>| ids.into_iter().filter_map(|id| Some((id, *self.by_id.get(&id)?)));
        let Some(labels) = &peer.namespaces else {
            let matches = |(_, pods): &(WorkloadId, PodsView<'_>)| {
                peer.pods.matches(pods.meta.namespace.as_deref(), &pods.template.labels)
            };
            return workloads(model.near(&peer.pods)).filter(matches).collect();
        };
        let here = self.by_namespace.iter().filter(|(name, _)| labels.selector.matches(&namespace_labels(model, name)));
        let ids = here.flat_map(|(_, ids)| ids.iter().copied()).collect();
        workloads(ids).filter(|(_, pods)| peer.pods.selector.matches(&pods.template.labels)).collect()
    }
}

/// Effect and remedy of a `SecurityGroupPolicy`, or of a policy with egress rules only, for pods on the host network;
/// `None` for other policies.
///
/// Source: docs.aws.amazon.com/eks/latest/userguide/security-groups-for-pods: the groups belong to a network interface
/// of the pod, which pods on the host network do not have.
pub fn egress_or_security_group_effect(meta: &Meta, policy: &NetworkPolicy) -> Option<&'static str> {
    if meta.gvk.kind == "SecurityGroupPolicy" {
        return Some(
            "they have no network interface for its security groups, and the groups of the node apply. Allow their connections there",
        );
    }
    policy.is_egress.then_some(
        "the effect of a NetworkPolicy on them is undefined, and most network plugins ignore it: their outgoing connections are not \
         restricted. Restrict them with a firewall of the nodes or the plugin's own policies for hosts",
    )
}

/// Labels of a namespace: the label with its name, and the labels of its Namespace object if the input has it.
pub fn namespace_labels(model: &Model, name: &str) -> Labels {
    let labels = model.namespaces(name).last().map(|(_, meta)| meta.labels.clone()).unwrap_or_default();
    labels.with("kubernetes.io/metadata.name", name)
}

/// Findings about policies whose peers select pods on the host network: the traffic of these pods has the address of
/// the node. `together` is true if a policy and a workload may be applied together.
pub fn peers(model: &Model, on_host: &OnHost<'_>, together: impl Fn(ObjectId, WorkloadId) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (id, meta, policy) in model.network_policies() {
        for peer in &policy.peers {
            let mut selected = on_host.selected_by(model, peer);
            selected.retain(|(workload, _)| together(id, *workload));
            if !selected.is_empty() && !allows_nodes(model, policy, peer) {
                let finding = Finding::new(Severity::Warning, NETWORK_POLICY, message(meta, peer, &selected));
                let fix = "write an `ipBlock` with the addresses of the nodes: pods on the host network have these";
                findings.push(finding.on_object(id).at(peer.path.clone()).brief(fix, peer.path.to_string()));
            }
        }
    }
    findings
}

/// True if a rule for the same pods allows nodes the ports of the peer's rule, so that the traffic is allowed without the
/// peer.
fn allows_nodes(model: &Model, policy: &NetworkPolicy, peer: &LabelledPeer) -> bool {
    let same = model.network_policies().filter(|(.., other)| other.scope == policy.scope);
    same.flat_map(|(.., other)| &other.rules).any(|rule| rule.allows_nodes(&peer.rule))
}

/// Message about a policy whose peer selects pods on the host network.
fn message(policy: &Meta, peer: &LabelledPeer, selected: &[(WorkloadId, PodsView<'_>)]) -> String {
    let selected: Vec<String> = selected.iter().map(|(_, pods)| pods.meta.to_string()).collect();
    format!(
        "{policy}: {} selects pods on the host network by their labels ({}): their traffic has the address of the node, so most \
         network plugins do not match these pods. Write an `ipBlock` with the addresses of the nodes",
        peer.path,
        selected.join(", ")
    )
}
