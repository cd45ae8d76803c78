//! The Pods of a dump: which workload each counts as, on which node it is, and what it has that its workload does not say.

use std::collections::{BTreeMap, HashMap};

use crate::model::index::{deployment_of, object_key, owner_key};
use crate::model::pod::{HeldPort, PodTemplate};
use crate::model::{Meta, Model, ObjectId};

/// The annotation with which the kubelet shows a static Pod of its node.
/// Source: kubernetes v1.37 `pkg/kubelet/types/pod_update.go`, `ConfigMirrorAnnotationKey`.
const MIRROR: &str = "kubernetes.io/config.mirror";

/// The node of a static Pod whose file a kubelet reads; none for other Pods.
pub(super) fn static_node<'m>(meta: &Meta, template: &'m PodTemplate) -> Option<&'m str> {
    let node = template.placement.as_deref()?.node_name()?;
    (meta.is_pod() && meta.annotations.get(MIRROR).is_some()).then_some(node)
}

/// A Pod that has not ended.
#[derive(Debug)]
pub struct RunningPod<'m> {
    /// The object.
    pub id: ObjectId,
    /// Its identity.
    pub meta: &'m Meta,
    /// Its spec.
    pub template: &'m PodTemplate,
    /// The key of the workload that it counts as.
    pub key: String,
    /// What the object that made it says of its pods; nothing where that is not in the input.
    made_from: Vec<&'m PodTemplate>,
}

impl RunningPod<'_> {
    /// The node that it is on, once it is on one.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        self.template.placement.as_deref()?.node_name()
    }

    /// The ports of its node that it takes and that what made it does not say: those of containers that something put into it.
    pub fn injected(&self) -> impl Iterator<Item = HeldPort<'_>> {
        let is_said = |held: &HeldPort<'_>| {
            let mut said = self.made_from.iter().flat_map(|template| template.held_ports());
            said.any(|said| said.number == held.number && said.protocol == held.protocol)
        };
        let held = self.template.held_ports().filter(|_| !self.made_from.is_empty());
        held.filter(move |held| !is_said(held))
    }
}

/// A port of a node: the node, the number and the protocol.
type PortOfNode<'m> = (&'m str, u16, &'m str);

/// The Pods that have not ended, and the nodes that they are on.
#[derive(Debug, Default)]
pub struct Running<'m> {
    /// The Pods.
    pub pods: Vec<RunningPod<'m>>,
    /// By the key of a workload, the nodes that its Pods are on.
    nodes: HashMap<String, BTreeMap<&'m str, ObjectId>>,
    /// The Pods that hold a port of a node, by their positions.
    holders: HashMap<PortOfNode<'m>, Vec<usize>>,
}

/// Whether a port is taken on all addresses of the node: on the host network what is written is bookkeeping.
fn takes_every_address(template: &PodTemplate, held: &HeldPort<'_>) -> bool {
    let port = held.container.ports.iter().flatten().nth(held.index);
    template.on_host_network() || port.is_none_or(|port| matches!(&*port.host_ip, "" | "0.0.0.0"))
}

impl<'m> Running<'m> {
    /// Pods with the keys of the workloads that they count as.
    pub(super) fn of(model: &'m Model, pods: Vec<(ObjectId, &'m Meta, &'m PodTemplate, String)>) -> Self {
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
                for held in template.held_ports().filter(|held| takes_every_address(template, held)) {
                    let port = (node, held.number, held.protocol);
                    running.holders.entry(port).or_default().push(running.pods.len());
                }
            }
            running.pods.push(RunningPod { id, meta, template, key, made_from });
        }
        running
    }

    /// A node that runs Pods of both workloads.
    #[must_use]
    pub fn node_of_both(&self, one: &str, other: &str) -> Option<&'m str> {
        let (one, other) = (self.nodes.get(one)?, self.nodes.get(other)?);
        one.keys().find(|node| other.contains_key(*node)).copied()
    }

    /// Whether a workload has a Pod on this node.
    #[must_use]
    pub fn is_on(&self, key: &str, node: &str) -> bool {
        self.nodes.get(key).is_some_and(|nodes| nodes.contains_key(node))
    }

    /// The Pod of another workload that holds a port of a node.
    #[must_use]
    pub fn holder(&self, node: &str, number: u16, protocol: &str, key: &str) -> Option<&RunningPod<'m>> {
        let holders = self.holders.get(&(node, number, protocol))?;
        holders.iter().filter_map(|&index| self.pods.get(index)).find(|pod| pod.key != key)
    }
}
