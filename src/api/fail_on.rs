//! `failOn`: the severity of findings that make a run fail.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::rule::Severity;

/// The lowest severity that makes a run fail.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
pub enum FailOn {
    /// Only errors make the run fail.
    #[default]
    Error,
    /// Warnings and errors make the run fail.
    Warning,
    /// No finding makes the run fail.
    Never,
}

impl FailOn {
    /// True if a finding of this severity makes the run fail.
    pub fn fails(self, severity: Severity) -> bool {
        match self {
            Self::Error => severity == Severity::Error,
            Self::Warning => severity <= Severity::Warning,
            Self::Never => false,
        }
    }

    /// True if a finding of this severity prevents all changes of a run. Errors always do.
    pub fn stops(self, severity: Severity) -> bool {
        severity == Severity::Error || self.fails(severity)
    }
}
