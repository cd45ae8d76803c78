//! Custom resources for which an operator runs pods that the API server calls, or on the host network, or renders charts
//! and manifests.

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

/// Field by which a custom resource puts the pods of its operator on the host network.
#[derive(Debug, PartialEq, Eq)]
pub struct HostNetworkField {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Keys of the path.
    pub path: &'static [&'static str],
    /// Text with this effect.
    pub value: &'static str,
}

/// Returns all fields that put pods of an operator on the host network.
pub static HOST_NETWORK_FIELDS: &[HostNetworkField] = data::HOST_NETWORK_FIELDS;
