//! What to do: the decisions. Turns edges of the model into edits and searches nothing itself; no I/O, no YAML text.
//!
//! A [`Plan`] is a list of [`Move`]s, each applied whole or not at all, of free [`Edit`]s, and of [`Finding`]s that say
//! what is not done and why. Every output (edited documents, results, a diff) renders the same plan.

mod keys;
mod moves;
mod network_policy;
mod pod;
mod referred;
pub mod rule;
pub mod select;
mod target;

use std::ops::Range;

use crate::model::role::Role;
use crate::model::{Model, ObjectId};
use crate::yaml::{Path, Value};

pub use rule::Rule;
pub use target::Targets;

/// A change of one value of one object.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The object.
    pub object: ObjectId,
    /// The value's path in it.
    pub path: Path,
    /// Old and new value.
    pub change: Change,
    /// The rule that asks for it.
    pub rule: Rule,
    /// What happens, for a person: where, old, new.
    pub message: String,
}

/// Old and new value of an [`Edit`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The value is replaced.
    Set {
        /// What it was.
        old: Value,
        /// What it is to be.
        new: Value,
    },
    /// A range of a text is replaced.
    Text {
        /// The whole text as it was.
        old: String,
        /// The bytes of it that are replaced.
        range: Range<usize>,
        /// What stands there then.
        new: String,
    },
    /// A key or a list element is added; the path is where it will be.
    Add {
        /// What is added.
        new: Value,
    },
}

/// A listener's move to another number, with everything that refers to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The workload.
    pub object: ObjectId,
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
    /// All that changes.
    pub edits: Vec<Edit>,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Stops the whole run.
    Error,
    /// Something is left as it was.
    Warning,
    /// Good to know.
    Info,
}

/// Something that is not done, or that a person should know.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The rule.
    pub rule: Rule,
    /// The object, when it is about one.
    pub object: Option<ObjectId>,
    /// The field, when it is about one.
    pub path: Option<Path>,
    /// What the field holds.
    pub current: Option<Value>,
    /// What is wrong, where, and what to do.
    pub message: String,
}

impl Finding {
    /// A finding about the input or the config as a whole.
    #[must_use]
    pub fn new(severity: Severity, rule: Rule, message: impl Into<String>) -> Self {
        Self { severity, rule, object: None, path: None, current: None, message: message.into() }
    }

    /// The finding, about an object.
    #[must_use]
    pub fn on(mut self, object: ObjectId) -> Self {
        self.object = Some(object);
        self
    }

    /// The finding, about a field of its object.
    #[must_use]
    pub fn at(mut self, path: Path) -> Self {
        self.path = Some(path);
        self
    }
}

/// What to do with an input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Listeners that move.
    pub moves: Vec<Move>,
    /// All other changes.
    pub edits: Vec<Edit>,
    /// What is not done.
    pub findings: Vec<Finding>,
}

impl Plan {
    /// All edits, those of moves included.
    pub fn all_edits(&self) -> impl Iterator<Item = &Edit> {
        self.edits.iter().chain(self.moves.iter().flat_map(|moved| &moved.edits))
    }

    /// Whether something in the plan stops the whole run.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Decides what to do with the objects of a model.
    #[must_use]
    pub fn make(model: &Model, targets: &Targets<'_>) -> Self {
        let mut plan = Self::default();
        let config = targets.config;
        let selected = targets.select(model, &mut plan.findings);
        let mut decided = Vec::new();
        for workload in selected {
            let refused = pod::forbidden(&workload, &mut plan.findings);
            if !refused {
                decided.push(workload);
            }
        }
        let wanted = keys::resolve(config, &decided, &mut plan.findings);
        moves::plan(model, config, &decided, &wanted, &mut plan);
        for workload in &decided {
            pod::edits(config, workload, &wanted, &mut plan);
        }
        network_policy::warn(model, &decided, &mut plan.findings);
        plan
    }
}
