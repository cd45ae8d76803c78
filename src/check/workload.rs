//! A workload as the rules see it.

use super::facts::update::Update;
use crate::judge::nodes::Asked;
use crate::model::facts::PodsView;
use crate::model::listener::Ports;
use crate::model::pod::{Placed, PodTemplate};
use crate::model::{Meta, ObjectId, WorkloadId};

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
    /// How many there are, and how they are replaced.
    pub update: &'m Update,
    /// Where they listen.
    pub ports: Ports,
    /// Whether it is a static Pod of a node, which is not judged itself.
    pub is_static: bool,
    /// `NAMESPACE/KIND/NAME` of the workload that it counts as: its own, or that of what made it.
    pub key: String,
}

impl Workload<'_> {
    /// Whether its pods are on the host network.
    #[must_use]
    pub fn on_host(&self) -> bool {
        self.template.on_host_network()
    }

    /// Its pods, as selectors see them.
    #[must_use]
    pub fn pods_view(&self) -> PodsView<'_> {
        PodsView { meta: self.meta, template: self.template }
    }

    /// What the pods ask of their nodes.
    #[must_use]
    pub fn asked(&self) -> Asked<'_> {
        Asked { template: self.template, besides: None }
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
