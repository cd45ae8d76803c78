//! A workload as the rules of `check` read it: its pod template, listeners, and number of pods.

use super::facts::pod_count::PodCount;
use crate::judge::nodes::NodeRequirements;
use crate::model::facts::PodsView;
use crate::model::listener::Ports;
use crate::model::pod::{Placed, PodTemplate};
use crate::model::{Meta, ObjectId, WorkloadId};

/// Workload with the facts about its pods.
#[derive(Debug)]
pub struct Workload<'m> {
    /// Position of the object.
    pub object: ObjectId,
    /// Object and position of the pod template.
    pub id: WorkloadId,
    /// Identity of the object.
    pub meta: &'m Meta,
    /// Pod template.
    pub template: &'m PodTemplate,
    /// Number of pods.
    pub pod_count: &'m PodCount,
    /// Listeners of the pods.
    pub ports: Ports,
    /// True for a static Pod of a node, which is not checked itself.
    pub is_static: bool,
    /// Templates of further Pods of the same owner, which this workload represents: only their nodes differ.
    pub copies: Vec<&'m PodTemplate>,
    /// Claims of the pods whose volumes only one node can mount.
    pub claims: Vec<&'m str>,
    /// `NAMESPACE/KIND/NAME` of the workload, or of the owner that created it.
    pub key: String,
}

impl<'m> Workload<'m> {
    /// Pod templates of the workload: a single one, or the templates of all represented Pods.
    pub fn templates(&self) -> impl Iterator<Item = &'m PodTemplate> {
        std::iter::once(self.template).chain(self.copies.iter().copied())
    }

    /// True if the pods are on the host network.
    pub fn on_host(&self) -> bool {
        self.template.on_host_network()
    }

    /// Pods of the workload, for selectors.
    pub fn pods_view(&self) -> PodsView<'_> {
        PodsView { meta: self.meta, template: self.template }
    }

    /// Node requirements of the pods.
    pub fn node_requirements(&self) -> NodeRequirements<'_> {
        NodeRequirements { template: self.template, subset_placement: None }
    }

    /// Placement of the pods, for the scheduler.
    pub fn placed(&self) -> Placed<'_> {
        self.placement_of_template(self.template)
    }

    /// Placement of the pods of one of its templates, for the scheduler.
    pub fn placement_of_template<'t>(&'t self, template: &'t PodTemplate) -> Placed<'t> {
        Placed {
            namespace: self.pods_view().namespace(),
            labels: &template.labels,
            placement: template.placement.as_deref(),
            claims: &self.claims,
        }
    }
}
