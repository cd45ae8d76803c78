//! What to do with an input.

use super::edit::{Edit, Together};
use super::finding::Finding;
use super::missed::Missed;
use crate::model::listener::Role;
use crate::model::{Meta, WorkloadId};
use crate::rule::Severity;

/// A listener's move to another number, with everything that refers to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The workload.
    pub workload: WorkloadId,
    /// The container's name.
    pub container: String,
    /// The port's name.
    pub port: String,
    /// What it is for.
    pub role: Role,
    /// The number it had.
    pub from: u16,
    /// The number it gets.
    pub to: u16,
    /// What shows that it listens, and what sets its number: `declared + --port`.
    pub evidence: String,
    /// All that changes.
    pub edits: Vec<Edit>,
}

/// What to do with an input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Listeners that move.
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

    /// Whether something in the plan stops the whole run.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}
