//! Conflicts in Crossplane's lock, as it is after the config is applied.

use crate::model::ObjectId;
use crate::rule::Severity;

/// Effect of installing one package under two names, for messages.
pub(super) const CONFLICT_EFFECT: &str = "both try to control the same objects, and neither becomes healthy";

/// A conflict in the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// An error, or a warning about packages that the change does not touch.
    pub severity: Severity,
    /// The text with the packages, their names and the remedy.
    pub message: String,
    /// The whole reference of the package.
    pub source: String,
    /// The object to change.
    pub(super) object: Option<ObjectId>,
}
