//! All that the rules see, found out once.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::facts::pods::PodFacts;
use super::facts::update::{Autoscaler, Update};
use super::facts::{Facts, OfKind};
use super::versions::Versions;
use crate::api::{self, ApiServer, PortRange, Sharing};
use crate::catalog::Program;
use crate::judge::nodes::Nodes;
use crate::model::index::Owners;
use crate::model::listener::{Hints, Ports, ports};
use crate::model::pod::{Placed, PodTemplate};
use crate::model::{Meta, Model, ObjectId, WorkloadId};

/// What a config says that rules need.
#[derive(Debug, Clone, Copy)]
pub struct Settings<'c> {
    /// Where the API server is.
    pub api_server: ApiServer,
    /// Versions of the cluster.
    pub versions: &'c api::Versions,
    /// Its nodes.
    pub nodes: Option<&'c api::Nodes>,
    /// More ports that the nodes use.
    pub reserved: &'c [PortRange],
    /// What a `HostNetwork` says of numbers and packages.
    pub host_network: Option<&'c api::HostNetworkSpec>,
    /// Programs that the catalogue does not have.
    pub programs: &'c [Program],
}

/// All that the rules see.
#[derive(Debug)]
pub struct Situation<'m> {
    /// The objects.
    pub model: &'m Model,
    /// Of each object, by its position, what the model does not keep.
    pub facts: &'m [Facts],
    /// The input of each object, by its position.
    pub inputs: &'m [usize],
    /// The workloads that count for themselves: not those that another one of the input made, and not those that have ended.
    pub workloads: Vec<Workload<'m>>,
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
    autoscalers: BTreeMap<(&'m str, &'m str, &'m str), &'m Autoscaler>,
}

/// A workload, with all that is known of its pods.
#[derive(Debug)]
pub struct Workload<'m> {
    /// The object.
    pub id: ObjectId,
    /// Which of its templates.
    pub which: WorkloadId,
    /// Its identity.
    pub meta: &'m Meta,
    /// The template of its pods.
    pub template: &'m PodTemplate,
    /// What their spec says besides.
    pub pods: &'m PodFacts,
    /// How many there are, and how they are replaced.
    pub update: &'m Update,
    /// Where they listen.
    pub ports: Ports,
    /// `NAMESPACE/KIND/NAME` of the workload that it counts as: its own, or that of what made it.
    pub key: String,
}

impl Workload<'_> {
    /// Whether its pods are on the host network.
    #[must_use]
    pub fn on_host(&self) -> bool {
        self.template.on_host_network()
    }

    /// The pods as the scheduler sees them.
    #[must_use]
    pub fn placed(&self) -> Placed<'_> {
        Placed {
            namespace: self.meta.namespace.as_deref(),
            labels: &self.template.labels,
            placement: self.template.placement.as_deref(),
        }
    }
}

impl<'m> Situation<'m> {
    /// Finds out what there is. `facts`, `inputs` and `judged` have an entry for each object of the model.
    #[must_use]
    pub fn new(
        model: &'m Model,
        facts: &'m [Facts],
        inputs: &'m [usize],
        judged: &'m [bool],
        settings: Settings<'m>,
    ) -> Self {
        let owners = Owners::of(model);
        let hints = Hints { programs: settings.programs.iter().cloned().map(Arc::new).collect(), ..Hints::default() };
        let mut workloads = Vec::new();
        for (id, object, template) in model.workloads() {
            let Some(own) = facts.get(id.object).and_then(|facts| facts.pods.get(id.template)) else { continue };
            let (root, is_made_here) = owners.root(&object.meta, template);
            let old_revision = object.meta.gvk.kind == "ReplicaSet" && own.1.is_written && own.1.replicas == Some(0);
            if is_made_here || old_revision || own.0.has_ended {
                continue;
            }
            let ports = ports(model, &object.meta, template, &hints);
            let meta = &object.meta;
            workloads.push(Workload {
                id: id.object,
                which: id,
                meta,
                template,
                pods: &own.0,
                update: &own.1,
                ports,
                key: root,
            });
        }
        let applied = || model.objects().iter().enumerate().filter(|(_, object)| !object.meta.is_local_config());
        let autoscalers = applied().filter_map(|(id, object)| match &facts.get(id)?.of_kind {
            OfKind::Autoscaler(scaler) => {
                let namespace = object.meta.namespace.as_deref().unwrap_or_default();
                Some(((namespace, scaler.target.0.as_str(), scaler.target.1.as_str()), &**scaler))
            }
            _ => None,
        });
        Self {
            model,
            facts,
            inputs,
            judged,
            by_id: workloads.iter().enumerate().map(|(index, workload)| (workload.which, index)).collect(),
            autoscalers: autoscalers.collect(),
            versions: Versions::of(model, settings.versions),
            nodes: Nodes::of(model, settings.nodes),
            sharing: settings.host_network.map(Sharing::of),
            settings,
            workloads,
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

    /// A workload that counts for itself.
    #[must_use]
    pub fn workload(&self, id: WorkloadId) -> Option<&Workload<'m>> {
        self.workloads.get(*self.by_id.get(&id)?)
    }

    /// The most replicas that a workload has: its own number, or that of its autoscaler.
    #[must_use]
    pub fn most_replicas(&self, workload: &Workload<'_>) -> Option<u32> {
        let own = workload.update.replicas?;
        let namespace = workload.meta.namespace.as_deref().unwrap_or_default();
        let scaler = self.autoscalers.get(&(namespace, workload.meta.gvk.kind.as_str(), workload.meta.name.as_str()));
        // No autoscaler scales what was set to 0.
        Some(scaler.map_or(own, |scaler| if own == 0 { 0 } else { own.max(scaler.most) }))
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
