//! `--strict` and `--fail-on`: severities that make a run fail.

use clap::{Args, ValueEnum};

use crate::api::FailOn;

/// The findings that make a run fail.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct Fails {
    /// Fail on warnings: nothing is written, and the exit code is 1. Short for `--fail-on warning`.
    #[arg(long, conflicts_with = "fail_on")]
    strict: bool,
    /// The lowest severity that makes the run fail: `error` (default), `warning` or `never`. After an error nothing is
    /// written, even with `never`. Overrides `failOn` of a config.
    #[arg(long, value_name = "SEVERITY", value_enum, hide_possible_values = true)]
    fail_on: Option<FailFrom>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FailFrom {
    Error,
    Warning,
    Never,
}

impl Fails {
    /// Severity set by the flags.
    pub(super) fn fail_on_from_flags(self) -> Option<FailOn> {
        if self.strict {
            return Some(FailOn::Warning);
        }
        self.fail_on.map(|from| match from {
            FailFrom::Error => FailOn::Error,
            FailFrom::Warning => FailOn::Warning,
            FailFrom::Never => FailOn::Never,
        })
    }

    /// Severity set by the flags, else by a config.
    pub(super) fn or(self, of_config: FailOn) -> FailOn {
        self.fail_on_from_flags().unwrap_or(of_config)
    }

    /// The flag or field that makes warnings fail, for messages.
    pub(super) fn warning_failure_option(self) -> &'static str {
        match self.fail_on {
            _ if self.strict => "--strict",
            Some(_) => "--fail-on warning",
            None => "failOn: Warning",
        }
    }
}
