//! The policy of one object.

use crate::model::Meta;

/// A MutatingAdmissionPolicy that makes the planned changes of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MutatingPolicy {
    /// Identity of the object.
    pub meta: Meta,
    /// Messages of the changes.
    pub(super) reasons: Vec<String>,
    /// Expression that is true for an object that fits the plan.
    pub(super) fits: String,
    /// Expression that is true for an object with all changes.
    pub(super) done: String,
    /// Names and expressions of the indexes of list elements.
    pub(super) variables: Vec<(String, String)>,
    /// Expression for the JSON patch.
    pub(super) mutation: String,
}
