//! `failOn`: the severity of findings that make a run fail.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::rule::Severity;

/// The severity from which on a run fails.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum FailOn {
    /// Errors fail.
    #[default]
    Error,
    /// Warnings fail too.
    Warning,
    /// Nothing fails.
    Never,
}

impl FailOn {
    /// True if a finding of this severity makes the run fail.
    #[must_use]
    pub fn fails(self, severity: Severity) -> bool {
        match self {
            Self::Error => severity == Severity::Error,
            Self::Warning => severity <= Severity::Warning,
            Self::Never => false,
        }
    }

    /// True if a finding of this severity prevents all changes of a run. Errors always do.
    #[must_use]
    pub fn stops(self, severity: Severity) -> bool {
        severity == Severity::Error || self.fails(severity)
    }
}
