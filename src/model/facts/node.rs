//! Nodes of the cluster.

use crate::model::meta::Meta;
use crate::model::pod::Taint;
use crate::model::text::Labels;
use lossless_yaml::{NodeRef, Path};

/// `Node` of the cluster.
#[derive(Debug, Clone)]
pub struct Node {
    /// Node name.
    pub name: String,
    /// Node labels.
    pub labels: Labels,
    /// Taints that keep pods away.
    pub taints: Vec<Taint>,
    /// True if the node is unschedulable.
    pub unschedulable: bool,
    /// Port of the kubelet, as the kubelet reports it.
    pub kubelet: Option<u16>,
}

/// Prefix of taints that reflect node conditions, which change from minute to minute.
const CONDITION: &str = "node.kubernetes.io/";

impl Node {
    pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Self {
        let spec = object.get("spec");
        let taints = spec.and_then(|spec| spec.get("taints")).into_iter().flat_map(NodeRef::items);
        let text =
            |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
        let taints = taints.filter(|taint| matches!(text(*taint, "effect").as_str(), "NoSchedule" | "NoExecute"));
        let taints = taints.map(|taint| Taint {
            key: text(taint, "key"),
            value: text(taint, "value"),
            effect: text(taint, "effect"),
        });
        Self {
            name: meta.name.clone(),
            labels: meta.labels.clone(),
            taints: taints.filter(|taint| !taint.key.starts_with(CONDITION)).collect(),
            unschedulable: spec.and_then(|spec| spec.get("unschedulable")).and_then(NodeRef::as_bool) == Some(true),
            kubelet: kubelet_port(object),
        }
    }
}

/// Port of the kubelet of a Node, as the kubelet reports it.
pub fn kubelet_port(node: NodeRef<'_, '_>) -> Option<u16> {
    let port = node.lookup(&Path::dotted("status.daemonEndpoints.kubeletEndpoint.Port"));
    port.and_then(NodeRef::as_go_int).and_then(|number| u16::try_from(number).ok()).filter(|number| *number > 0)
}
