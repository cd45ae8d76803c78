//! Results of a run that must also be visible in a host that shows no warnings.

use crate::model::ObjectId;

/// Work that a run did not do. Each part is reported by warnings as well.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UndoneWork {
    /// Set if no select of the config matches an object.
    pub nothing_selected: Option<NothingSelected>,
    /// Matched objects that the API server calls and that stay on the pod network.
    pub called_staying: Vec<ObjectId>,
    /// Matched objects that stay on the pod network, of targets without any object that moves.
    pub unmoved: Vec<ObjectId>,
}

/// Config without any matched object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NothingSelected {
    /// True if a select has `calledByApiServer: true`.
    pub by_call: bool,
    /// Workloads that may register with the API server when they run, if a select has `calledByApiServer: true`.
    pub may_register: Vec<ObjectId>,
    /// Spec field that accepts this result.
    pub accepted_by: &'static str,
}
