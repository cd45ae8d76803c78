//! Verbosity of standard error, and the exit code.

use std::process::ExitCode;

use clap::Args;

use super::fails::Fails;
use super::streams::print_stderr;
use crate::api::FailOn;
use crate::kinds::coverage::Coverage;
use crate::kustomize::plugin;
use crate::render::Diagnostic;
use crate::render::not_read::shortened;
use crate::render::report::format_results;
use crate::render::summary::{many, summary};
use crate::rule::Severity;
use krm::Input;

/// Maximum number of terminal rows for lines about objects that were not read.
const NOT_READ: usize = 20;

/// Flags for the amount of output on standard error, and for failing on warnings.
#[derive(Debug, Clone, Copy, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Verbosity {
    /// Print only errors: no warnings, and no summary line.
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Show every change on standard error, not just errors and warnings.
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    pub(super) fails: Fails,
    /// A host counts results itself.
    #[arg(skip)]
    is_host: bool,
    /// kustomize passes messages on, and changes some characters of them.
    #[arg(skip)]
    in_kustomize: bool,
}

impl Verbosity {
    /// Settings for a function host, which shows results itself: errors and warnings without a summary line.
    pub(super) fn for_host() -> Self {
        Self { is_host: true, ..Self::default() }
    }

    /// Settings for messages that kustomize passes on.
    pub(super) fn in_kustomize(self) -> Self {
        Self { in_kustomize: true, ..self }
    }

    /// Settings for inputs that are read a second time: only errors are printed.
    pub(super) fn silent(self) -> Self {
        Self { quiet: true, ..self }
    }

    pub(super) fn is_strict(self) -> bool {
        self.fails.or(FailOn::Error).fails(Severity::Warning)
    }

    /// Exit code of a stopped run.
    pub(super) fn stopped(self) -> ExitCode {
        let fails = self.fails.or(FailOn::Error).fails(Severity::Error);
        if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }

    /// Exit code at the end of a run: `stops` is true after a finding that fails, and unreadable input always fails.
    pub(super) fn ended(self, stops: bool, coverage: &Coverage) -> ExitCode {
        match stops {
            _ if coverage.is_broken() => ExitCode::FAILURE,
            true => self.stopped(),
            false => ExitCode::SUCCESS,
        }
    }

    pub(super) fn is_verbose(self) -> bool {
        self.verbose
    }

    /// Prints a message that is neither a result nor an error.
    pub(super) fn note(self, text: &str) -> anyhow::Result<()> {
        if self.quiet { Ok(()) } else { print_stderr(text) }
    }

    /// Prints the objects whose manifests another program renders.
    pub(super) fn rendered(self, coverage: &Coverage) -> anyhow::Result<()> {
        let room = if self.verbose || self.is_host { usize::MAX } else { NOT_READ };
        let lines = shortened(&coverage.rendered(), room);
        if lines.is_empty() { Ok(()) } else { self.note(&lines) }
    }

    /// Prints the inputs that were not read, for a command without a summary line.
    pub(super) fn not_read(self, coverage: &Coverage) -> anyhow::Result<()> {
        let parts = coverage.parts();
        if parts.is_empty() { Ok(()) } else { self.note(&format!("info: not read: {}\n", parts.join(", "))) }
    }

    /// Prints results, and warnings about ResourceLists; returns the number of these warnings.
    pub(super) fn print_results(self, results: &[Diagnostic], inputs: &[Input]) -> anyhow::Result<usize> {
        let quiet: Vec<Diagnostic>;
        let shown = if self.quiet {
            quiet = results.iter().filter(|result| result.severity == Severity::Error).cloned().collect();
            &quiet
        } else {
            results
        };
        let text = format_results(shown, self.verbose);
        print_stderr(&if self.in_kustomize { plugin::plain(&text) } else { text })?;
        let mut warnings = 0;
        for input in inputs {
            for warning in input.warnings() {
                warnings += 1;
                self.note(&format!("warning: {}:{}: {}\n", input.origin(), warning.line, warning.message))?;
            }
        }
        Ok(warnings)
    }

    /// True if results stop a command without a config: errors always, warnings with `--strict`, which is then reported.
    pub(super) fn stops(self, results: &[Diagnostic], more_warnings: usize) -> anyhow::Result<bool> {
        self.has_stopping_results(FailOn::Error, results, more_warnings)
    }

    /// True if results stop a command that reads a config: errors always, and results from the severity on that the
    /// flags set, or else the config.
    pub(super) fn has_stopping_results(
        self,
        of_config: FailOn,
        results: &[Diagnostic],
        more_warnings: usize,
    ) -> anyhow::Result<bool> {
        let has_errors = results.iter().any(|result| result.severity == Severity::Error);
        Ok(self.has_failing_results(of_config, results, more_warnings)? || has_errors)
    }

    /// True if results reach the failing severity, set by the flags or else by a config.
    pub(super) fn has_failing_results(
        self,
        of_config: FailOn,
        results: &[Diagnostic],
        more_warnings: usize,
    ) -> anyhow::Result<bool> {
        let fail_on = self.fails.or(of_config);
        let is = |severity: Severity| results.iter().filter(|result| result.severity == severity).count();
        // Warnings about files count only if a flag sets the severity.
        let more = if self.fails.fail_on_from_flags().is_some() { more_warnings } else { 0 };
        let fails = results.iter().any(|result| fail_on.fails(result.severity));
        let fails = fails || more > 0 && fail_on.fails(Severity::Warning);
        if fails && is(Severity::Error) == 0 {
            let (warnings, flag) =
                (many(is(Severity::Warning) + more_warnings, "warning"), self.fails.warning_failure_option());
            print_stderr(&format!("error: {warnings}, and `{flag}` makes warnings fail\n"))?;
        }
        Ok(fails)
    }

    /// True if the warnings of a list make the run fail, according to the flags or else the config; warnings about
    /// files count only if a flag sets the severity.
    pub(super) fn has_failing_list_warnings(
        self,
        of_config: FailOn,
        of_files: usize,
        listed: usize,
    ) -> anyhow::Result<bool> {
        let files = if self.fails.fail_on_from_flags().is_some() { of_files } else { 0 };
        let fails = files + listed > 0 && self.fails.or(of_config).fails(Severity::Warning);
        if fails {
            let flag = self.fails.warning_failure_option();
            print_stderr(&format!("error: {}, and `{flag}` makes warnings fail\n", many(files + listed, "warning")))?;
        }
        Ok(fails)
    }

    /// Prints the objects whose manifests another program renders, and the summary line with the unread input.
    pub(super) fn print_summary_with_coverage(
        self,
        mut done: Vec<String>,
        coverage: &Coverage,
        results: &[Diagnostic],
        more_warnings: usize,
    ) -> anyhow::Result<()> {
        done.extend(coverage.parts());
        self.rendered(coverage)?;
        self.end(&done, results, more_warnings)
    }

    /// Prints the summary line of a run.
    pub(super) fn end(self, done: &[String], results: &[Diagnostic], more_warnings: usize) -> anyhow::Result<()> {
        self.print_changes_summary(done, results, more_warnings, false)
    }

    /// Prints the summary line of a run whose changes only `-v` shows.
    pub(super) fn print_changes_summary(
        self,
        done: &[String],
        results: &[Diagnostic],
        more_warnings: usize,
        changes: bool,
    ) -> anyhow::Result<()> {
        if self.is_host {
            return Ok(());
        }
        let infos = || results.iter().any(|result| result.severity == Severity::Info);
        self.note(&summary(done, results, more_warnings, !self.verbose && (changes || infos())))
    }
}
