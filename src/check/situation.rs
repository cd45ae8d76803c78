//! All that the rules see, found out once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::alternatives::Alternatives;
use super::facts::{Facts, OfKind};
use super::package_pods::PackagePods;
use super::packages::{Configured, configured};
use super::running::{Running, static_node};
use super::scale::Scale;
use super::settings::Settings;
use super::versions::Versions;
use super::workload::Workload;
use crate::api::Sharing;
use crate::judge::nodes::Nodes;
use crate::model::index::{Owners, object_key};
use crate::model::listener::{Hints, ports};
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Model, ObjectId, WorkloadId};

/// All that the rules see.
#[derive(Debug)]
pub struct Situation<'m> {
    /// The objects.
    pub model: &'m Model,
    /// Of each object, by its position, what the model does not keep.
    pub facts: &'m [Facts],
    /// The input of each object, by its position.
    pub inputs: &'m [usize],
    /// The workloads that count for themselves: not those that another one of the input made, and not those that have ended. Packages of
    /// Crossplane are among them, each as the object of its runtime config.
    pub workloads: Vec<Workload<'m>>,
    /// Static Pods of nodes: they are not objects that anybody applies, but they hold ports.
    pub statics: Vec<Workload<'m>>,
    /// The Pods that have not ended.
    pub running: Running<'m>,
    /// Versions of the cluster.
    pub versions: Versions,
    /// Its nodes.
    pub nodes: Nodes<'m>,
    /// What the config says.
    pub settings: Settings<'m>,
    /// Of each object whether it is judged; the others are context.
    judged: &'m [bool],
    /// Which workloads may have one port.
    pub sharing: Option<Sharing<'m>>,
    by_id: HashMap<WorkloadId, usize>,
    /// Files that are never applied together.
    alternatives: Alternatives,
    /// Who says how many pods there are.
    pub(super) scale: Scale<'m>,
}

/// What the Pods of one template have in common: their containers, by names and images.
fn alike(template: &PodTemplate) -> Vec<(&str, &str)> {
    template.containers.iter().map(|container| (container.name.as_str(), container.image.as_str())).collect()
}

impl<'m> Situation<'m> {
    /// Finds out what there is. `facts`, `inputs` and `judged` have an entry for each object of the model; `packages` are its packages' pods.
    #[must_use]
    pub fn new(
        model: &'m Model,
        packages: &'m [PackagePods],
        facts: &'m [Facts],
        inputs: &'m [usize],
        judged: &'m [bool],
        settings: Settings<'m>,
    ) -> Self {
        let owners = Owners::of(model);
        let alternatives = Alternatives::of(model, facts, inputs);
        let mut hints =
            Hints { programs: settings.programs.iter().cloned().map(Arc::new).collect(), ..Hints::default() };
        let mut apart_from = None;
        let (mut workloads, mut statics, mut pods, mut twins) = (Vec::new(), Vec::new(), Vec::new(), HashSet::new());
        for (id, object, template) in model.workloads() {
            let Some(facts) = facts.get(id.object) else { continue };
            let Some(update) = facts.updates.get(id.template) else { continue };
            let meta = &object.meta;
            let (mut root, is_made_here) = owners.root(meta, template);
            let old_revision = meta.gvk.kind == "ReplicaSet" && update.is_written && update.replicas == Some(0);
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
            // Pods of one owner that is not in the input are alike: the first one is judged for all.
            let is_owned_pod = meta.is_pod() && node.is_none() && template.owner.is_some();
            if is_made_here || is_owned_pod && !twins.insert((root.clone(), alike(template))) {
                continue;
            }
            // A Service or a monitor of one cluster says nothing of the pods of another.
            let input = inputs.get(id.object).copied();
            if apart_from != input {
                hints.apart = input.map(|input| alternatives.of_input(input, inputs)).unwrap_or_default();
                apart_from = input;
            }
            let ports = ports(model, meta, template, &hints);
            let list = if node.is_some() { &mut statics } else { &mut workloads };
            list.push(Workload {
                id: id.object,
                which: id,
                meta,
                template,
                update,
                ports,
                is_static: node.is_some(),
                key: root,
            });
        }
        for pods in packages {
            let package = pods.packages.first().and_then(|id| model.object(*id));
            let update = facts.get(pods.config).and_then(|facts| facts.updates.first());
            let Some((package, update)) = package.zip(update) else { continue };
            let (meta, template) = (&package.meta, &pods.template);
            let input = inputs.get(pods.config).copied();
            hints.apart = input.map(|input| alternatives.of_input(input, inputs)).unwrap_or_default();
            workloads.push(Workload {
                id: pods.config,
                which: WorkloadId::first(pods.config),
                meta,
                template,
                update,
                ports: ports(model, meta, template, &hints),
                is_static: false,
                key: object_key(meta),
            });
        }
        Self {
            model,
            facts,
            inputs,
            judged,
            by_id: workloads.iter().enumerate().map(|(index, workload)| (workload.which, index)).collect(),
            alternatives,
            scale: Scale::of(model, facts),
            versions: Versions::of(model, &settings),
            nodes: Nodes::of(model, settings.nodes),
            sharing: settings.host_network.map(Sharing::of),
            settings,
            workloads,
            statics,
            running: Running::of(model, pods),
        }
    }

