//! Planned changes and findings for an input.

use super::edit::{Edit, MergedChange};
use super::finding::Finding;
use super::undone_work::UndoneWork;
use crate::model::listener::Role;
use crate::model::{Meta, WorkloadId};
use crate::rule::Severity;

/// Move of a listener to another port number, with all references to the port.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// Workload of the listener.
    pub workload: WorkloadId,
    /// Container name.
    pub container: String,
    /// Port name.
    pub port: String,
    /// Role of the listener.
    pub role: Role,
    /// Old number.
    pub from: u16,
    /// New number.
    pub to: u16,
    /// Evidence for the listener, and the setting of its number: `declared + --port`.
    pub evidence: String,
    /// Edits of the move.
    pub edits: Vec<Edit>,
}

/// Planned changes and findings for an input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Moves of listeners.
    pub moves: Vec<Move>,
    /// Edits that are reported as one change.
    pub together: Vec<MergedChange>,
    /// All other changes.
    pub edits: Vec<Edit>,
    /// New objects. Their ids follow the ids of the input objects.
    pub new: Vec<Meta>,
    /// Findings.
    pub findings: Vec<Finding>,
    /// Results that a host without warnings must also show.
    pub missed: UndoneWork,
}

impl Plan {
    /// All edits, including edits of moves and edits that belong together.
    pub fn all_edits(&self) -> impl Iterator<Item = &Edit> {
        let moved = self.moves.iter().flat_map(|moved| &moved.edits);
        self.edits.iter().chain(self.together.iter().flat_map(|all| &all.edits)).chain(moved)
    }

    /// True if a finding stops the whole run.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}
