//! Pods that rules of a network plugin's policy name by their labels.

use super::applies_to::Endpoints;
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
    /// True if the peer may select the pods by their labels. False for a peer that selects pods without labels too,
    /// because it is about namespaces.
    pub(crate) fn may_name(&self, pods: PolicyPods<'_>) -> bool {
        let unlabelled = PolicyPods { labels: &Labels::default(), package: None, ..pods };
        self.pods.may_select(pods) && !self.pods.may_select(unlabelled)
    }
}

/// Reads the pods of a peer; `None` for a peer without labels of pods.
type Read<'r> = dyn Fn(NodeRef<'_, '_>) -> Option<PolicySubject> + 'r;

/// Lists of rules, and the field of a rule with its peers.
type Sides = &'static [(&'static str, &'static str)];

const FROM_TO: Sides = &[("ingress", "from"), ("egress", "to")];
const CALICO: Sides = &[("ingress", "source"), ("egress", "destination")];
const CILIUM: Sides = &[
    ("ingress", "fromEndpoints"),
    ("ingressDeny", "fromEndpoints"),
    ("egress", "toEndpoints"),
    ("egressDeny", "toEndpoints"),
];

/// Reads the peers of a policy; empty for forms whose rules name no pods.
pub(super) fn peers(form: PolicyForm, meta: &Meta, object: NodeRef<'_, '_>) -> Vec<UnreadPeer> {
    let namespaced = || matches!(meta.gvk.kind.as_str(), "NetworkPolicy" | "ApplicationNetworkPolicy");
    let (sides, read): (Sides, &Read<'_>) = match form {
        PolicyForm::Cilium => (CILIUM, &|peer| cilium_peer(meta, peer).map(PolicySubject::Cilium)),
        PolicyForm::Calico => (CALICO, &|peer| calico(namespaced().then(|| own_namespace(meta)), peer)),
        PolicyForm::Admin => (FROM_TO, &|peer| {
            let pods = peer.get("pods")?;
            Some(PolicySubject::Admin(label_selector(pods.get("namespaceSelector")), Some(selector(pods)?)))
        }),
        PolicyForm::Antrea | PolicyForm::Native => (FROM_TO, &|peer| labelled(namespaced(), meta, peer)),
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