    /// The workloads on the host network.
    pub fn on_host(&self) -> impl Iterator<Item = &Workload<'m>> {
        self.workloads.iter().filter(|workload| workload.on_host())
    }

    /// Whether an object is judged, and not just context: what is said of a whole run is said of these.
    #[must_use]
    pub fn is_judged(&self, id: ObjectId) -> bool {
        self.judged.get(id) == Some(&true)
    }

    /// Whether two objects are never in one cluster, as far as it shows: their files are a base and its overlay, or for two clusters; or the
    /// one is the other without its namespace.
    #[must_use]
    pub fn never_together(&self, one: &Workload<'_>, other: &Workload<'_>) -> bool {
        let (a, b) = (one.meta, other.meta);
        let is_same = a.gvk.kind == b.gvk.kind && a.name == b.name && (a.namespace.is_none() || b.namespace.is_none());
        is_same || self.are_alternatives(one.id, other.id)
    }

    /// Whether the files of two objects are a base and its overlay, or for two clusters.
    #[must_use]
    pub fn are_alternatives(&self, one: ObjectId, other: ObjectId) -> bool {
        self.alternatives.are(self.inputs.get(one), self.inputs.get(other))
    }

    /// The fewest pods of a workload at the same time; `None` where each node has one, and where the number is unknown.
    pub(super) fn pods_at_once(&self, workload: &Workload<'_>) -> Option<u32> {
        let known = workload.template.pods?;
        Some(self.replicas(self.updated(workload)).map_or(known, |replicas| replicas.fewest))
    }

    /// The packages of the input, each with its runtime config.
    pub(super) fn packages(&self) -> Vec<Configured<'m>> {
        configured(self.model, &self.versions, |one, other| self.are_alternatives(one, other))
    }

    /// A workload that counts for itself.
    #[must_use]
    pub fn workload(&self, id: WorkloadId) -> Option<&Workload<'m>> {
        self.workloads.get(*self.by_id.get(&id)?)
    }

    /// The objects that say something of this sort, each with its position and identity.
    pub fn all_of<T: 'm>(
        &self,
        pick: impl Fn(&'m OfKind) -> Option<&'m T>,
    ) -> impl Iterator<Item = (ObjectId, &'m Meta, &'m T)> {
        let applied = self.model.objects().iter().zip(self.facts).enumerate();
        let applied = applied.filter(|(_, (object, _))| !object.meta.is_local_config());
        applied.filter_map(move |(id, (object, facts))| Some((id, &object.meta, pick(&facts.of_kind)?)))
    }
}
