//! Why a config cannot be used.

use std::fmt;

use lossless_yaml::Excerpt;

/// A config that cannot be used: where, what was expected, what to write.
///
/// It prints as one line that says everything, then the line of the config, where there is a file with one; then the other mistakes of
/// the same config, each as an error of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// `FILE:LINE:COLUMN` as far as known; of a config that a host sent, its kind, name and field.
    pub place: String,
    /// What is wrong, what was expected and what to write.
    pub message: String,
    pub(super) excerpt: Option<Excerpt>,
    /// What else is wrong with the same config.
    pub(super) others: Vec<ConfigError>,
}

impl ConfigError {
    /// An error about a place that is not a line of a file.
    #[must_use]
    pub fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: on_one_line(&place.into()), message: message.into(), excerpt: None, others: Vec::new() }
    }

    /// With what else is wrong with the same config.
    pub(super) fn and(mut self, others: impl IntoIterator<Item = Self>) -> Self {
        self.others.extend(others);
        self
    }

    /// Each mistake on one line.
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

/// A text with escapes for the line breaks of what it quotes.
pub(super) fn on_one_line(text: &str) -> String {
    text.replace('\r', "\\r").replace('\n', "\\n")
}
