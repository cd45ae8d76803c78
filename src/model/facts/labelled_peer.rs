//! Peers of a `NetworkPolicy` that labels select.

use super::scope::Scope;
use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Path};

/// Peer that labels select.
#[derive(Debug, Clone)]
pub struct LabelledPeer {
    /// Path of the peer.
    pub path: Path,
    /// Selector of the pods; without `namespaces`, in the namespace of the policy.
    pub pods: Scope,
    /// Selector of the namespaces of the pods, if set.
    pub namespaces: Option<Scope>,
}

impl LabelledPeer {
    /// Reads the labelled peers of a policy.
    pub(super) fn all(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<Self> {
        let mut peers = Vec::new();
        for (list, side) in [("ingress", "from"), ("egress", "to")] {
            let path = Path::root().key("spec").key(list);
            let rules = object.get("spec").and_then(|spec| spec.get(list));
            for (index, rule) in rules.into_iter().flat_map(NodeRef::items).enumerate() {
                let path = path.item(index).key(side);
                let nodes = rule.get(side).into_iter().flat_map(NodeRef::items).enumerate();
                peers.extend(nodes.filter_map(|(index, node)| peer(meta, node, path.item(index))));
            }
        }
        peers
    }
}

/// Reads a peer that selects pods by labels; `None` for other peers.
fn peer(meta: &Meta, node: NodeRef<'_, '_>, path: Path) -> Option<LabelledPeer> {
    let selector = |key: &str| node.get(key).filter(|selector| !selector.is_null());
    // Skip a peer without `podSelector`: it selects all pods of a namespace, whatever their labels.
    let pods = Scope::own(Some(selector("podSelector")?), meta)?;
    let namespaces = match selector("namespaceSelector") {
        Some(selector) => Some(Scope::own(Some(selector), meta)?),
        None => None,
    };
    Some(LabelledPeer { path, pods, namespaces })
}
