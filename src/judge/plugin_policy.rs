//! Policies of network plugins that select pods on the host network, or name them in a rule: such pods have no endpoint
//! of the plugin. The rules of the policies are not evaluated.
//!
//! Sources: cilium/cilium `Documentation/security/policy/lifecycle.rst`; projectcalico/calico `HostEndpoint`, which
//! selects nodes and not pods; kubernetes-sigs/network-policy-api `apis/v1alpha2/clusternetworkpolicy_types.go`
//! ("host-networked pods are not included" as subject and as peer).

use std::collections::BTreeMap;

use super::network_policy::{OnHost, namespace_labels};
use crate::catalog::PolicyForm;
use crate::model::facts::{Direction, PodsView, PolicyPods, UnevaluatedPolicy, UnreadPeer, package};
use crate::model::text::Labels;
use crate::model::{Model, ObjectId, WorkloadId};
use crate::plan::{Finding, listed};
use crate::rule::{NETWORK_POLICY, Severity};

/// Maximum number of comparisons of policies with pods per run; beyond it, policies are reported as not compared.
const MAX_COMPARED: usize = 1_000_000;

/// Maximum number of names in a message.
const LISTED: usize = 20;

/// Object and name of policies, grouped by the positions of the pods that they select and by their effect.
type Selecting<'m> = BTreeMap<(Vec<usize>, Effect), Vec<(ObjectId, &'m str)>>;

/// Effect of a policy that is lost for pods on the host network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    /// Restriction of the connections to the pods.
    Ingress,
    /// The policy restricts only connections from the pods.
    Egress,
    /// Source address of connections from the pods to outside of the cluster.
    Address,
}

/// Findings about the policies of plugins that select pods on the host network, or name them in a rule. `together`
/// is true if a policy and a workload may be applied together.
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
                service_account: package.is_none().then_some(&*pods.template.service_account),
                package,
            };
            Some((id, pods, labels))
        })
        .collect();
    let mut selecting = Selecting::new();
    let mut findings = Vec::new();
    let mut compared = 0;
    let mut not_compared = Vec::new();
    for (id, policy) in model.unread_policies().filter(|(_, policy)| !policy.form.is_of_mesh()) {
        let comparisons = hosts.len() * (1 + policy.peers.len());
        if compared + comparisons > MAX_COMPARED {
            not_compared.push((id, policy.name.as_str()));
            continue;
        }
        compared += comparisons;
        let near = || hosts.iter().enumerate().filter(|(_, (workload, ..))| together(id, *workload));
        let (mut selected, mut is_ingress) = (Vec::new(), false);
        for (position, (.., pods)) in near() {
            let has_ingress = policy.affects(*pods, Direction::Ingress);
            if has_ingress || policy.affects(*pods, Direction::Egress) {
                selected.push(position);
                is_ingress |= has_ingress;
            }
        }
        if !selected.is_empty() {
            let effect = match is_ingress {
                _ if policy.form == PolicyForm::EgressAddress => Effect::Address,
                true => Effect::Ingress,
                false => Effect::Egress,
            };
            selecting.entry((selected, effect)).or_default().push((id, &policy.name));
        }
        for peer in &policy.peers {
            let named = near().filter(|(_, (.., pods))| peer.names(*pods));
            let named: Vec<String> = named.map(|(_, (_, pods, _))| pods.meta.to_string()).collect();
            if !named.is_empty() {
                findings.push(naming(id, policy, peer, &named));
            }
        }
    }
    for ((selected, effect), policies) in selecting {
        let pods = selected.iter().filter_map(|position| hosts.get(*position));
        let pods = pods.map(|(_, pods, _)| pods.meta.to_string());
        findings.extend(selection(&policies, &pods.collect::<Vec<_>>(), effect));
    }
    findings.extend(left_out(&not_compared));
    findings
}

/// Finding about policies that were not compared with the pods.
fn left_out(policies: &[(ObjectId, &str)]) -> Option<Finding> {
    let (first, _) = policies.first()?;
    let message = format!(
        "The input has too many pods on the host network and policies of network plugins: {} {} not compared with these pods. Give parts \
         of the input alone",
        listed(policies.iter().map(|(_, name)| name), LISTED),
        if policies.len() == 1 { "was" } else { "were" }
    );
    let fix = "give parts of the input alone: policies were not compared with pods on the host network";
    let finding = Finding::new(Severity::Warning, NETWORK_POLICY, message).on_object(*first);
    Some(finding.brief(fix, format!("policies: {}", policies.len())))
}

/// Finding about policies that select these pods.
fn selection(policies: &[(ObjectId, &str)], pods: &[String], effect: Effect) -> Option<Finding> {
    let (first, _) = policies.first()?;
    let (effect, fix) = match effect {
        Effect::Ingress => (
            "network plugins know no endpoint of such pods and do not apply policies to them, in both directions. Protect their ports with \
             a firewall of the nodes or the plugin's own policies for hosts",
            "protect these pods with a firewall of the nodes: plugins do not apply policies to the host network",
        ),
        Effect::Egress => (
            "network plugins know no endpoint of such pods and do not apply policies to them, so their outgoing connections are not \
             restricted. Restrict them with a firewall of the nodes or the plugin's own policies for hosts",
            "protect these pods with a firewall of the nodes: plugins do not apply policies to the host network",
        ),
        Effect::Address => (
            "their connections to the outside have the address of the node, and not the egress address. Let firewalls that expect that \
             address accept the addresses of the nodes",
            "let firewalls accept the addresses of the nodes: pods on the host network have no egress address",
        ),
    };
    let message = format!(
        "{} may select pods on the host network ({}): {effect}",
        listed(policies.iter().map(|(_, name)| name), LISTED),
        listed(pods, LISTED)
    );
    Some(Finding::new(Severity::Warning, NETWORK_POLICY, message).on_object(*first).brief(fix, listed(pods, LISTED)))
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
    let finding = Finding::new(Severity::Warning, NETWORK_POLICY, message).on_object(id).at(peer.path.clone());
    finding.brief("give the rule the nodes: pods on the host network have their addresses", peer.path.to_string())
}
