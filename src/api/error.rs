//! Why a config cannot be used.

use std::fmt;

use crate::yaml::Excerpt;

/// A config that cannot be used: where, what was expected, what to write.
///
/// It prints as one line that says everything, then the line of the config, where there is a file with one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// `FILE:LINE:COLUMN` as far as known; of a config that a host sent, its kind, name and field.
    pub place: String,
    /// What is wrong, what was expected and what to write.
    pub message: String,
    pub(super) excerpt: Option<Excerpt>,
}

impl ConfigError {
    /// An error about a place that is not a line of a file.
    #[must_use]
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into(), excerpt: None }
    }

    /// All of it on one line.
    #[must_use]
    pub fn one_line(&self) -> String {
        format!("{}: {}", self.place, self.message)
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        self.excerpt.as_ref().map_or(Ok(()), |excerpt| write!(f, "\n{excerpt}"))
    }
}
