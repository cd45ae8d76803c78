//! How kinds replace their pods: which fields say how many more pods there may be meanwhile.

use super::data;

/// A kind that replaces its pods step by step.
#[derive(Debug, PartialEq, Eq)]
pub struct RolloutKind {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Dotted path of the field that says how pods are replaced.
    pub strategy: &'static str,
    /// Dotted path, in that field, of the mapping that holds `maxSurge` and `maxUnavailable`; empty when it is the field itself.
    pub settings: &'static str,
    /// `maxSurge` where it is not written.
    pub surge: Amount,
    /// `maxUnavailable` where it is not written.
    pub unavailable: Amount,
    /// Whether a new pod is on the node of the old one that it replaces, so that there is no number of replicas.
    pub is_per_node: bool,
    /// Values of `type` in the strategy with which no new pod runs beside old ones, or nothing is replaced at all.
    pub other_types: &'static [&'static str],
    /// Whether another strategy is meant where the settings are not written.
    pub is_optional: bool,
    /// Dotted paths, in the strategy, of what lets new pods run beside all old ones, and what that is.
    pub beside: &'static [(&'static str, &'static str)],
    /// The key under which objects of other kinds hold one of this kind; empty when none do.
    pub(super) template: &'static str,
}

impl RolloutKind {
    /// Whether there are more pods than replicas where `maxSurge` is not written.
    #[must_use]
    pub fn surges(&self) -> bool {
        !self.surge.is_zero()
    }
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

    /// Whether it is none of any number of pods.
    #[must_use]
    pub fn is_zero(self) -> bool {
        matches!(self, Self::Pods(0) | Self::Percent(0))
    }
}

/// How objects of a kind replace their pods.
#[must_use]
pub fn rollout_of_kind(group: &str, kind: &str) -> Option<&'static RolloutKind> {
    data::ROLLOUTS.iter().find(|row| row.group == group && row.kind == kind)
}

/// How what stands under this key replaces its pods: a part of an object that is made an object of its own.
#[must_use]
pub fn rollout_of_template(key: &str) -> Option<&'static RolloutKind> {
    data::ROLLOUTS.iter().find(|row| !row.template.is_empty() && row.template == key)
}

#[cfg(test)]
mod tests {
    use super::{Amount, data, rollout_of_kind, rollout_of_template};

    #[test]
    fn every_row_is_found() {
        for row in data::ROLLOUTS {
            assert_eq!(rollout_of_kind(row.group, row.kind), Some(row));
            assert!(row.template.is_empty() || rollout_of_template(row.template) == Some(row), "{row:?}");
            assert!(row.strategy.starts_with("spec."), "{row:?}");
        }
        assert_eq!(rollout_of_kind("apps", "StatefulSet"), None);
        assert_eq!(rollout_of_template(""), None);
    }

    #[test]
    fn shares_are_rounded_as_kubernetes_does() {
        let quarter = Amount::Percent(25);
        assert_eq!((quarter.up(1), quarter.down(1)), (1, 0));
        assert_eq!((quarter.up(3), quarter.down(3)), (1, 0));
        assert_eq!((quarter.up(4), quarter.down(4)), (1, 1));
        assert_eq!((quarter.up(5), quarter.down(7)), (2, 1));
    }
}
