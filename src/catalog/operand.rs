//! Custom resources for which an operator runs pods that the API server calls, or renders charts and manifests.

use super::data;

/// Kind of custom resources for which an operator runs pods that the API server calls, or renders charts and manifests.
#[derive(Debug, PartialEq, Eq)]
pub struct Operand {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Description of the results, for messages.
    pub runs: &'static str,
    /// True if the objects are in other clusters.
    pub is_elsewhere: bool,
    /// Kinds of objects that own the workloads and are owned by the custom resource, as `kubectl get` names them; empty
    /// if the operator writes the custom resource as their owner.
    pub through: &'static [&'static str],
}

/// Returns all kinds of operands.
pub static OPERANDS: &[Operand] = data::OPERANDS;
