//! Facts of a run that must not be missed in a host that shows no warnings.

use crate::model::ObjectId;

/// Work that a run did not do. Each part is reported by warnings as well.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Missed {
    /// No select of the config matches an object.
    pub nothing_selected: Option<NothingSelected>,
    /// The objects that a target matches, that the API server calls, and that stay on the pod network.
    pub left_whole: Vec<ObjectId>,
}

/// A config none of whose selects matches an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NothingSelected {
    /// A select asks for what the API server calls.
    pub by_call: bool,
    /// The field that accepts it, as it is written in the spec.
    pub accepted_by: &'static str,
}
