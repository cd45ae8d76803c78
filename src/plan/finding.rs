//! Something that is not done, or that a person should know.

use crate::model::ObjectId;
use crate::rule::{Rule, Severity};
use crate::yaml::{Path, Value};

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

    /// The finding about something that need not be: an error is a warning then.
    #[must_use]
    pub fn softened(mut self) -> Self {
        self.severity = self.severity.max(Severity::Warning);
        self
    }

    /// The finding, about a field of its object.
    #[must_use]
    pub fn at(mut self, path: Path) -> Self {
        self.path = Some(path);
        self
    }
}
