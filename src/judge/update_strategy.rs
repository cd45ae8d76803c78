//! Update strategies: pods that a rollout stops first (`maxUnavailable`) or starts first (`maxSurge`).

use crate::model::pod::Rollout;
use lossless_yaml::{Path, Value};

/// Update strategy of pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateStrategy {
    /// The old pod stops first, or pods are not replaced automatically.
    OldFirst,
    /// Rolling update: old and new pods share one number of replicas.
    Rolling {
        /// `maxSurge`.
        surge: Amount,
        /// `maxUnavailable`.
        unavailable: Amount,
        /// True if `maxUnavailable` is written.
        is_unavailable_written: bool,
        /// True if `maxSurge` is written.
        is_surge_written: bool,
    },
    /// A new pod starts on the node of the old pod before the old pod stops.
    PerNode {
        /// `maxSurge` of a `DaemonSet`.
        surge: Amount,
    },
    /// All new pods start while all old pods run; the text is the reason.
    NewFirst(&'static str),
}

/// Absolute number or percentage of pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Absolute number.
    Pods(u32),
    /// Percentage.
    Percent(u32),
}

impl Amount {
    /// Parses `1` or `25%`; `None` for other texts such as `${SURGE}`.
    pub fn parse(value: &Value) -> Option<Self> {
        match value {
            Value::Int(number) => u32::try_from(*number).ok().map(Self::Pods),
            Value::Str(text) | Value::Raw(text) => Self::percent(text),
            _ => None,
        }
    }

    /// Parses a percentage such as `25%`.
    fn percent(text: &str) -> Option<Self> {
        text.strip_suffix('%')?.parse().ok().map(Self::Percent)
    }

    /// Resolves the amount for a number of pods, rounded up.
    /// Source: kubernetes v1.36 `pkg/controller/deployment/util/deployment_util.go`, `ResolveFenceposts`.
    pub fn up(self, replicas: u32) -> u32 {
        match self {
            Self::Pods(pods) => pods,
            Self::Percent(percent) => {
                u32::try_from((u64::from(replicas) * u64::from(percent)).div_ceil(100)).unwrap_or(u32::MAX)
            }
        }
    }

    /// Resolves the amount for a number of pods, rounded down.
    pub fn down(self, replicas: u32) -> u32 {
        match self {
            Self::Pods(pods) => pods,
            Self::Percent(percent) => u32::try_from(u64::from(replicas) * u64::from(percent) / 100).unwrap_or(u32::MAX),
        }
    }

    /// True for 0 and 0 %.
    pub fn is_zero(self) -> bool {
        matches!(self, Self::Pods(0) | Self::Percent(0))
    }
}

impl UpdateStrategy {
    /// Strategy of an object; `None` if unknown, for example with a placeholder.
    pub fn from_rollout(rollout: &Rollout) -> Option<Self> {
        let kind = rollout.kind;
        // The API server refuses `strategy: Recreate`, so no update follows.
        if !matches!(rollout.strategy, None | Some(Value::Null | Value::Map(_))) {
            return None;
        }
        let written = |path: &Path| {
            let strategy = rollout.strategy.as_ref();
            strategy.and_then(|strategy| strategy.lookup(path)).filter(|value| **value != Value::Null)
        };
        let has = |field: &str| matches!(written(&Path::dotted(field)), Some(Value::Map(_)));
        match written(&Path::root().key("type")) {
            Some(Value::Str(text)) if kind.other_types.contains(&text.as_str()) => return Some(Self::OldFirst),
            Some(Value::Str(_)) | None => {}
            Some(_) => return None,
        }
        if let Some(full) = kind.full_surge.iter().find(|full| full.field.is_empty() || has(full.field)) {
            let is_gradual = || written(&Path::dotted(full.unless)) == Some(&Value::Bool(true));
            return (full.unless.is_empty() || !is_gradual()).then_some(Self::NewFirst(full.what));
        }
        let settings = Path::dotted(kind.settings);
        if kind.is_optional && written(&settings).is_none() {
            return None;
        }
        let amount = |key: &'static str, default: &str| match written(&settings.key(key)) {
            Some(value) => Some((Amount::parse(value)?, true)),
            None => Some((Amount::percent(default).unwrap_or(Amount::Pods(0)), false)),
        };
        let (surge, is_surge_written) = amount("maxSurge", kind.max_surge)?;
        if kind.per_node {
            return Some(Self::PerNode { surge });
        }
        let (unavailable, is_unavailable_written) = amount("maxUnavailable", kind.max_unavailable)?;
        Some(Self::Rolling { surge, unavailable, is_unavailable_written, is_surge_written })
    }
}

#[cfg(test)]
mod tests {
    use super::Amount;

    #[test]
    fn shares_are_rounded_as_kubernetes_does() {
        let quarter = Amount::Percent(25);
        assert_eq!((quarter.up(1), quarter.down(1)), (1, 0));
        assert_eq!((quarter.up(3), quarter.down(3)), (1, 0));
        assert_eq!((quarter.up(4), quarter.down(4)), (1, 1));
        assert_eq!((quarter.up(5), quarter.down(7)), (2, 1));
    }
}
