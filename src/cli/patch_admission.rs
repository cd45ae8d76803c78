//! `hostnet patch --as admission`: writes changes as policies of the API server.

use std::process::ExitCode;

use super::reports::{Output, ReportRoot, ResultFormat, write_results};
use super::streams::print;
use super::verbosity::Verbosity;
use crate::api::AnyConfig;
use crate::kinds::coverage::Coverage;
use crate::kinds::patch;
use crate::render::patch::admission::{ApiVersion, Guard, MutatingPolicy, text};
use crate::render::summary::many;
use krm::Input;

/// Options of the command.
pub(super) struct Admission<'c> {
    pub(super) version: ApiVersion,
    pub(super) guard: Option<Guard>,
    pub(super) reports: Vec<Output<ResultFormat>>,
    pub(super) from: &'c ReportRoot,
}

impl Admission<'_> {
    pub(super) fn run(
        &self,
        inputs: &[Input],
        config: &AnyConfig,
        coverage: &Coverage,
        verbosity: Verbosity,
    ) -> anyhow::Result<ExitCode> {
        let found = patch::policies(inputs, config, verbosity.is_verbose())?;
        let warnings = verbosity.print_results(&found.results, inputs)?;
        write_results(&self.reports, self.from, &found.results, inputs, None)?;
        let stops = verbosity.stops(&found.results, warnings)? || found.failed();
        let mut done = Vec::new();
        let mut code = verbosity.stopped();
        if !stops {
            code = print(&text(&found.policies, self.version, self.guard))?;
            let objects = found.policies.iter().flat_map(MutatingPolicy::objects).count();
            done.push(many(objects, "object") + " with a policy");
            if found.made > 0 {
                done.push(format!("{} that workloads make", found.made));
            }
        }
        verbosity.print_summary_with_coverage(done, coverage, &found.results, warnings)?;
        Ok(code)
    }
}
