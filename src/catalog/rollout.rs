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
    /// `maxSurge` where it is not written; empty when there are no more pods than replicas then.
    pub max_surge: &'static str,
    /// `maxUnavailable` where it is not written; empty when the kind's default is 1.
    pub max_unavailable: &'static str,
    /// Whether each node has a pod of its own, and a surge is beside it there.
    pub per_node: bool,
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
        !self.max_surge.is_empty()
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
    use super::{data, rollout_of_kind, rollout_of_template};

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
}
