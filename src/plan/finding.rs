//! Findings of rules.

use crate::model::ObjectId;
use crate::rule::{Rule, Severity};
use lossless_yaml::{Path, Value};

/// A finding in a line of a screen. What findings have in common is said once, above them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Brief {
    /// What to do, and why: the same words in all findings of its sort.
    pub fix: String,
    /// What it is about, where that is not the object as a whole: a container of it, a pair.
    pub subject: Option<String>,
    /// What this one adds: numbers, what to write. Empty when the fix says it all.
    pub detail: String,
    /// What makes the object; none for one that a person wrote, as far as it shows.
    pub made_by: Option<String>,
}

/// Something that is wrong or not done, or that a person should know.
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
    /// Line and column in the object's input, counted from 1, where no path leads to what it is about: the second of two equal keys.
    pub position: Option<(usize, usize)>,
    /// Value of the field.
    pub current: Option<Value>,
    /// Ports of the finding, which a suppression may name.
    pub ports: Vec<u16>,
    /// True if each port is a separate fault: a suppression must name all of them.
    pub is_of_each: bool,
    /// The other object of a pair, and its field.
    pub other: Option<(ObjectId, Path)>,
    /// Full message: the problem, the component that reports it with its error text, and the remedy.
    pub message: String,
    /// Short form of the message, for terminals.
    pub brief: Option<Brief>,
}

impl Finding {
    /// Creates a finding about the whole input or config.
    #[must_use]
    pub fn new(severity: Severity, rule: Rule, message: impl Into<String>) -> Self {
        let message = message.into();
        let (object, path, position, current, ports, other, brief) = (None, None, None, None, Vec::new(), None, None);
        Self { severity, rule, object, path, position, current, ports, is_of_each: false, other, message, brief }
    }

    /// Sets the object.
    #[must_use]
    pub fn on(mut self, object: ObjectId) -> Self {
        self.object = Some(object);
        self
    }

    /// The finding, about a field of its object; the root is the object as a whole.
    #[must_use]
    pub fn at(mut self, path: Path) -> Self {
        self.path = Some(path).filter(|path| path.last().is_some());
        self
    }

    /// Adds a port.
    #[must_use]
    pub fn of_port(mut self, port: u16) -> Self {
        self.ports.push(port);
        self
    }

    /// The finding, with a fault of each of its ports.
    #[must_use]
    pub fn each(mut self) -> Self {
        self.is_of_each = true;
        self
    }

    /// The finding, about a pair.
    #[must_use]
    pub fn with(mut self, other: ObjectId, path: Path) -> Self {
        self.other = Some((other, path));
        self
    }

    /// The finding with its short form: what to do, in the words that all of its sort have, and what this one adds.
    #[must_use]
    pub fn brief(mut self, fix: impl Into<String>, detail: impl Into<String>) -> Self {
        self.brief = Some(Brief { fix: fix.into(), detail: detail.into(), ..Brief::default() });
        self
    }

    /// The finding, whose short form is about this and not about the object as a whole.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        if let Some(brief) = &mut self.brief {
            brief.subject = Some(subject.into());
        }
        self
    }

    /// Downgrades an error to a warning.
    #[must_use]
    pub fn softened(mut self) -> Self {
        self.severity = self.severity.max(Severity::Warning);
        self
    }
}
