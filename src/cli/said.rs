//! How much a command says on standard error, and what makes it fail.

use clap::Args;

use super::streams::say;
use crate::api::FailOn;
use crate::kinds::coverage::Coverage;
use crate::render::Diagnostic;
use crate::render::report::report;
use crate::render::summary::{many, summary};
use crate::rule::Severity;
use crate::wire::{Input, plugin};

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
    /// Warnings fail: nothing is written, and the exit code is 1.
    #[arg(long)]
    strict: bool,
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
        self.strict
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

    /// Whether results stop a command; with `--strict` warnings do, and that is said.
    pub(super) fn stops(self, results: &[Diagnostic], more_warnings: usize) -> anyhow::Result<bool> {
        self.stops_from(FailOn::Error, results, more_warnings)
    }

    /// True if results of the severity that a config names, or a worse one, stop the command.
    pub(super) fn stops_from(
        self,
        fail_on: FailOn,
        results: &[Diagnostic],
        more_warnings: usize,
    ) -> anyhow::Result<bool> {
        let is = |severity: Severity| results.iter().filter(|result| result.severity == severity).count();
        let warnings = is(Severity::Warning) + more_warnings;
        if self.strict && warnings > 0 {
            say(&format!("error: {}, and `--strict` lets none pass\n", many(warnings, "warning")))?;
            return Ok(true);
        }
        let stops = results.iter().any(|result| fail_on.fails(result.severity));
        if stops && is(Severity::Error) == 0 {
            say(&format!("error: {}, and `failOn: Warning` lets none pass\n", many(warnings, "warning")))?;
        }
        Ok(stops)
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
