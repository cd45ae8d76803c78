//! Facts about objects that the rules of `check` need and that `Model` does not keep, collected while parsing.

mod digest;
mod invalid;
pub mod knative;
pub mod pod_count;

use crate::model::Meta;
use crate::model::facts::{MarkerProbe, marker_probes};
use crate::model::pod::{PodTemplate, Rollout};
use crate::xpkg::{CrdFault, crd_faults};
use lossless_yaml::{NodeRef, Path};

pub use invalid::Invalid;
use invalid::invalid;
use knative::KnativeHostNetwork;
use pod_count::PodCount;

/// Facts about one object.
#[derive(Debug, Clone, Default)]
pub struct CheckFacts {
    /// Hash of the content without fields that the cluster writes; independent of YAML style and of the order of keys.
    pub digest: u64,
    /// Number of pods, for each pod template. For a runtime config: number of pods of each package that uses it.
    pub pod_counts: Box<[PodCount]>,
    /// True for a Pod in phase `Succeeded` or `Failed`.
    pub has_ended: bool,
    /// Fields with values that the API server refuses, or that YAML readers interpret differently.
    pub invalid: Box<[Invalid]>,
    /// Fields that the CRDs of some releases of Crossplane refuse or drop.
    pub crd_faults: Box<[CrdFault]>,
    /// Facts that only objects of some kinds have.
    pub by_kind: KindFacts,
}

/// Facts about kinds of objects that rules read in addition to pod templates.
#[derive(Debug, Clone, Default)]
pub enum KindFacts {
    /// Argo Rollout with a `workloadRef`.
    RolloutWithReference(Box<RolloutWithReference>),
    /// Knative object with `hostNetwork: true`.
    Knative(Box<KnativeHostNetwork>),
    /// Probes of a `PodProbeMarker` of OpenKruise.
    ProbeMarker(Box<[MarkerProbe]>),
    /// DaemonSet or Pod that installs a network plugin on its node.
    NetworkPlugin,
    /// Any other object.
    #[default]
    Other,
}

/// Argo Rollout that uses the pod template of another workload (`workloadRef`), and replaces the pods of that workload.
#[derive(Debug, Clone)]
pub struct RolloutWithReference {
    /// Kind and name of the referenced workload.
    pub workload: (String, String),
    /// Number of pods.
    pub pod_count: PodCount,
    /// Update strategy of the pods.
    pub rollout: Rollout,
    /// True if the pods of the workload keep running next to the pods of the Rollout.
    pub keeps_pods: bool,
    /// True if the Rollout also has a pod template: then it replaces no pods.
    pub has_template: bool,
}

impl CheckFacts {
    /// Collects the facts about an object; `templates` are its pod templates.
    pub fn read(meta: &Meta, object: NodeRef<'_, '_>, templates: &[PodTemplate]) -> Self {
        let of_templates =
            || templates.iter().map(|template| PodCount::read(meta, object, &template.path)).collect::<Box<[_]>>();
        let pod_counts: Box<[PodCount]> =
            PodCount::for_packages(meta, object).map_or_else(of_templates, |update| vec![update].into());
        let phase = object.get("status").filter(|_| meta.is_pod()).and_then(|status| status.get("phase")?.text());
        Self {
            digest: digest::object_digest(object),
            has_ended: matches!(phase, Some("Succeeded" | "Failed")),
            invalid: invalid(meta, object, templates, &pod_counts),
            crd_faults: crd_faults(meta, object).into(),
            pod_counts,
            by_kind: read_kind(meta, object, templates),
        }
    }
}

/// Reads a Rollout with a `workloadRef`. Its strategy replaces the strategy of the referenced workload.
/// Source: argoproj/argo-rollouts v1.9.1 `docs/migrating.md`; `pkg/apis/rollouts/v1alpha1/types.go`, `EmptyTemplate`: a
/// template without labels and annotations does not count.
fn rollout_with_reference(meta: &Meta, object: NodeRef<'_, '_>) -> Option<KindFacts> {
    let metadata = object.lookup(&Path::dotted("spec.template.metadata"));
    let written = |key: &str| metadata.and_then(|metadata| metadata.get(key)?.entries().next()).is_some();
    let has_template = written("labels") || written("annotations");
    let reference = object.lookup(&Path::dotted("spec.workloadRef"))?;
    let text = |key: &str| reference.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
    let rollout = Rollout::read(object, &Path::root())?;
    let workload = (text("kind")?, text("name")?);
    Some(KindFacts::RolloutWithReference(Box::new(RolloutWithReference {
        workload,
        pod_count: PodCount::read(meta, object, &Path::dotted("spec.template")),
        rollout: *rollout,
        // A missing `scaleDown` means `never`: the workload is not scaled down.
        keeps_pods: !matches!(text("scaleDown").as_deref(), Some("onsuccess" | "progressively")),
        has_template,
    })))
}

/// Folders of a node with network plugins and their configs.
///
/// Source: containerd/containerd@v2.0.0 `docs/cri/config.md`, `bin_dir` and `conf_dir`.
const PLUGIN_FOLDERS: [&str; 2] = ["/etc/cni", "/opt/cni"];

/// True if pods mount a folder of the node with network plugins: they start before other pods have a network.
fn installs_network_plugin(object: NodeRef<'_, '_>, templates: &[PodTemplate]) -> bool {
    let specs = templates.iter().filter_map(|template| object.lookup(&template.spec_path()));
    let mut volumes = specs.filter_map(|spec| spec.get("volumes")).flat_map(NodeRef::items);
    volumes.any(|volume| {
        let path = volume.get("hostPath").and_then(|host| host.get("path")?.text());
        path.is_some_and(|path| PLUGIN_FOLDERS.iter().any(|folder| std::path::Path::new(path).starts_with(folder)))
    })
}

/// Reads the facts that only some kinds have.
fn read_kind(meta: &Meta, object: NodeRef<'_, '_>, templates: &[PodTemplate]) -> KindFacts {
    let found = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        ("argoproj.io", "Rollout") => rollout_with_reference(meta, object),
        ("apps.kruise.io", "PodProbeMarker") => Some(KindFacts::ProbeMarker(marker_probes(meta, object).into())),
        ("apps", "DaemonSet") | ("", "Pod") => {
            Some(KindFacts::NetworkPlugin).filter(|_| installs_network_plugin(object, templates))
        }
        ("serving.knative.dev", _) => KnativeHostNetwork::read(object).map(|found| KindFacts::Knative(Box::new(found))),
        _ => None,
    };
    found.unwrap_or_default()
}
