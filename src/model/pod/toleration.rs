//! Taints and tolerations.

use lossless_yaml::NodeRef;

/// Taint of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taint {
    /// Taint key.
    pub key: String,
    /// Taint value.
    pub value: String,
    /// `NoSchedule` or `NoExecute`.
    pub effect: String,
}

/// Toleration of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toleration {
    /// Key of the taint; empty with `exists` matches any.
    pub key: String,
    /// True if any value matches.
    pub exists: bool,
    /// Value of the taint.
    pub value: String,
    /// Effect of the taint; empty matches any.
    pub effect: String,
}

impl Toleration {
    pub(super) fn read(node: NodeRef<'_, '_>) -> Self {
        let text = |key: &str| node.get(key).and_then(NodeRef::non_null_text).unwrap_or_default().to_owned();
        Self { key: text("key"), exists: text("operator") == "Exists", value: text("value"), effect: text("effect") }
    }

    /// Source: kubernetes v1.36 `core/v1/toleration.go`, `ToleratesTaint`.
    pub(super) fn tolerates(&self, taint: &Taint) -> bool {
        (self.effect.is_empty() || self.effect == taint.effect)
            && (self.key.is_empty() && self.exists || self.key == taint.key)
            && (self.exists || self.value == taint.value)
    }
}
