//! What the rules of `check` need of an object beside what the model keeps: read while its tree is at hand.

pub mod autoscaler;
mod digest;
mod invalid;
pub mod knative;
pub mod update;

use crate::model::Meta;
use crate::model::facts::{MarkerProbe, marker_probes};
use crate::model::pod::{PodTemplate, Rollout};
use lossless_yaml::{NodeRef, Path};

use autoscaler::Autoscaler;
pub use invalid::Invalid;
use invalid::invalid;
use knative::HostNetworkAsked;
use update::Update;

/// What one object says.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// A hash of all that its author wrote: equal objects have equal ones, in whatever order and style their keys are.
    pub digest: u64,
    /// How many pods there are, template by template; of a runtime config those of a package that has it.
    pub updates: Box<[Update]>,
    /// Whether it is a Pod that is `Succeeded` or `Failed`.
    pub has_ended: bool,
    /// The fields whose values no API server takes.
    pub invalid: Box<[Invalid]>,
    /// By its kind.
    pub of_kind: OfKind,
}

/// What an object is, where the rules look at more than its template.
#[derive(Debug, Clone, Default)]
pub enum OfKind {
    /// A Rollout that takes the template of another workload.
    Instead(Box<Instead>),
    /// What sets the replicas of a workload.
    Autoscaler(Box<Autoscaler>),
    /// A Knative object that asks for the host network.
    Knative(Box<HostNetworkAsked>),
    /// The probes of OpenKruise's `PodProbeMarker`.
    ProbeMarker(Box<[MarkerProbe]>),
    /// Nothing of these.
    #[default]
    Other,
}

/// Argo's Rollout that takes the template of another workload, and replaces its pods.
#[derive(Debug, Clone)]
pub struct Instead {
    /// Kind and name of that one.
    pub workload: (String, String),
    /// How many pods there are.
    pub update: Update,
    /// How they are replaced.
    pub rollout: Rollout,
    /// Whether it has a template of its own too: then it does nothing.
    pub has_template: bool,
}

impl Facts {
    /// Reads an object with its pod templates.
    #[must_use]
    pub fn of(meta: &Meta, object: NodeRef<'_, '_>, templates: &[PodTemplate]) -> Self {
        let of_templates =
            || templates.iter().map(|template| Update::of(meta, object, &template.path)).collect::<Box<[_]>>();
        let phase = object.get("status").filter(|_| meta.is_pod()).and_then(|status| status.get("phase")?.text());
        Self {
            digest: digest::of(object),
            updates: Update::of_packages(meta, object).map_or_else(of_templates, |update| vec![update].into()),
            has_ended: matches!(phase, Some("Succeeded" | "Failed")),
            invalid: invalid(meta, object, templates),
            of_kind: of_kind(meta, object),
        }
    }
}

/// A Rollout that takes the template of the workload that it refers to: that one's own strategy does not count.
/// Source: argoproj/argo-rollouts v1.9.1 `docs/migrating.md`; `pkg/apis/rollouts/v1alpha1/types.go`, `EmptyTemplate`: one without labels
/// and annotations does not count.
fn instead(meta: &Meta, object: NodeRef<'_, '_>) -> Option<OfKind> {
    let metadata = object.lookup(&Path::dotted("spec.template.metadata"));
    let written = |key: &str| metadata.and_then(|metadata| metadata.get(key)?.entries().next()).is_some();
    let has_template = written("labels") || written("annotations");
    let reference = object.lookup(&Path::dotted("spec.workloadRef"))?;
    let text = |key: &str| reference.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
    let rollout = Rollout::of(object, &Path::root())?;
    let workload = (text("kind")?, text("name")?);
    Some(OfKind::Instead(Box::new(Instead {
        workload,
        update: Update::of(meta, object, &Path::dotted("spec.template")),
        rollout: *rollout,
        has_template,
    })))
}

fn of_kind(meta: &Meta, object: NodeRef<'_, '_>) -> OfKind {
    let found = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        ("autoscaling", "HorizontalPodAutoscaler") => {
            Autoscaler::of(object).map(|scaler| OfKind::Autoscaler(Box::new(scaler)))
        }
        ("keda.sh", "ScaledObject") => Autoscaler::of_keda(object).map(|scaler| OfKind::Autoscaler(Box::new(scaler))),
        ("argoproj.io", "Rollout") => instead(meta, object),
        ("apps.kruise.io", "PodProbeMarker") => Some(OfKind::ProbeMarker(marker_probes(meta, object).into())),
        ("serving.knative.dev", _) => HostNetworkAsked::of(object).map(|asked| OfKind::Knative(Box::new(asked))),
        _ => None,
    };
    found.unwrap_or_default()
}
