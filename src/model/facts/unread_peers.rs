//! Pods that rules of a network plugin's policy name by their labels.

use super::applies_to::Endpoints;
use super::plugin_policy::{cilium_peer, specs};
use super::policy_subject::{PolicyPods, PolicySubject};
use super::scope::{Requirements, label_selector, own_namespace};
use crate::catalog::PolicyForm;
use crate::model::meta::Meta;
use crate::model::text::Labels;
use lossless_yaml::{NodeRef, Path, Value};

/// Peer of a rule that is not evaluated.
#[derive(Debug, Clone)]
pub(crate) struct UnreadPeer {
    /// Path of the peer.
    pub(crate) path: Path,
    pods: PolicySubject,
}

impl UnreadPeer {
    /// True if the peer selects the pods by their labels or service account. False for a peer that selects all pods of
    /// some namespaces.
    pub(crate) fn names(&self, pods: PolicyPods<'_>) -> bool {
        let unlabelled = PolicyPods { labels: &Labels::default(), package: None, service_account: None, ..pods };
        self.pods.selects(pods) == Some(true) && self.pods.selects(unlabelled) != Some(true)
    }
}

/// Reads the pods of a peer; `None` for a peer without labels of pods.
type Read<'r> = dyn Fn(NodeRef<'_, '_>) -> Option<PolicySubject> + 'r;

/// Fields of a policy with lists of rules, each with the field of a rule that has the peers.
type RuleLists = &'static [(&'static str, &'static str)];

const INGRESS_FROM_EGRESS_TO: RuleLists = &[("ingress", "from"), ("egress", "to")];
const CALICO: RuleLists = &[("ingress", "source"), ("egress", "destination")];
const CILIUM: RuleLists = &[
    ("ingress", "fromEndpoints"),
    ("ingressDeny", "fromEndpoints"),
    ("egress", "toEndpoints"),
    ("egressDeny", "toEndpoints"),
];

/// Reads the peers of a policy; empty for forms whose rules name no pods.
pub(super) fn peers(form: PolicyForm, meta: &Meta, object: NodeRef<'_, '_>) -> Vec<UnreadPeer> {
    let namespaced = || matches!(meta.gvk.kind.as_str(), "NetworkPolicy" | "ApplicationNetworkPolicy");
    let (sides, read): (RuleLists, &Read<'_>) = match form {
        PolicyForm::Cilium => (CILIUM, &|peer| cilium_peer(meta, peer).map(PolicySubject::Cilium)),
        PolicyForm::Calico => (CALICO, &|peer| calico(namespaced().then(|| own_namespace(meta)), peer)),
        PolicyForm::Admin => (INGRESS_FROM_EGRESS_TO, &|peer| {
            let pods = peer.get("pods")?;
            Some(PolicySubject::Admin(label_selector(pods.get("namespaceSelector")), Some(selector(pods)?)))
        }),
        PolicyForm::Antrea | PolicyForm::Native => (INGRESS_FROM_EGRESS_TO, &|peer| labelled(namespaced(), meta, peer)),
        PolicyForm::EgressAddress
        | PolicyForm::EgressFirewall
        | PolicyForm::NativeEgress
        | PolicyForm::Nsx
        | PolicyForm::Istio
        | PolicyForm::IstioPeer
        | PolicyForm::IstioSidecar
        | PolicyForm::Linkerd
        | PolicyForm::LinkerdDefault
        | PolicyForm::NeuVector
        | PolicyForm::MeshService
        | PolicyForm::Generated
        | PolicyForm::Tenant
        | PolicyForm::Subnet
        | PolicyForm::Other
        | PolicyForm::CalicoHost
        | PolicyForm::NodeFirewall => return Vec::new(),
    };
    let mut found = Vec::new();
    for (path, spec) in specs(object) {
        for &(list, side) in sides {
            let rules: Vec<NodeRef<'_, '_>> = spec.get(list).into_iter().flat_map(NodeRef::items).collect();
            let has_nodes = |rule: &NodeRef<'_, '_>| !node_peers(form, *rule, side).is_empty();
            let with_nodes: Vec<NodeRef<'_, '_>> = rules.iter().copied().filter(has_nodes).collect();
            for (index, rule) in rules.iter().enumerate() {
                let Some(node) = rule.get(side) else { continue };
                if has_rule_for_nodes(form, &with_nodes, *rule, side) {
                    continue;
                }
                let path = path.key(list).item(index).key(side);
                let mut add = |path: Path, peer| found.extend(read(peer).map(|pods| UnreadPeer { path, pods }));
                if node.is_mapping() {
                    add(path, node);
                } else {
                    node.items().enumerate().for_each(|(index, peer)| add(path.item(index), peer));
                }
            }
        }
    }
    found
}

