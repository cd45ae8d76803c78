//! What a rule has to say.

use crate::model::ObjectId;
use crate::rule::{Rule, Severity};
use crate::yaml::Path;

/// Something that is wrong, or that a person should know.
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
    /// The ports that it is about: what a suppression may name.
    pub ports: Vec<u16>,
    /// The other object of a pair, and its field.
    pub other: Option<(ObjectId, Path)>,
    /// What is wrong, who says so in which words, and what to write instead.
    pub message: String,
}

impl Finding {
    /// A finding about the input as a whole.
    #[must_use]
    pub fn new(severity: Severity, rule: Rule, message: impl Into<String>) -> Self {
        Self { severity, rule, object: None, path: None, ports: Vec::new(), other: None, message: message.into() }
    }

    /// The finding, about a field of an object.
    #[must_use]
    pub fn at(mut self, object: ObjectId, path: Path) -> Self {
        self.object = Some(object);
        self.path = Some(path).filter(|path| path.last().is_some());
        self
    }

    /// The finding, about this port.
    #[must_use]
    pub fn of_port(mut self, port: u16) -> Self {
        self.ports.push(port);
        self
    }

    /// The finding, about a pair.
    #[must_use]
    pub fn with(mut self, other: ObjectId, path: Path) -> Self {
        self.other = Some((other, path));
        self
    }
}
