//! Input of all rules of `check`, computed once per run.

use std::collections::HashMap;

use super::alternatives::Alternatives;
use super::facts::{CheckFacts, KindFacts};
use super::package_pods::PackagePods;
use super::packages::{Configured, configured};
use super::pod_controllers::ScalingObjects;
use super::running_pods::{Running, static_node};
use super::settings::Settings;
use super::versions::Versions;
use super::workload::Workload;
use crate::api::Sharing;
use crate::judge::nodes::Nodes;
use crate::model::index::{Owners, object_key};
use crate::model::listener::ports;
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Model, ObjectId, WorkloadId};

/// Input of the rules.
#[derive(Debug)]
pub struct CheckContext<'m> {
    /// Objects of the input.
    pub model: &'m Model,
    /// Facts that the model does not keep, one entry per object.
    pub facts: &'m [CheckFacts],
    /// Number of the input, one entry per object.
    pub inputs: &'m [usize],
    /// Workloads, without objects that another workload of the input creates and without terminated Pods. Includes
    /// Crossplane packages, each as the object of its runtime config.
    pub workloads: Vec<Workload<'m>>,
    /// Static Pods of nodes: they are not applied through the API server, but use ports.
    pub static_pods: Vec<Workload<'m>>,
    /// Pods that have not terminated.
    pub running: Running<'m>,
    /// Versions of Kubernetes, OpenKruise and Crossplane.
    pub versions: Versions,
    /// Nodes of the cluster.
    pub nodes: Nodes<'m>,
    /// Values of the config.
    pub settings: Settings<'m>,
    /// True for objects to check, false for objects that are only context; one entry per object.
    is_checked: &'m [bool],
    /// Workloads that may share a port, from the config.
    pub sharing: Option<Sharing<'m>>,
    by_id: HashMap<WorkloadId, usize>,
    package_pods: &'m [PackagePods],
    /// Inputs that are never applied together.
    alternatives: Alternatives,
    /// Autoscalers and Rollouts, for the number of pods.
    pub(super) scale: ScalingObjects<'m>,
}

/// Names and images of the containers, and the ports of the node: equal for Pods of the same template.
type TemplateIdentity<'m> = (Vec<(&'m str, &'m str)>, Vec<(u16, &'m str)>);

/// Parts of a pod template that Pods of one template share: containers, images and ports.
fn template_identity(template: &PodTemplate) -> TemplateIdentity<'_> {
    let containers = template.containers.iter().map(|container| (container.name.as_str(), container.image.as_str()));
    let ports = template.held_ports().map(|held| (held.number, held.protocol));
    (containers.collect(), ports.collect())
}

