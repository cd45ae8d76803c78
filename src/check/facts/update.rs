//! How many pods a workload has.

use crate::model::Meta;
use crate::model::facts::package;
use lossless_yaml::{NodeRef, Path, Step};

/// How many pods a workload has.
#[derive(Debug, Clone, Default)]
pub struct Update {
    /// How many pods run at the same time: `replicas`, or `parallelism` of a Job. None for kinds with one pod a node, and
    /// where the number is not one.
    pub replicas: Option<u32>,
    /// Whether the number is written; absent means 1.
    pub is_written: bool,
    /// The path of what says so, whether it is written or not.
    pub path: Path,
    /// The name of that field.
    pub field: &'static str,
}

/// The template of a Deployment in a runtime config of Crossplane.
const OF_PACKAGES: &str = "spec.deploymentTemplate.spec.template";

/// What an `AdvancedCronJob` makes a `BroadcastJob` of, which has one pod a node (openkruise/kruise v1.9.0
/// `apis/apps/v1alpha1/advancedcronjob_types.go`).
const BROADCAST: &str = "broadcastJobTemplate";

impl Update {
    /// Of the pods of the template at this path.
    pub(super) fn of(meta: &Meta, object: NodeRef<'_, '_>, template: &Path) -> Self {
        let kind = meta.gvk.kind.as_str();
        let spec = Path::root().key("spec");
        let is_broadcast = |step: &Step| matches!(step, Step::Key(key) if *key == BROADCAST);
        if matches!(kind, "DaemonSet" | "BroadcastJob" | "Pod" | "PodTemplate")
            || template.steps().into_iter().any(is_broadcast)
        {
            return Self { path: spec.key("replicas"), field: "replicas", ..Self::default() };
        }
        if meta.is_job() {
            return Self::of_job(object, &template.parent().unwrap_or(spec), kind == "JobSet");
        }
        let number = Written::of(object, &spec, "replicas");
        let replicas = number.or_one();
        Self { replicas, is_written: number.is_written, path: spec.key("replicas"), field: "replicas" }
    }

    /// Of the packages that have a runtime config; none for other objects.
    pub(super) fn of_packages(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        let is_config =
            (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) == (package::GROUP, "DeploymentRuntimeConfig");
        let deployment = Path::dotted(OF_PACKAGES).parent().filter(|_| is_config)?;
        let number = Written::of(object, &deployment, "replicas");
        let (replicas, path) = (number.or_one(), deployment.key("replicas"));
        Some(Self { replicas, is_written: number.is_written, path, field: "replicas" })
    }

    /// Of a Job whose spec is at this path, in a `CronJob` or a set of Jobs too: no more pods run than have to complete. Of a set of Jobs
    /// an element says how many Jobs it makes.
    /// Source: kubernetes v1.36 `pkg/controller/job/job_controller.go`, `manageJob`; kubernetes-sigs/jobset v0.8
    /// `api/jobset/v1alpha2/jobset_types.go`, `ReplicatedJob`.
    fn of_job(object: NodeRef<'_, '_>, spec: &Path, is_set: bool) -> Self {
        let (parallel, complete) = (Written::of(object, spec, "parallelism"), Written::of(object, spec, "completions"));
        let (at_once, field) = match (parallel.or_one(), complete.number) {
            (Some(parallel), Some(complete)) if complete < parallel => (Some(complete), "completions"),
            (parallel, _) => (parallel, "parallelism"),
        };
        let element = spec.parent().and_then(|template| template.parent()).filter(|_| is_set);
        let jobs = element.map_or(Some(1), |element| Written::of(object, &element, "replicas").or_one());
        Self {
            replicas: at_once.zip(jobs).map(|(pods, jobs)| pods.saturating_mul(jobs)),
            is_written: parallel.is_written,
            path: spec.key(field),
            field,
        }
    }
}

/// A number of an object.
struct Written {
    number: Option<u32>,
    is_written: bool,
}

impl Written {
    fn of(object: NodeRef<'_, '_>, around: &Path, key: &str) -> Self {
        let around = object.lookup(around);
        let written = around.and_then(|around| around.get(key)).filter(|field| !field.is_null());
        let number = written.and_then(NodeRef::as_int).and_then(|number| u32::try_from(number).ok());
        Self { number, is_written: written.is_some() }
    }

    /// What is absent is 1.
    fn or_one(&self) -> Option<u32> {
        if self.is_written { self.number } else { Some(1) }
    }
}
