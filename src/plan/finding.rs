//! Findings of rules.

use crate::model::ObjectId;
use crate::rule::{Rule, Severity};
use lossless_yaml::{Path, Value};

/// Short form of a finding, for one line of a terminal. Text shared by several findings is printed once, above them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FindingSummary {
    /// Remedy and reason: the same text in all findings of a kind.
    pub fix: String,
    /// Part of the object that the finding concerns, such as a container or a pair.
    pub subject: Option<String>,
    /// Details of this finding, such as numbers; empty if the remedy is complete.
    pub detail: String,
    /// Generator of the object; `None` without a known generator.
    pub made_by: Option<String>,
}

/// Problem, skipped change or note.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Severity of the finding.
    pub severity: Severity,
    /// Rule that reports the finding.
    pub rule: Rule,
    /// Id of the object, if the finding concerns one.
    pub object: Option<ObjectId>,
    /// Path of the field, if the finding concerns one.
    pub path: Option<Path>,
    /// Line and column in the object's input, counted from 1, for positions without a path, such as the second of two
    /// equal keys.
    pub position: Option<(usize, usize)>,
    /// Value of the field.
    pub current: Option<Value>,
    /// Ports of the finding, which a suppression may name.
    pub ports: Vec<u16>,
    /// True if each port is a separate fault: a suppression must name all of them.
    pub is_of_each: bool,
    /// True if the finding is an error in a kustomize build, which does not show warnings: a number of the config has no
    /// effect.
    pub is_error_in_build: bool,
    /// Other object of a pair, and its field.
    pub other: Option<(ObjectId, Path)>,
    /// Full message: the problem, the component that reports it with its error text, and the remedy.
    pub message: String,
    /// Short form of the message, for terminals; only findings of `check` have it.
    pub brief: Option<Box<FindingSummary>>,
}

impl Finding {
    /// Creates a finding about the whole input or config.
    pub fn new(severity: Severity, rule: Rule, message: impl Into<String>) -> Self {
        let message = message.into();
        let (object, path, position, current, ports, other, brief) = (None, None, None, None, Vec::new(), None, None);
        let (is_of_each, is_error_in_build) = (false, false);
        Self {
            severity,
            rule,
            object,
            path,
            position,
            current,
            ports,
            is_of_each,
            is_error_in_build,
            other,
            message,
            brief,
        }
    }

    /// Sets the object.
    pub fn on_object(mut self, object: ObjectId) -> Self {
        self.object = Some(object);
        self
    }

    /// Sets the field; the root path means the whole object.
    pub fn at(mut self, path: Path) -> Self {
        self.path = Some(path).filter(|path| path.last().is_some());
        self
    }

    /// Adds a port.
    pub fn of_port(mut self, port: u16) -> Self {
        self.ports.push(port);
        self
    }

    /// Makes each port of the finding a separate fault.
    pub fn one_fault_per_port(mut self) -> Self {
        self.is_of_each = true;
        self
    }

    /// Makes the finding an error in a kustomize build.
    pub fn error_in_build(mut self) -> Self {
        self.is_error_in_build = true;
        self
    }

    /// Sets the other object of a pair, and its field.
    pub fn with(mut self, other: ObjectId, path: Path) -> Self {
        self.other = Some((other, path));
        self
    }

    /// Sets the short form: a remedy shared by all findings of a kind, and the details of this finding.
    pub fn brief(mut self, fix: impl Into<String>, detail: impl Into<String>) -> Self {
        self.brief =
            Some(Box::new(FindingSummary { fix: fix.into(), detail: detail.into(), ..FindingSummary::default() }));
        self
    }

    /// Sets the subject of the short form, if it is not the whole object.
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        if let Some(brief) = &mut self.brief {
            brief.subject = Some(subject.into());
        }
        self
    }

    /// Downgrades an error to a warning.
    pub fn as_warning(mut self) -> Self {
        self.severity = self.severity.max(Severity::Warning);
        self
    }
}
