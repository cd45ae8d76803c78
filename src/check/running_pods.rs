//! Pods of a cluster dump: their workloads, nodes, and ports that the pod template lacks.

use std::collections::{BTreeMap, HashMap};

use crate::model::index::{deployment_of, object_key, owner_key};
use crate::model::pod::{HeldPort, PodTemplate};
use crate::model::{Meta, Model, ObjectId};

/// Annotation of the mirror Pod that the kubelet creates for a static Pod.
/// Source: kubernetes v1.37 `pkg/kubelet/types/pod_update.go`, `ConfigMirrorAnnotationKey`.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// Node of a static Pod; `None` for other Pods.
pub(super) fn static_node<'m>(meta: &Meta, template: &'m PodTemplate) -> Option<&'m str> {
    let node = template.placement.as_deref()?.node_name()?;
    (meta.is_pod() && meta.annotations.get(MIRROR).is_some()).then_some(node)
}

/// Pod that has not terminated.
#[derive(Debug)]
pub struct RunningPod<'m> {
    /// Identity of the Pod.
    pub meta: &'m Meta,
    /// Pod spec.
    pub template: &'m PodTemplate,
    /// Key of the workload that the Pod belongs to.
    pub key: String,
    /// Pod templates of the owner; empty if the owner is not in the input.
    made_from: Vec<&'m PodTemplate>,
}

impl RunningPod<'_> {
    /// Ports of the node that the Pod uses and that the pod templates of its owner lack: something injected their
    /// containers.
    pub fn injected(&self) -> impl Iterator<Item = HeldPort<'_>> {
        let is_declared = |held: &HeldPort<'_>| {
            let mut declared = self.made_from.iter().flat_map(|template| template.held_ports());
            declared.any(|declared| declared.number == held.number && declared.protocol == held.protocol)
        };
        let held = self.template.held_ports().filter(|_| !self.made_from.is_empty());
        held.filter(move |held| !is_declared(held))
    }
}

/// Node, number and protocol of a port.
type PortOfNode<'m> = (&'m str, u16, &'m str);

/// Pods that have not terminated, with their nodes.
#[derive(Debug, Default)]
pub struct Running<'m> {
    /// All Pods.
    pub pods: Vec<RunningPod<'m>>,
    /// Nodes with Pods of a workload, by its key.
    nodes: HashMap<String, BTreeMap<&'m str, ObjectId>>,
    /// Positions of the Pods that use a port of a node.
    holders: HashMap<PortOfNode<'m>, Vec<usize>>,
}

/// True if a port is used on all addresses of the node. On the host network `hostIP` does not bind the process.
fn uses_all_node_addresses(template: &PodTemplate, held: &HeldPort<'_>) -> bool {
    let port = held.container.ports.iter().flatten().nth(held.index);
    template.on_host_network() || port.is_none_or(|port| matches!(&*port.host_ip, "" | "0.0.0.0"))
}

impl<'m> Running<'m> {
    /// Indexes Pods, each with the key of its workload.
    pub(super) fn new(model: &'m Model, pods: Vec<(ObjectId, &'m Meta, &'m PodTemplate, String)>) -> Self {
        let mut made_from: HashMap<String, Vec<&PodTemplate>> = HashMap::new();
        for (_, object, template) in
            model.workloads().filter(|(_, object, _)| !object.meta.is_pod() && !pods.is_empty())
        {
            made_from.entry(object_key(&object.meta)).or_default().push(template);
        }
        let mut running = Self::default();
        for (id, meta, template, key) in pods {
            let owner = template.owner.as_deref();
            let mut keys = owner.into_iter().flat_map(|owner| {
                let above = deployment_of(template, owner).map(|above| owner_key(meta, &above));
                std::iter::once(owner_key(meta, owner)).chain(above)
            });
            let made_from = keys.find_map(|key| made_from.get(&key)).cloned().unwrap_or_default();
            if let Some(node) = template.placement.as_deref().and_then(|placement| placement.node_name()) {
                running.nodes.entry(key.clone()).or_default().entry(node).or_insert(id);
                for held in template.held_ports().filter(|held| uses_all_node_addresses(template, held)) {
                    let port = (node, held.number, held.protocol);
                    running.holders.entry(port).or_default().push(running.pods.len());
                }
            }
            running.pods.push(RunningPod { meta, template, key, made_from });
        }
        running
    }

    /// Node with Pods of both workloads.
    pub fn shared_node_of(&self, one: &str, other: &str) -> Option<&'m str> {
        let (one, other) = (self.nodes.get(one)?, self.nodes.get(other)?);
        one.keys().find(|node| other.contains_key(*node)).copied()
    }

    /// True if a workload has a Pod on this node.
    pub fn is_on(&self, key: &str, node: &str) -> bool {
        self.nodes.get(key).is_some_and(|nodes| nodes.contains_key(node))
    }

    /// Pod of another workload that uses a port of a node.
    pub fn holder(&self, node: &str, number: u16, protocol: &str, key: &str) -> Option<&RunningPod<'m>> {
        let holders = self.holders.get(&(node, number, protocol))?;
        holders.iter().filter_map(|&index| self.pods.get(index)).find(|pod| pod.key != key)
    }
}
