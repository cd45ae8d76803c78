//! Errors about unusable configs.

use std::fmt;

use lossless_yaml::Excerpt;

/// An error about an unusable config.
///
/// Displays as one complete line, then the source line if there is a file; then the other errors of the same config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// `FILE:LINE:COLUMN` if known; kind, name and field for a config from a host.
    pub place: String,
    /// The problem, the expected value, and the correction.
    pub message: String,
    pub(super) excerpt: Option<Excerpt>,
    /// Other errors of the same config.
    pub(super) others: Vec<ConfigError>,
}

impl ConfigError {
    /// An error without a line of a file, such as an error about an argument.
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: on_one_line(&place.into()), message: message.into(), excerpt: None, others: Vec::new() }
    }

    /// Adds other errors of the same config.
    pub(super) fn with_others(mut self, others: impl IntoIterator<Item = Self>) -> Self {
        self.others.extend(others);
        self
    }

    /// Formats each error on one line.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        std::iter::once(self).chain(&self.others).map(|error| format!("{}: {}", error.place, error.message))
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        if let Some(excerpt) = &self.excerpt {
            write!(f, "\n{excerpt}")?;
        }
        self.others.iter().try_for_each(|other| write!(f, "\nerror: {other}"))
    }
}

/// Escapes line breaks.
pub(super) fn on_one_line(text: &str) -> String {
    text.replace('\r', "\\r").replace('\n', "\\n")
}
