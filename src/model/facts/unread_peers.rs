//! Pods that rules of a network plugin's policy name by their labels.

use super::applies_to::{Endpoints, NAMESPACE};
use super::plugin_policy::{cilium_peer, specs};
use super::policy_subject::{PolicyPods, PolicySubject};
use super::scope::{Requirements, label_selector, own_namespace};
use crate::catalog::PolicyForm;
use crate::model::meta::Meta;
use crate::model::text::Labels;
use lossless_yaml::{NodeRef, Path};

/// Peer of a rule that is not evaluated.
#[derive(Debug, Clone)]
pub(crate) struct UnreadPeer {
    /// Path of the peer.
    pub(crate) path: Path,
    pods: PolicySubject,
}

impl UnreadPeer {
    /// Property of the pods by which the peer selects them, for messages.
    pub(crate) fn by(&self) -> &'static str {
        if matches!(self.pods, PolicySubject::Accounts(..)) { "service account" } else { "labels" }
    }

    /// True if the peer may select the pods by their labels. False for a peer that selects pods without labels too,
    /// because it is about namespaces.
    pub(crate) fn may_name(&self, pods: PolicyPods<'_>) -> bool {
        let unlabelled = PolicyPods { labels: &Labels::default(), package: None, account: None, ..pods };
        self.pods.may_select(pods) && !self.pods.may_select(unlabelled)
    }
}

/// Reads the pods of a peer; `None` for a peer without labels of pods.
type Read<'r> = dyn Fn(NodeRef<'_, '_>) -> Option<PolicySubject> + 'r;

/// Label of Cilium with the service account of a pod.
const ACCOUNT: &str = "io.cilium.k8s.policy.serviceaccount";

/// Lists of rules, and the field of a rule with its peers.
type Sides = &'static [(&'static str, &'static str)];

const FROM_TO: Sides = &[("ingress", "from"), ("egress", "to")];
const CALICO: Sides = &[("ingress", "source"), ("egress", "destination")];
const CILIUM: Sides = &[
    ("ingress", "fromEndpoints"),
    ("ingress", "fromRequires"),
    ("ingressDeny", "fromEndpoints"),
    ("egress", "toEndpoints"),
    ("egress", "toRequires"),
    ("egressDeny", "toEndpoints"),
];

/// Reads the peers of a policy; empty for forms whose rules name no pods.
pub(super) fn peers(form: PolicyForm, meta: &Meta, object: NodeRef<'_, '_>) -> Vec<UnreadPeer> {
    let namespaced = || matches!(meta.gvk.kind.as_str(), "NetworkPolicy" | "ApplicationNetworkPolicy");
    let (sides, read): (Sides, &Read<'_>) = match form {
        PolicyForm::Cilium => (CILIUM, &|peer| {
            let account = cilium_account(meta, peer);
            account.or_else(|| cilium_peer(meta, peer).map(PolicySubject::Cilium))
        }),
        PolicyForm::Calico => (CALICO, &|peer| {
            let own = namespaced().then(|| own_namespace(meta));
            calico_accounts(own.clone(), peer).or_else(|| calico(own, peer))
        }),
        PolicyForm::Admin => (FROM_TO, &|peer| {
            let pods = peer.get("pods")?;
            Some(PolicySubject::Admin(label_selector(pods.get("namespaceSelector")), Some(selector(pods)?)))
        }),
        PolicyForm::Antrea | PolicyForm::Native => (FROM_TO, &|peer| {
            let account = peer.get("serviceAccount").and_then(|account| {
                let text = |key: &str| account.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
                Some(PolicySubject::Accounts(text("namespace"), vec![text("name")?]))
            });
            account.or_else(|| labelled(namespaced(), meta, peer))
        }),
        PolicyForm::EgressFirewall | PolicyForm::NativeEgress | PolicyForm::Nsx | PolicyForm::Istio => {
            return Vec::new();
        }
    };
    let mut found = Vec::new();
    for (path, spec) in specs(object) {
        for &(list, side) in sides {
            for (index, rule) in spec.get(list).into_iter().flat_map(NodeRef::items).enumerate() {
                let Some(node) = rule.get(side) else { continue };
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

/// Peer of Cilium with only a service account, and possibly its namespace: the labels that Cilium gives.
///
/// Source: cilium/cilium `pkg/k8s/apis/cilium.io/const.go` (`PolicyLabelServiceAccount`, `PodNamespaceLabel`).
fn cilium_account(meta: &Meta, peer: NodeRef<'_, '_>) -> Option<PolicySubject> {
    let labels: Vec<(&str, &str)> = peer
        .get("matchLabels")?
        .entries()
        .filter_map(|(key, value)| {
            let key = key.text()?;
            Some((
                ["k8s:", "any:"].into_iter().find_map(|source| key.strip_prefix(source)).unwrap_or(key),
                value.text()?,
            ))
        })
        .collect();
    let value = |name: &str| labels.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    let is_account = |(key, _): &(&str, &str)| matches!(*key, ACCOUNT | NAMESPACE);
    let account = value(ACCOUNT).filter(|_| labels.iter().all(is_account) && peer.get("matchExpressions").is_none())?;
    let own = || (meta.gvk.kind == "CiliumNetworkPolicy").then(|| own_namespace(meta));
    Some(PolicySubject::Accounts(value(NAMESPACE).or_else(own), vec![account]))
}

/// Peer of Calico with only names of service accounts.
fn calico_accounts(own_namespace: Option<String>, peer: NodeRef<'_, '_>) -> Option<PolicySubject> {
    let is_alone = ["selector", "notSelector"].iter().all(|key| peer.get(key).is_none());
    let names = peer.get("serviceAccounts").filter(|_| is_alone)?.get("names")?.items();
    let namespace = own_namespace.filter(|_| peer.get("namespaceSelector").is_none());
    let names = names.filter_map(NodeRef::text).map(str::to_owned).collect();
    Some(PolicySubject::Accounts(namespace, names))
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
    Some(PolicySubject::Calico(own_namespace, text("selector")?.into(), namespaces.unwrap_or_default().into()))
}
