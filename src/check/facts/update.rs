//! How many pods a workload has, and how they are replaced.

use crate::model::Meta;
use crate::yaml::{NodeRef, Path};

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
}

/// A number of pods, or a share of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// So many.
    Pods(u32),
    /// So many of a hundred.
    Percent(u32),
}

impl Amount {
    /// Reads `1` or `25%`; none for anything else.
    fn of(node: NodeRef<'_, '_>) -> Option<Self> {
        match node.as_int() {
            Some(number) => u32::try_from(number).ok().map(Self::Pods),
            None => node.text()?.strip_suffix('%')?.parse().ok().map(Self::Percent),
        }
    }

    /// Of so many pods, rounded up.
    /// Source: kubernetes v1.36 `pkg/controller/deployment/util/deployment_util.go`, `ResolveFenceposts`.
    #[must_use]
    pub fn up(self, replicas: u32) -> u32 {
        match self {
            Self::Pods(pods) => pods,
            Self::Percent(percent) => {
                u32::try_from((u64::from(replicas) * u64::from(percent)).div_ceil(100)).unwrap_or(u32::MAX)
            }
        }
    }

    /// Of so many pods, rounded down.
    #[must_use]
    pub fn down(self, replicas: u32) -> u32 {
        match self {
            Self::Pods(pods) => pods,
            Self::Percent(percent) => u32::try_from(u64::from(replicas) * u64::from(percent) / 100).unwrap_or(u32::MAX),
        }
    }

    /// Whether it is zero of any number of pods.
    #[must_use]
    pub fn is_zero(self) -> bool {
        matches!(self, Self::Pods(0) | Self::Percent(0))
    }
}

/// What Deployments have where nothing is written (kubernetes v1.36 `pkg/apis/apps/v1/defaults.go`).
const QUARTER: Amount = Amount::Percent(25);

impl Update {
    pub(super) fn of(meta: &Meta, object: NodeRef<'_, '_>) -> Self {
        let (group, kind) = (meta.gvk.group.as_str(), meta.gvk.kind.as_str());
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
        let list = if matches!((group, kind), ("apps", "Deployment")) { "strategy" } else { "updateStrategy" };
        let policy = field("concurrencyPolicy").and_then(NodeRef::text);
        Self {
            replicas,
            is_written: written.is_some(),
            strategy: strategy(group, kind, field(list)),
            path: Path::root().key("spec").key(list),
            may_overlap: kind == "CronJob" && policy.is_none_or(|policy| policy == "Allow"),
        }
    }
}

fn strategy(group: &str, kind: &str, written: Option<NodeRef<'_, '_>>) -> Strategy {
    let rolling = written.and_then(|strategy| strategy.get("rollingUpdate"));
    let kind_of_strategy = written.and_then(|strategy| strategy.get("type")).and_then(NodeRef::non_null_text);
    // A value that is not one (`${SURGE}`) is not judged.
    let amount = |around: Option<NodeRef<'_, '_>>, key: &str, default: Amount| {
        let node = around.and_then(|around| around.get(key)).filter(|node| !node.is_null());
        node.map_or(Some((default, false)), |node| Some((Amount::of(node)?, true)))
    };
    let of = |around: Option<NodeRef<'_, '_>>, default_surge: Amount, default_unavailable: Amount| {
        let (surge, is_surge_written) = amount(around, "maxSurge", default_surge)?;
        let (unavailable, is_unavailable_written) = amount(around, "maxUnavailable", default_unavailable)?;
        Some(Strategy::Rolling { surge, unavailable, is_unavailable_written, is_surge_written })
    };
    let found = match (group, kind) {
        ("apps", "Deployment") if kind_of_strategy.is_none_or(|kind| kind == "RollingUpdate") => {
            of(rolling, QUARTER, QUARTER)
        }
        ("apps", "DaemonSet") if kind_of_strategy.is_none_or(|kind| kind == "RollingUpdate") => {
            amount(rolling, "maxSurge", Amount::Pods(0)).map(|(surge, _)| Strategy::PerNode { surge })
        }
        // openkruise/kruise v1.9.0 `apis/apps/defaults/v1alpha1.go`: maxSurge 0, maxUnavailable 20 %.
        ("apps.kruise.io", "CloneSet") => of(written, Amount::Pods(0), Amount::Percent(20)),
        _ => None,
    };
    found.unwrap_or_default()
}

/// A `HorizontalPodAutoscaler`.
#[derive(Debug, Clone)]
pub struct Autoscaler {
    /// Kind and name of what it scales.
    pub target: (String, String),
    /// The most replicas that it makes.
    pub most: u32,
}

impl Autoscaler {
    pub(super) fn of(object: NodeRef<'_, '_>) -> Option<Self> {
        let spec = object.get("spec")?;
        let target = spec.get("scaleTargetRef")?;
        let text = |key: &str| target.get(key).and_then(NodeRef::non_null_text).map(str::to_owned);
        let most = spec.get("maxReplicas").and_then(NodeRef::as_int).and_then(|most| u32::try_from(most).ok())?;
        Some(Self { target: (text("kind")?, text("name")?), most })
    }
}
