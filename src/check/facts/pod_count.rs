//! Number of pods of a workload.

use crate::model::Meta;
use crate::model::facts::package;
use crate::model::pod::{parse_pod_count, pods_per_replica};
use lossless_yaml::{NodeRef, Path, Step};

/// Number of pods of a workload.
#[derive(Debug, Clone, Default)]
pub struct PodCount {
    /// Maximum number of replicas at the same time, usually pods: `replicas`, or `parallelism` or `completions` of a
    /// Job. `None` for Pods, for kinds with one pod per node, and for a value that is not a number.
    pub replicas: Option<u32>,
    /// Number of pods in each replica.
    pub per_replica: u32,
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

/// Field of a `ScaledJob` with the largest number of Jobs.
pub const MOST_JOBS: &str = "maxReplicaCount";

/// Default of this field (kedacore/keda@0597498d `apis/keda/v1alpha1/scaledjob_types.go`, `MaxReplicaCount`).
const MOST_JOBS_BY_DEFAULT: u32 = 100;

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
            return Self::for_job(object, &template.parent().unwrap_or(spec), kind);
        }
        let number = CountField::read(object, &spec, "replicas");
        let each = pods_per_replica(&meta.gvk.group, object, template);
        Self {
            replicas: number.number_or_one().filter(|_| each.is_some()),
            per_replica: each.unwrap_or(1),
            is_written: number.is_written,
            path: spec.key("replicas"),
            field: "replicas",
        }
    }

    /// Reads the number of pods of a package from its runtime config; `None` for objects of other kinds.
    pub(super) fn for_packages(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let is_config =
            (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) == (package::GROUP, "DeploymentRuntimeConfig");
        let deployment = Path::dotted(package::TEMPLATE).parent().filter(|_| is_config)?;
        let number = CountField::read(object, &deployment, "replicas");
        let (replicas, path) = (number.number_or_one(), deployment.key("replicas"));
        Some(Self { replicas, per_replica: 1, is_written: number.is_written, path, field: "replicas" })
    }

    /// Reads the number of pods of the Job whose spec is at path `spec`, also in an object of another kind. A Job never
    /// runs more pods than its `completions`. In a `JobSet` the number is multiplied by the number of Jobs, the
    /// `replicas` of the element; in a `ScaledJob`, by its `maxReplicaCount`.
    /// Source: kubernetes v1.36 `pkg/controller/job/job_controller.go`, `manageJob`; kubernetes-sigs/jobset v0.8
    /// `api/jobset/v1alpha2/jobset_types.go`, `ReplicatedJob`.
    fn for_job(object: NodeRef<'_, '_>, spec: &Path, kind: &str) -> Self {
        let (parallel, complete) =
            (CountField::read(object, spec, "parallelism"), CountField::read(object, spec, "completions"));
        let (at_once, field) = match (parallel.number_or_one(), complete.number) {
            (Some(parallel), Some(complete)) if complete < parallel => (Some(complete), "completions"),
            (parallel, _) => (parallel, "parallelism"),
        };
        let element = || spec.parent().and_then(|template| template.parent());
        let (jobs, path, field) = match kind {
            "JobSet" => {
                let jobs =
                    element().map_or(Some(1), |path| CountField::read(object, &path, "replicas").number_or_one());
                (jobs, spec.key(field), field)
            }
            "ScaledJob" => {
                let jobs = CountField::read(object, &Path::root().key("spec"), MOST_JOBS);
                (jobs.number_or(MOST_JOBS_BY_DEFAULT), Path::root().key("spec").key(MOST_JOBS), MOST_JOBS)
            }
            _ => (Some(1), spec.key(field), field),
        };
        Self {
            replicas: at_once.zip(jobs).map(|(pods, jobs)| pods.saturating_mul(jobs)),
            per_replica: 1,
            is_written: parallel.is_written,
            path,
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
        self.number_or(1)
    }

    /// The number, or the default if the field is not written.
    fn number_or(&self, default: u32) -> Option<u32> {
        if self.is_written { self.number } else { Some(default) }
    }
}
