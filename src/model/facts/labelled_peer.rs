//! Peers of a `NetworkPolicy` that labels select.

use std::sync::Arc;

use super::scope::Scope;
use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Path, Value};

/// Peer that labels select.
#[derive(Debug, Clone)]
pub struct LabelledPeer {
    /// Path of the peer.
    pub path: Path,
    /// Selector of the pods; without `namespaces`, in the namespace of the policy.
    pub pods: Scope,
    /// Selector of the namespaces of the pods, if set.
    pub namespaces: Option<Scope>,
    /// Rule of the peer.
    pub rule: Arc<RuleSide>,
}

/// Direction and ports of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSide {
    /// `from` or `to`.
    side: &'static str,
    /// Entries of `ports`; `None` for all ports.
    ports: Option<Vec<Value>>,
    /// True if a peer of the rule has addresses of nodes.
    has_nodes: bool,
}

impl RuleSide {
    /// Reads a rule. An `ipBlock` for more than one address may be the block of the nodes. A rule without peers allows
    /// every address.
    ///
    /// Source: docs.redhat.com, release notes of `OpenShift` Container Platform 4.6, 1.2.8.16: with OVN-Kubernetes the
    /// label of [`HOST_NETWORK_GROUP`] selects the traffic of the host network.
    fn read(rule: NodeRef<'_, '_>, side: &'static str) -> Self {
        let peers: Vec<NodeRef<'_, '_>> = rule.get(side).into_iter().flat_map(NodeRef::items).collect();
        let is_block = |peer: &NodeRef<'_, '_>| {
            let range = peer.get("ipBlock").and_then(|block| block.get("cidr")?.non_null_text());
            range.is_some_and(|range| !range.ends_with("/32") && !range.ends_with("/128"))
        };
        let is_of_host = |peer: &NodeRef<'_, '_>| {
            let labels = peer.get("namespaceSelector").and_then(|selector| selector.get("matchLabels"));
            labels.is_some_and(|labels| labels.get(HOST_NETWORK_GROUP).is_some())
        };
        let has_nodes = peers.is_empty() || peers.iter().any(|peer| is_block(peer) || is_of_host(peer));
        let ports: Vec<Value> =
            rule.get("ports").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::to_value).collect();
        Self { side, ports: Some(ports).filter(|ports| !ports.is_empty()), has_nodes }
    }

    /// True if the rule allows nodes all ports of the other rule.
    pub fn allows_nodes(&self, other: &Self) -> bool {
        let covers = |open: &Vec<Value>| other.ports.iter().flatten().all(|port| open.contains(port));
        let has_ports = self.ports.as_ref().is_none_or(|open| other.ports.is_some() && covers(open));
        self.has_nodes && self.side == other.side && has_ports
    }
}

/// Label of the namespace that OVN-Kubernetes assigns to the traffic of pods on the host network.
const HOST_NETWORK_GROUP: &str = "policy-group.network.openshift.io/host-network";

impl LabelledPeer {
    /// Reads the labelled peers and the rules of a policy.
    pub(super) fn all(meta: &Meta, object: NodeRef<'_, '_>) -> (Vec<Self>, Vec<Arc<RuleSide>>) {
        let (mut peers, mut all) = (Vec::new(), Vec::new());
        for (list, side) in [("ingress", "from"), ("egress", "to")] {
            let path = Path::root().key("spec").key(list);
            let rules = object.get("spec").and_then(|spec| spec.get(list));
            for (index, rule) in rules.into_iter().flat_map(NodeRef::items).enumerate() {
                let path = path.item(index).key(side);
                let nodes = rule.get(side).into_iter().flat_map(NodeRef::items).enumerate();
                let read = Arc::new(RuleSide::read(rule, side));
                peers.extend(nodes.filter_map(|(index, node)| peer(meta, node, path.item(index), &read)));
                all.push(read);
            }
        }
        (peers, all)
    }
}

/// Reads a peer that selects pods by labels; `None` for other peers.
fn peer(meta: &Meta, node: NodeRef<'_, '_>, path: Path, rule: &Arc<RuleSide>) -> Option<LabelledPeer> {
    let selector = |key: &str| node.get(key).filter(|selector| !selector.is_null());
    // Skip a peer without `podSelector`: it selects all pods of a namespace, whatever their labels.
    let pods = Scope::own(Some(selector("podSelector")?), meta)?;
    let namespaces = match selector("namespaceSelector") {
        Some(selector) => Some(Scope::own(Some(selector), meta)?),
        None => None,
    };
    Some(LabelledPeer { path, pods, namespaces, rule: Arc::clone(rule) })
}
