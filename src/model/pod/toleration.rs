//! What keeps pods away from nodes, and what lets them there all the same.

use lossless_yaml::NodeRef;

/// What keeps pods away from a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taint {
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// `NoSchedule` or `NoExecute`.
    pub effect: String,
}

/// What lets a pod onto such a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toleration {
    /// The taint's key; empty with `exists` is any.
    pub key: String,
    /// Whether any value will do.
    pub exists: bool,
    /// The taint's value.
    pub value: String,
    /// The taint's effect; empty is any.
    pub effect: String,
}

impl Toleration {
    pub(super) fn of(node: NodeRef<'_, '_>) -> Self {
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
