//! Nodes of the input, what keeps pods away from them, and what lets pods there all the same.

use super::Meta;
use super::labels::Labels;
use crate::yaml::NodeRef;

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

/// A `Node`.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: Labels,
    /// Taints that keep pods away.
    pub taints: Vec<Taint>,
    /// Whether nothing new is scheduled there.
    pub unschedulable: bool,
}

/// Taints of this start are conditions of the node, which change from minute to minute.
const CONDITION: &str = "node.kubernetes.io/";

impl Node {
    pub(super) fn of(meta: &Meta, object: NodeRef<'_, '_>) -> Self {
        let spec = object.get("spec");
        let taints = spec.and_then(|spec| spec.get("taints")).into_iter().flat_map(NodeRef::items);
        let text =
            |node: NodeRef<'_, '_>, key: &str| node.get(key).and_then(NodeRef::text).unwrap_or_default().to_owned();
        let taints = taints.filter(|taint| matches!(text(*taint, "effect").as_str(), "NoSchedule" | "NoExecute"));
        let taints = taints.map(|taint| Taint {
            key: text(taint, "key"),
            value: text(taint, "value"),
            effect: text(taint, "effect"),
        });
        Self {
            name: meta.name.clone(),
            labels: meta.labels.clone(),
            taints: taints.filter(|taint| !taint.key.starts_with(CONDITION)).collect(),
            unschedulable: spec.and_then(|spec| spec.get("unschedulable")).and_then(NodeRef::as_bool) == Some(true),
        }
    }
}
