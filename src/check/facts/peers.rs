//! The peers of a `NetworkPolicy`: pods that its rules let in, or to which they let out.

use crate::model::Meta;
use crate::model::facts::Scope;
use crate::yaml::{NodeRef, Path};

/// Peers that are selected by labels.
#[derive(Debug, Clone)]
pub struct Peers(pub Vec<Peer>);

/// One peer.
#[derive(Debug, Clone)]
pub struct Peer {
    /// Its path.
    pub path: Path,
    /// Its pods; by themselves in the policy's own namespace.
    pub pods: Scope,
    /// The labels of the namespaces that they are in, when it selects namespaces.
    pub namespaces: Option<Scope>,
}

impl Peers {
    pub(super) fn of(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
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
        (!peers.is_empty()).then_some(Self(peers))
    }
}

fn peer(meta: &Meta, node: NodeRef<'_, '_>, path: Path) -> Option<Peer> {
    let of = |key: &str| node.get(key).filter(|selector| !selector.is_null());
    // Without a selector of pods all pods of a namespace are meant, those of the pod network too: that is not about these.
    let pods = Scope::own(Some(of("podSelector")?), meta)?;
    let namespaces = match of("namespaceSelector") {
        Some(selector) => Some(Scope::own(Some(selector), meta)?),
        None => None,
    };
    Some(Peer { path, pods, namespaces })
}
