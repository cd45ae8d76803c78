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
    /// Key of the object without which there are no results, such as a list of add-ons.
    pub field: Option<&'static str>,
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

/// Custom resource whose operator puts pods on the host network, and the field that says so.
#[derive(Debug, PartialEq, Eq)]
pub struct HostNetworkField {
    /// API group.
    pub group: &'static str,
    /// Kind.
    pub kind: &'static str,
    /// Keys of the path; empty if all objects of the kind count.
    pub path: &'static [&'static str],
    /// Text that must occur for this effect.
    pub value: Option<&'static str>,
    /// Only text without this effect, which the field does not have by default.
    pub not: Option<&'static str>,
}

impl HostNetworkField {
    /// True if an object of the kind puts pods on the host network: `text` of the field, `Some(None)` for a field
    /// that is no text, `None` without the field.
    pub fn counts(&self, text: Option<Option<&str>>) -> bool {
        match (self.path, self.not, self.value) {
            ([], ..) => true,
            (_, Some(not), _) => text != Some(Some(not)),
            (_, None, Some(value)) => text == Some(Some(value)),
            (_, None, None) => text.is_some(),
        }
    }
}

/// Returns all fields that put pods of an operator on the host network.
pub static HOST_NETWORK_FIELDS: &[HostNetworkField] = data::HOST_NETWORK_FIELDS;
