//! How many pods a workload has, and how they are replaced.

use crate::catalog::Amount;
use crate::model::Meta;
use crate::model::pod::Rollout;
use crate::yaml::{NodeRef, Path, Value};

use super::subset::{Subset, subsets};

/// Replicas and update strategy of a workload.
#[derive(Debug, Clone, Default)]
pub struct Update {
    /// How many pods run at the same time: `replicas`, or `parallelism` of a Job. None for kinds with one pod a node, and
    /// where the number is not one.
    pub replicas: Option<u32>,
    /// Whether the number is written; absent means 1.
    pub is_written: bool,
    /// How they are replaced.
    pub strategy: Strategy,
    /// The path of the strategy, or of what is around it.
    pub path: Path,
    /// `concurrencyPolicy` of a `CronJob` is absent or `Allow`: two runs may overlap.
    pub may_overlap: bool,
    /// The parts of its pods that have nodes of their own, if it has such.
    pub subsets: Vec<Subset>,
}

/// How pods are replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Strategy {
    /// The old pod goes first, or nothing is replaced by itself.
    #[default]
    OldFirst,
    /// New and old side by side, of one number of replicas.
    Rolling {
        /// `maxSurge`.
        surge: Amount,
        /// `maxUnavailable`.
        unavailable: Amount,
        /// Whether `maxUnavailable` is written.
        is_unavailable_written: bool,
        /// Whether `maxSurge` is written.
        is_surge_written: bool,
    },
    /// A new pod beside the old one, on its node.
    PerNode {
        /// `maxSurge` of a `DaemonSet`.
        surge: Amount,
    },
    /// All new pods beside all old ones.
    Beside {
        /// Why, for a person.
        what: &'static str,
    },
}

impl Update {
    pub(super) fn of(meta: &Meta, object: NodeRef<'_, '_>, rollout: Option<&Rollout>) -> Self {
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
        let policy = field("concurrencyPolicy").and_then(NodeRef::text);
        Self {
            replicas,
            is_written: written.is_some(),
            strategy: rollout.and_then(strategy).unwrap_or_default(),
            path: rollout.map_or_else(|| Path::dotted("spec.updateStrategy"), |rollout| rollout.path.clone()),
            may_overlap: kind == "CronJob" && policy.is_none_or(|policy| policy == "Allow"),
            subsets: if kind == "UnitedDeployment" { subsets(object, replicas) } else { Vec::new() },
        }
    }
}

/// How pods are replaced; none where a value is not one (`${SURGE}`), which is not judged.
fn strategy(rollout: &Rollout) -> Option<Strategy> {
    let kind = rollout.kind;
    let written = |path: &Path| {
        let value = rollout.strategy.as_ref().and_then(|strategy| strategy.lookup(path));
        value.filter(|value| **value != Value::Null)
    };
    if let Some((_, what)) = kind.beside.iter().find(|(path, _)| written(&Path::dotted(path)).is_some()) {
        return Some(Strategy::Beside { what });
    }
    let is_other = |value: &Value| matches!(value, Value::Str(text) if kind.other_types.contains(&text.as_str()));
    let settings = Path::dotted(kind.settings);
    if written(&Path::root().key("type")).is_some_and(is_other) || kind.is_optional && written(&settings).is_none() {
        return None;
    }
    let amount = |key: &'static str, default: Amount| match written(&settings.key(key)) {
        Some(value) => Some((read(value)?, true)),
        None => Some((default, false)),
    };
    let (surge, is_surge_written) = amount("maxSurge", kind.surge)?;
    let (unavailable, is_unavailable_written) = amount("maxUnavailable", kind.unavailable)?;
    Some(match kind.is_per_node {
        true => Strategy::PerNode { surge },
        false => Strategy::Rolling { surge, unavailable, is_unavailable_written, is_surge_written },
    })
}

/// Reads `1` or `25%`; none for anything else.
fn read(value: &Value) -> Option<Amount> {
    match value {
        Value::Int(number) => u32::try_from(*number).ok().map(Amount::Pods),
        Value::Str(text) => text.strip_suffix('%')?.parse().ok().map(Amount::Percent),
        _ => None,
    }
}
