//! What the rules of `check` need of an object beside what the model keeps: read while its tree is at hand.

mod digest;
pub mod knative;
pub mod patch;
pub mod pods;
pub mod sidecar_set;
pub mod update;

use crate::model::Meta;
use crate::yaml::NodeRef;

use knative::HostNetworkAsked;
use patch::Patches;
use pods::PodFacts;
use sidecar_set::SidecarSet;
use update::{Autoscaler, Update};

/// What one object says.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// A hash of all that its author wrote: equal objects have equal ones, in whatever order and style their keys are.
    pub digest: u64,
    /// Of its pods, template by template.
    pub pods: Box<[(PodFacts, Update)]>,
    /// By its kind.
    pub of_kind: OfKind,
}

/// What an object is, where the rules look at more than its template.
#[derive(Debug, Clone, Default)]
pub enum OfKind {
    /// A `HorizontalPodAutoscaler`.
    Autoscaler(Box<Autoscaler>),
    /// OpenKruise's `SidecarSet`.
    SidecarSet(Box<SidecarSet>),
    /// Patches of subsets of pods.
    Patches(Box<Patches>),
    /// A Knative object that asks for the host network.
    Knative(Box<HostNetworkAsked>),
    /// Nothing of these.
    #[default]
    Other,
}

impl Facts {
    /// Reads an object. `template` is the path of its pod template, if it has one.
    #[must_use]
    pub fn of<'p>(
        meta: &Meta,
        object: NodeRef<'_, '_>,
        templates: impl Iterator<Item = &'p crate::yaml::Path>,
    ) -> Self {
        let pods = templates.map(|path| {
            let spec = object.lookup(path).and_then(|template| template.get("spec"));
            (PodFacts::of(meta, spec, path), Update::of(meta, object))
        });
        Self { digest: digest::of(object), pods: pods.collect(), of_kind: of_kind(meta, object) }
    }
}

fn of_kind(meta: &Meta, object: NodeRef<'_, '_>) -> OfKind {
    let found = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        ("autoscaling", "HorizontalPodAutoscaler") => {
            Autoscaler::of(object).map(|scaler| OfKind::Autoscaler(Box::new(scaler)))
        }
        ("apps.kruise.io", "SidecarSet") => SidecarSet::of(meta, object).map(|set| OfKind::SidecarSet(Box::new(set))),
        ("apps.kruise.io", "UnitedDeployment" | "WorkloadSpread") => {
            Patches::of(object).map(|patches| OfKind::Patches(Box::new(patches)))
        }
        ("serving.knative.dev", _) => HostNetworkAsked::of(object).map(|asked| OfKind::Knative(Box::new(asked))),
        _ => None,
    };
    found.unwrap_or_default()
}
