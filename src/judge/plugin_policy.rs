//! Policies of network plugins that select pods on the host network, or name them in a rule: such pods have no endpoint
//! of the plugin. The rules of the policies are not evaluated.
//!
//! Sources: cilium/cilium `Documentation/security/policy/lifecycle.rst`; projectcalico/calico `HostEndpoint`, which
//! selects nodes and not pods; kubernetes-sigs/network-policy-api `apis/v1alpha2/clusternetworkpolicy_types.go`
//! ("host-networked pods are not included" as subject and as peer).

use std::collections::BTreeMap;

use super::network_policy::{OnHost, namespace_labels};
use crate::catalog::PolicyForm;
use crate::model::facts::{PodsView, PolicyPods, UnevaluatedPolicy, UnreadPeer, package};
use crate::model::text::Labels;
use crate::model::{Model, ObjectId, WorkloadId};
use crate::plan::{Finding, listed};
use crate::rule::{NETWORK_POLICY, Severity};

/// Most comparisons of a policy with pods in a run; later policies are not compared.
const MOST_COMPARED: usize = 1_000_000;

/// Most names in a message.
const LISTED: usize = 20;

/// Policies by the positions of the pods that they may select: the object and name of each policy.
type Selecting<'m> = BTreeMap<Vec<usize>, Vec<(ObjectId, &'m str)>>;

/// Findings about the policies of plugins that may select pods on the host network, or name them in a rule. `together`
/// is true if a policy and a workload may be applied together.
#[must_use]
pub fn plugin_policies(
    model: &Model,
    on_host: &OnHost<'_>,
    together: impl Fn(ObjectId, WorkloadId) -> bool,
) -> Vec<Finding> {
    if model.unread_policies().next().is_none() {
        return Vec::new();
    }
    let namespaces: BTreeMap<&str, (Labels, bool)> = on_host
        .namespaces()
        .map(|name| (name, (namespace_labels(model, name), model.namespaces(name).next().is_some())))
        .collect();
    let hosts: Vec<(WorkloadId, PodsView<'_>, PolicyPods<'_>)> = on_host
        .all()
        .filter_map(|(id, pods)| {
            let namespace = pods.namespace().unwrap_or(package::CORE_NAMESPACE);
            let (labels, is_read) = namespaces.get(pods.meta.namespace.as_deref().unwrap_or_default())?;
            let package = package::is_package(pods.meta).then_some(pods.meta.name.as_str());
            let labels = PolicyPods {
                namespace,
                namespace_labels: labels,
                is_namespace_read: *is_read,
                labels: &pods.template.labels,
                package,
            };
            Some((id, pods, labels))
        })
        .collect();
    let mut selecting = Selecting::new();
    let mut findings = Vec::new();
    let mut compared = 0;
    for (id, policy) in model.unread_policies().filter(|(_, policy)| policy.form != PolicyForm::Istio) {
        compared += hosts.len() * (1 + policy.peers.len());
        if compared > MOST_COMPARED {
            break;
        }
        let near = || hosts.iter().enumerate().filter(|(_, (workload, ..))| together(id, *workload));
        let selected: Vec<usize> =
            near().filter(|(_, (.., pods))| policy.may_select(*pods)).map(|(position, _)| position).collect();
        if !selected.is_empty() {
            selecting.entry(selected).or_default().push((id, &policy.name));
        }
        for peer in &policy.peers {
            let named = near().filter(|(_, (.., pods))| peer.may_name(*pods));
            let named: Vec<String> = named.map(|(_, (_, pods, _))| pods.meta.to_string()).collect();
            if !named.is_empty() {
                findings.push(naming(id, policy, peer, &named));
            }
        }
    }
    for (selected, policies) in selecting {
        let pods = selected.iter().filter_map(|position| hosts.get(*position));
        let pods = pods.map(|(_, pods, _)| pods.meta.to_string());
        findings.extend(selection(&policies, &pods.collect::<Vec<_>>()));
    }
    findings
}

/// Finding about policies that select these pods.
fn selection(policies: &[(ObjectId, &str)], pods: &[String]) -> Option<Finding> {
    let (first, _) = policies.first()?;
    let message = format!(
        "{} may select pods on the host network ({}): network plugins know no endpoint of such pods and do not apply policies to \
         them, in both directions. Protect their ports with a firewall of the nodes or the plugin's own policies for hosts",
        listed(policies.iter().map(|(_, name)| name), LISTED),
        listed(pods, LISTED)
    );
    let fix = "protect these pods with a firewall of the nodes: plugins do not apply policies to the host network";
    Some(Finding::new(Severity::Warning, NETWORK_POLICY, message).on(*first).brief(fix, listed(pods, LISTED)))
}

/// Finding about a rule that names these pods.
fn naming(id: ObjectId, policy: &UnevaluatedPolicy, peer: &UnreadPeer, pods: &[String]) -> Finding {
    let nodes = match policy.form {
        PolicyForm::Cilium => "a rule for the entities `host` and `remote-node`",
        _ => "a rule for the addresses of the nodes",
    };
    let message = format!(
        "{}: {} may select pods on the host network by their labels ({}): their traffic has the address of the node, so the rule does \
         not match it. If the rule is for these pods, add {nodes}",
        policy.name,
        peer.path,
        listed(pods, LISTED)
    );
    let finding = Finding::new(Severity::Warning, NETWORK_POLICY, message).on(id).at(peer.path.clone());
    finding.brief("give the rule the nodes: pods on the host network have their addresses", peer.path.to_string())
}
