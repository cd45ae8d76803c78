//! How much a command says on standard error, and what makes it fail.

use std::process::ExitCode;

use clap::Args;

use super::fails::Fails;
use super::streams::say;
use crate::api::FailOn;
use crate::kinds::coverage::Coverage;
use crate::kustomize::plugin;
use crate::render::Diagnostic;
use crate::render::report::report;
use crate::render::summary::{many, summary};
use crate::rule::Severity;
use krm::Input;

/// How much is said on standard error, and whether warnings fail.
#[derive(Debug, Clone, Copy, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Said {
    /// Say nothing but errors: no warnings, and no line of counts.
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

impl Said {
    /// For a host, which shows results itself: errors and warnings, no line of counts.
    pub(super) fn for_host() -> Self {
        Self { is_host: true, ..Self::default() }
    }

    /// These settings for messages that kustomize passes on.
    pub(super) fn in_kustomize(self) -> Self {
        Self { in_kustomize: true, ..self }
    }

    /// For inputs that are read a second time: nothing but errors is said again.
    pub(super) fn silent(self) -> Self {
        Self { quiet: true, ..self }
    }

    pub(super) fn is_strict(self) -> bool {
        self.fails.or(FailOn::Error).fails(Severity::Warning)
    }

    /// The exit code of a run that was stopped.
    pub(super) fn stopped(self) -> ExitCode {
        let fails = self.fails.or(FailOn::Error).fails(Severity::Error);
        if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }

    pub(super) fn is_verbose(self) -> bool {
        self.verbose
    }

    /// Says something that is neither a result nor an error.
    pub(super) fn note(self, text: &str) -> anyhow::Result<()> {
        if self.quiet { Ok(()) } else { say(text) }
    }

    /// Reports the objects for which somebody else renders manifests.
    pub(super) fn rendered(self, coverage: &Coverage) -> anyhow::Result<()> {
        let lines: String = coverage.rendered().iter().map(|line| format!("not read: {line}\n")).collect();
        if lines.is_empty() { Ok(()) } else { self.note(&lines) }
    }

    /// Reports what of the input was not read, for a command without a line of counts.
    pub(super) fn not_read(self, coverage: &Coverage) -> anyhow::Result<()> {
        let parts = coverage.parts();
        if parts.is_empty() { Ok(()) } else { self.note(&format!("info: not read: {}\n", parts.join(", "))) }
    }

    /// Says the results of inputs, and what was odd about their envelopes. Gives back the number of warnings about envelopes.
    pub(super) fn tell(self, results: &[Diagnostic], inputs: &[Input]) -> anyhow::Result<usize> {
        let quiet: Vec<Diagnostic>;
        let shown = if self.quiet {
            quiet = results.iter().filter(|result| result.severity == Severity::Error).cloned().collect();
            &quiet
        } else {
            results
        };
        let text = report(shown, self.verbose);
        say(&if self.in_kustomize { plugin::plain(&text) } else { text })?;
        let mut warnings = 0;
        for input in inputs {
            for warning in input.warnings() {
                warnings += 1;
                self.note(&format!("warning: {}:{}: {}\n", input.origin(), warning.line, warning.message))?;
            }
        }
        Ok(warnings)
    }

    /// True if results stop a command: errors always, warnings with `--strict`, which is reported.
    pub(super) fn stops(self, results: &[Diagnostic], more_warnings: usize) -> anyhow::Result<bool> {
        let has_errors = results.iter().any(|result| result.severity == Severity::Error);
        Ok(self.fails_from(FailOn::Error, results, more_warnings)? || has_errors)
    }

    /// True if results of the severity that the flags or else a config names, or a worse one, make the run fail.
    pub(super) fn fails_from(
        self,
        of_config: FailOn,
        results: &[Diagnostic],
        more_warnings: usize,
    ) -> anyhow::Result<bool> {
        let fail_on = self.fails.or(of_config);
        let is = |severity: Severity| results.iter().filter(|result| result.severity == severity).count();
        // Warnings about files count where a flag asks for it.
        let more = if self.fails.given().is_some() { more_warnings } else { 0 };
        let fails = results.iter().any(|result| fail_on.fails(result.severity));
        let fails = fails || more > 0 && fail_on.fails(Severity::Warning);
        if fails && is(Severity::Error) == 0 {
            let (warnings, flag) =
                (many(is(Severity::Warning) + more_warnings, "warning"), self.fails.name_of_warning());
            say(&format!("error: {warnings}, and `{flag}` lets none pass\n"))?;
        }
        Ok(fails)
    }

    /// The line of counts at the end of a run.
    pub(super) fn end(self, done: &[String], results: &[Diagnostic], more_warnings: usize) -> anyhow::Result<()> {
        self.end_of_changes(done, results, more_warnings, false)
    }

    /// The same, for a run with changes that only `-v` shows.
    pub(super) fn end_of_changes(
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
