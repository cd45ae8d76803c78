//! How many pods a workload has.

use crate::model::Meta;
use crate::yaml::{NodeRef, Path};

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
}

impl Update {
    pub(super) fn of(meta: &Meta, object: NodeRef<'_, '_>) -> Self {
        let kind = meta.gvk.kind.as_str();
        let spec = object.get("spec");
        let field = |key: &str| spec.and_then(|spec| spec.get(key)).filter(|field| !field.is_null());
        let key = match kind {
            "Job" => "parallelism",
            "DaemonSet" | "BroadcastJob" | "Pod" | "CronJob" | "PodTemplate" => "",
            _ => "replicas",
        };
        let written = if key.is_empty() { None } else { field(key) };
        let replicas = match written {
            Some(number) => number.as_int().and_then(|number| u32::try_from(number).ok()),
            None if key.is_empty() => None,
            None => Some(1),
        };
        Self {
            replicas,
            is_written: written.is_some(),
            path: Path::root().key("spec").key(if key.is_empty() { "replicas" } else { key }),
        }
    }
}