/// True if rules in `with_nodes` that have the action and the ports of `rule` also select the nodes.
///
/// Sources: cilium/cilium@30a4939a `Documentation/security/policy/language.rst` (entity `cluster` has `host` and
/// `remote-node`); antrea-io/antrea@fc70f2bb `pkg/apis/crd/v1beta1/types.go` (`NetworkPolicyPeer`);
/// kubernetes-sigs/network-policy-api@a18add2e `apis/v1alpha1/shared_types.go` (`nodes`).
fn has_rule_for_nodes(form: PolicyForm, with_nodes: &[NodeRef<'_, '_>], rule: NodeRef<'_, '_>, side: &str) -> bool {
    let action = |rule: NodeRef<'_, '_>| rule.get("action").and_then(NodeRef::to_value);
    let covers = |other: &&NodeRef<'_, '_>| action(**other) == action(rule) && covers_ports_of(form, **other, rule);
    let nodes: Vec<NodeRef<'_, '_>> =
        with_nodes.iter().filter(covers).flat_map(|other| node_peers(form, *other, side)).collect();
    let has = |name: &str| nodes.iter().any(|entity| entity.text() == Some(name));
    match form {
        PolicyForm::Cilium => has("all") || has("cluster") || has("host") && has("remote-node"),
        _ => !nodes.is_empty(),
    }
}

/// Peers of a rule that may be nodes: the entities of Cilium, and peers with a selector of nodes.
fn node_peers<'t, 's>(form: PolicyForm, rule: NodeRef<'t, 's>, side: &str) -> Vec<NodeRef<'t, 's>> {
    let peers = |field: &str| rule.get(field).into_iter().flat_map(NodeRef::items);
    match form {
        PolicyForm::Cilium => peers(&side.replace("Endpoints", "Entities")).collect(),
        PolicyForm::Antrea => peers(side).filter(|peer| peer.get("nodeSelector").is_some()).collect(),
        PolicyForm::Admin => peers(side).filter(|peer| peer.get("nodes").is_some()).collect(),
        _ => Vec::new(),
    }
}

/// True if the rule `one` applies to all ports of the rule `other`.
fn covers_ports_of(form: PolicyForm, one: NodeRef<'_, '_>, other: NodeRef<'_, '_>) -> bool {
    let ports = |rule: NodeRef<'_, '_>| -> Option<Vec<Value>> {
        if form != PolicyForm::Cilium {
            return Some(rule.get("ports")?.items().filter_map(NodeRef::to_value).collect());
        }
        let lists = rule.get("toPorts")?.items().filter_map(|entry| entry.get("ports"));
        Some(lists.flat_map(NodeRef::items).filter_map(NodeRef::to_value).collect())
    };
    match (ports(one), ports(other)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(open), Some(needed)) => needed.iter().all(|port| open.contains(port)),
    }
}

/// The `podSelector` of a peer; `None` if it is missing or malformed.
fn selector(peer: NodeRef<'_, '_>) -> Option<Requirements> {
    label_selector(Some(peer.get("podSelector").filter(|selector| !selector.is_null())?))
}

/// Peer with `podSelector` and `namespaceSelector`; without the latter, pods of the policy's namespace.
fn labelled(is_namespaced: bool, meta: &Meta, peer: NodeRef<'_, '_>) -> Option<PolicySubject> {
    let pods = Some(selector(peer)?);
    let namespaces = peer.get("namespaceSelector").filter(|selector| !selector.is_null());
    Some(match namespaces {
        None if is_namespaced => {
            let namespace = Some(own_namespace(meta).into());
            PolicySubject::Cilium(Endpoints { namespace, requirements: pods })
        }
        namespaces => PolicySubject::Admin(label_selector(namespaces), pods),
    })
}

/// Peer of Calico: with `namespaceSelector` pods of these namespaces, without it of the policy's namespace, if it has
/// one.
///
/// Source: projectcalico/calico@1c2c4d30 `api/pkg/apis/projectcalico/v3/networkpolicy.go` (`EntityRule`).
fn calico(own_namespace: Option<String>, peer: NodeRef<'_, '_>) -> Option<PolicySubject> {
    let text = |key: &str| peer.get(key).and_then(NodeRef::non_null_text).filter(|text| !text.trim().is_empty());
    let namespaces = text("namespaceSelector");
    let own_namespace = own_namespace.filter(|_| namespaces.is_none());
    let others = [namespaces.unwrap_or_default().into(), String::new()];
    Some(PolicySubject::Calico(own_namespace, text("selector")?.into(), others))
}
