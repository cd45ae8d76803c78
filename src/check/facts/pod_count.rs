//! Number of pods of a workload.

use crate::model::Meta;
use crate::model::facts::package;
use crate::model::pod::parse_pod_count;
use lossless_yaml::{NodeRef, Path, Step};

/// Number of pods of a workload.
#[derive(Debug, Clone, Default)]
pub struct PodCount {
    /// Maximum number of pods at the same time: `replicas`, or `parallelism` or `completions` of a Job. `None` for
    /// Pods, for kinds with one pod per node, and for a value that is not a number.
    pub replicas: Option<u32>,
    /// True if the field is written; the default is 1.
    pub is_written: bool,
    /// Path of the field, also if it is not written.
    pub path: Path,
    /// Name of the field.
    pub field: &'static str,
}

/// Field of an `AdvancedCronJob` with the template of a `BroadcastJob`, which has one pod per node (openkruise/kruise
/// v1.9.0 `apis/apps/v1alpha1/advancedcronjob_types.go`).
const BROADCAST_JOB_FIELD: &str = "broadcastJobTemplate";

impl PodCount {
    /// Reads the number of pods of the pod template at path `template`.
    pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>, template: &Path) -> Self {
        let kind = meta.gvk.kind.as_str();
        let spec = Path::root().key("spec");
        let is_broadcast = |step: &Step| matches!(step, Step::Key(key) if *key == BROADCAST_JOB_FIELD);
        if matches!(kind, "DaemonSet" | "BroadcastJob" | "Pod" | "PodTemplate")
            || template.steps().into_iter().any(is_broadcast)
        {
            return Self { path: spec.key("replicas"), field: "replicas", ..Self::default() };
        }
        if meta.is_job() {
            return Self::for_job(object, &template.parent().unwrap_or(spec), kind == "JobSet");
        }
        let number = CountField::read(object, &spec, "replicas");
        let replicas = number.number_or_one();
        Self { replicas, is_written: number.is_written, path: spec.key("replicas"), field: "replicas" }
    }

    /// Reads the number of pods of a package from its runtime config; `None` for objects of other kinds.
    pub(super) fn for_packages(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let is_config =
            (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) == (package::GROUP, "DeploymentRuntimeConfig");
        let deployment = Path::dotted(package::TEMPLATE).parent().filter(|_| is_config)?;
        let number = CountField::read(object, &deployment, "replicas");
        let (replicas, path) = (number.number_or_one(), deployment.key("replicas"));
        Some(Self { replicas, is_written: number.is_written, path, field: "replicas" })
    }

    /// Reads the number of pods of the Job whose spec is at path `spec`, also in a `CronJob` or `JobSet`. A Job never
    /// runs more pods than its `completions`. In a `JobSet` the number is multiplied by the number of Jobs, the
    /// `replicas` of the element.
    /// Source: kubernetes v1.36 `pkg/controller/job/job_controller.go`, `manageJob`; kubernetes-sigs/jobset v0.8
    /// `api/jobset/v1alpha2/jobset_types.go`, `ReplicatedJob`.
    fn for_job(object: NodeRef<'_, '_>, spec: &Path, is_set: bool) -> Self {
        let (parallel, complete) =
            (CountField::read(object, spec, "parallelism"), CountField::read(object, spec, "completions"));
        let (at_once, field) = match (parallel.number_or_one(), complete.number) {
            (Some(parallel), Some(complete)) if complete < parallel => (Some(complete), "completions"),
            (parallel, _) => (parallel, "parallelism"),
        };
        let element = spec.parent().and_then(|template| template.parent()).filter(|_| is_set);
        let jobs = element.map_or(Some(1), |element| CountField::read(object, &element, "replicas").number_or_one());
        Self {
            replicas: at_once.zip(jobs).map(|(pods, jobs)| pods.saturating_mul(jobs)),
            is_written: parallel.is_written,
            path: spec.key(field),
            field,
        }
    }
}

/// Value of a number field.
struct CountField {
    number: Option<u32>,
    is_written: bool,
}

impl CountField {
    fn read(object: NodeRef<'_, '_>, parent: &Path, key: &str) -> Self {
        let parent = object.lookup(parent);
        let written = parent.and_then(|parent| parent.get(key)).filter(|field| !field.is_null());
        let number = written.and_then(parse_pod_count);
        Self { number, is_written: written.is_some() }
    }

    /// The number; 1 if the field is not written.
    fn number_or_one(&self) -> Option<u32> {
        if self.is_written { self.number } else { Some(1) }
    }
}
