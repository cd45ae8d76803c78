//! Planned changes and findings for an input.

use super::edit::{Edit, Together};
use super::finding::Finding;
use super::missed::Missed;
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
    /// What it is for.
    pub role: Role,
    /// Old number.
    pub from: u16,
    /// New number.
    pub to: u16,
    /// What shows that it listens, and what sets its number: `declared + --port`.
    pub evidence: String,
    /// Edits of the move.
    pub edits: Vec<Edit>,
}

/// Planned changes and findings for an input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Moves of listeners.
    pub moves: Vec<Move>,
    /// Changes that are one for a person.
    pub together: Vec<Together>,
    /// All other changes.
    pub edits: Vec<Edit>,
    /// Objects that are new. Their ids follow those of the input's.
    pub new: Vec<Meta>,
    /// What is not done.
    pub findings: Vec<Finding>,
    /// Facts that a host which shows no warnings must not miss.
    pub missed: Missed,
}

impl Plan {
    /// All edits, those of moves and those that belong together included.
    pub fn all_edits(&self) -> impl Iterator<Item = &Edit> {
        let moved = self.moves.iter().flat_map(|moved| &moved.edits);
        self.edits.iter().chain(self.together.iter().flat_map(|all| &all.edits)).chain(moved)
    }

    /// True if a finding stops the whole run.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}