impl<'m> CheckContext<'m> {
    /// Computes the input of the rules. `facts`, `inputs` and `is_checked` have one entry per object of the model;
    /// `packages` are the pods of its packages.
    pub fn new(
        model: &'m Model,
        packages: &'m [PackagePods],
        facts: &'m [CheckFacts],
        inputs: &'m [usize],
        is_checked: &'m [bool],
        settings: Settings<'m>,
    ) -> Self {
        let owners = Owners::new(model);
        let alternatives = Alternatives::new(model, facts, inputs);
        let mut hints = settings.hints();
        let mut apart_from = None;
        let (mut workloads, mut static_pods, mut pods) = (Vec::<Workload<'_>>::new(), Vec::new(), Vec::new());
        // Position in `workloads` of the workload that represents all Pods of one template.
        let mut twins: HashMap<(String, TemplateIdentity<'_>), usize> = HashMap::new();
        for (id, object, template) in model.workloads() {
            let Some(facts) = facts.get(id.object) else { continue };
            let Some(pod_count) = facts.pod_counts.get(id.template) else { continue };
            let meta = &object.meta;
            let (mut root, is_made_here) = owners.root(meta, template);
            let old_revision = meta.gvk.kind == "ReplicaSet" && pod_count.is_written && pod_count.replicas == Some(0);
            if old_revision || facts.has_ended {
                continue;
            }
            let node = static_node(meta, template);
            if let Some(node) = node {
                root = format!("Node/{node}");
            }
            if meta.is_pod() {
                pods.push((id.object, meta, template, root.clone()));
            }
            // Pods of the same owner are equal: if the owner is not in the input, only the first Pod is checked.
            let is_owned_pod = meta.is_pod() && node.is_none() && template.owner.is_some();
            if is_made_here {
                continue;
            }
            if is_owned_pod {
                let first = *twins.entry((root.clone(), template_identity(template))).or_insert(workloads.len());
                if let Some(first) = workloads.get_mut(first) {
                    first.copies.push(template);
                    continue;
                }
            }
            // Do not use Services and monitors of alternative inputs as evidence for listeners of
            // these pods.
            let input = inputs.get(id.object).copied();
            if apart_from != input {
                hints.apart = input.map(|input| alternatives.for_input(input, inputs)).unwrap_or_default();
                apart_from = input;
            }
            let ports = ports(model, meta, template, &hints);
            let list = if node.is_some() { &mut static_pods } else { &mut workloads };
            list.push(Workload {
                object: id.object,
                id,
                meta,
                template,
                pod_count,
                ports,
                is_static: node.is_some(),
                copies: Vec::new(),
                claims: model.claims_of_one_node(meta.namespace.as_deref(), template),
                key: root,
            });
        }
        for pods in packages {
            let package = pods.packages.first().and_then(|id| model.object(*id));
            let pod_count = facts.get(pods.config).and_then(|facts| facts.pod_counts.first());
            let Some((package, pod_count)) = package.zip(pod_count) else { continue };
            let (meta, template) = (&package.meta, &pods.template);
            let input = inputs.get(pods.config).copied();
            hints.apart = input.map(|input| alternatives.for_input(input, inputs)).unwrap_or_default();
            workloads.push(Workload {
                object: pods.config,
                id: WorkloadId::first(pods.config),
                meta,
                template,
                pod_count,
                ports: ports(model, meta, template, &hints),
                is_static: false,
                copies: Vec::new(),
                claims: Vec::new(),
                key: object_key(meta),
            });
        }
        Self {
            model,
            facts,
            inputs,
            is_checked,
            package_pods: packages,
            by_id: workloads.iter().enumerate().map(|(index, workload)| (workload.id, index)).collect(),
            alternatives,
            scale: ScalingObjects::new(model, facts),
            versions: Versions::new(model, &settings),
            nodes: Nodes::new(model, settings.nodes),
            sharing: settings.host_network.map(Sharing::new),
            settings,
            workloads,
            static_pods,
            running: Running::new(model, pods),
        }
    }

    /// Workloads on the host network.
    pub fn on_host(&self) -> impl Iterator<Item = &Workload<'m>> {
        self.workloads.iter().filter(|workload| workload.on_host())
    }

    /// True if an object is checked and not only context. Findings about the whole run are reported at checked objects.
    pub fn is_checked(&self, id: ObjectId) -> bool {
        self.is_checked.get(id) == Some(&true)
    }

    /// True if two objects are never in one cluster: their inputs are alternatives, or both have the same kind and name
    /// and one of them has no namespace.
    pub fn never_in_one_cluster(&self, one: &Workload<'_>, other: &Workload<'_>) -> bool {
        let (a, b) = (one.meta, other.meta);
        let is_same = a.gvk.kind == b.gvk.kind && a.name == b.name && (a.namespace.is_none() || b.namespace.is_none());
        is_same || self.are_alternatives(one.object, other.object)
    }

    /// True if the inputs of two objects are alternatives: a base and its overlay, or files for two clusters.
    pub fn are_alternatives(&self, one: ObjectId, other: ObjectId) -> bool {
        self.alternatives.are_alternatives(self.inputs.get(one), self.inputs.get(other))
    }

    /// Minimum number of pods of a workload; `None` for one pod per node and for an unknown number.
    pub(super) fn min_pods_of(&self, workload: &Workload<'_>) -> Option<u32> {
        let known = workload.template.pods?;
        Some(self.replicas(self.updated(workload)).map_or(known, |replicas| replicas.fewest))
    }

    /// Runtime configs whose pods are among `workloads`, each with its packages.
    pub fn package_objects(&self) -> impl Iterator<Item = (ObjectId, ObjectId)> {
        self.package_pods.iter().flat_map(|pods| pods.packages.iter().map(move |package| (pods.config, *package)))
    }

    /// Packages of the input, with their runtime configs.
    pub(super) fn packages(&self) -> Vec<Configured<'m>> {
        configured(self.model, &self.versions, |one, other| self.are_alternatives(one, other))
    }

    /// Workload with this id in `workloads`.
    pub fn workload(&self, id: WorkloadId) -> Option<&Workload<'m>> {
        self.workloads.get(*self.by_id.get(&id)?)
    }

    /// Objects for which `pick` returns a value, with position and identity.
    pub fn all_of<T: 'm>(
        &self,
        pick: impl Fn(&'m KindFacts) -> Option<&'m T>,
    ) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m T)> {
        let applied = self.model.objects().iter().zip(self.facts).enumerate();
        let applied = applied.filter(|(_, (object, _))| !object.meta.is_local_config());
        applied.filter_map(move |(id, (object, facts))| Some((id, &object.meta, pick(&facts.by_kind)?)))
    }
}
