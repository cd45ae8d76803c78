//! Rolling updates by kind: fields with the number of additional pods during an update.

use super::data;

/// Kind with rolling updates.
#[derive(Debug, PartialEq, Eq)]
pub struct RolloutKind {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Dotted path of the update strategy.
    pub strategy: &'static str,
    /// Dotted path, in the strategy, of the mapping with `maxSurge` and `maxUnavailable`; empty if the strategy is this
    /// mapping.
    pub settings: &'static str,
    /// Default of `maxSurge`; empty if the default is no surge.
    pub max_surge: &'static str,
    /// Default of `maxUnavailable`; empty if the default is 1.
    pub max_unavailable: &'static str,
    /// True for one pod per node: a surge pod starts next to the old pod on the same node.
    pub per_node: bool,
    /// Values of the `type` of the strategy without a surge: old pods stop first, or pods are not replaced
    /// automatically.
    pub other_types: &'static [&'static str],
    /// True if the settings may be missing; an object without them uses another strategy.
    pub is_optional: bool,
    /// Fields that let all new pods start while all old pods run.
    pub full_surge: &'static [FullSurge],
    /// Key under which objects of other kinds contain the template of an object of this kind; empty
    /// if no kind does.
    pub(super) template: &'static str,
}

/// Strategy, or field of a strategy, that lets all new pods start while all old pods run.
#[derive(Debug, PartialEq, Eq)]
pub struct FullSurge {
    /// Dotted path in the strategy; empty if every strategy does.
    pub field: &'static str,
    /// Reason, for messages.
    pub what: &'static str,
    /// Dotted path of a field that, if true, removes old pods step by step; empty if no field does.
    pub unless: &'static str,
}

impl RolloutKind {
    /// True if the default `maxSurge` allows more pods than replicas.
    pub fn surges(&self) -> bool {
        !self.max_surge.is_empty()
    }
}

/// Rolling update of a kind; `None` for kinds without a row.
pub fn rollout_of_kind(group: &str, kind: &str) -> Option<&'static RolloutKind> {
    data::ROLLOUTS.iter().find(|row| row.group == group && row.kind == kind)
}

/// Rolling update of the object that is created from the template under this key; `None` for other keys.
pub fn rollout_of_template(key: &str) -> Option<&'static RolloutKind> {
    data::ROLLOUTS.iter().find(|row| !row.template.is_empty() && row.template == key)
}

#[cfg(test)]
mod tests {
    use super::{data, rollout_of_kind, rollout_of_template};

    #[test]
    fn every_rollout_row_is_found() {
        for row in data::ROLLOUTS {
            assert_eq!(rollout_of_kind(row.group, row.kind), Some(row));
            assert!(row.template.is_empty() || rollout_of_template(row.template) == Some(row), "{row:?}");
            assert!(row.strategy.starts_with("spec."), "{row:?}");
        }
        assert_eq!(rollout_of_kind("apps", "StatefulSet"), None);
        assert_eq!(rollout_of_template(""), None);
    }
}
