//! `hostnet init`: writes the first config.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;

use super::build::Build;
use super::input::{Given, INIT, Manifests, build_arguments, changed_builds_note, next_apply_command, read_inputs};
use super::overlay;
use super::patched_ports::patches_of;
use super::streams::{print, print_stderr};
use super::verbosity::Verbosity;
use crate::host_network::PortRow;
use crate::kinds::coverage::Coverage;
use crate::kinds::draft::{Survey, results_in_build, survey};
use crate::render::survey::nothing_called;
use crate::rule::Severity;
use krm::files::Changed;
use krm::{Input, in_place, shell_path, shown_path};

/// Write a config that moves workloads called by the API server to the host network.
///
/// The config is applied once before it is written, and the messages of `hostnet apply` are printed. An existing file
/// is not overwritten.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet init manifests/
  hostnet init --overlay deploy/host-network deploy/base
  helm template web ./chart | hostnet init --to deploy/hostnet.yaml -")]
pub(super) struct Init {
    /// Files, folders (of kustomizations the files that they list), or `-` for standard input.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The file to write; `-` for standard output.
    #[arg(long, value_name = "FILE", default_value = "hostnet.yaml")]
    to: PathBuf,
    /// Write a kustomization into DIR that builds PATH and lists the config under its transformers, so that the
    /// function runs last.
    #[arg(long, value_name = "DIR", conflicts_with = "to")]
    overlay: Option<PathBuf>,
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// Finds the workloads that the API server calls, and drafts a config, with names of objects if `may_name` is true for
/// the manifests. Warnings about files and ResourceLists are counted in the manifests. `in_build`: the results are those
/// of a kustomize build with the drafted config.
pub(super) fn survey_and_draft_config(
    given: Given<'_>,
    command: &str,
    in_build: bool,
    verbosity: Verbosity,
    may_name: impl FnOnce(&Manifests) -> bool,
) -> anyhow::Result<(Survey, Manifests)> {
    let mut manifests = read_inputs(given, None, command, verbosity)?;
    let mut survey = survey(&manifests.inputs, may_name(&manifests))?;
    if let Some(config) = survey.config.as_deref().filter(|_| in_build) {
        manifests.inputs = manifests.inputs.into_iter().map(Input::from_kustomize).collect();
        survey.results = results_in_build(&manifests.inputs, config)?;
    }
    manifests.warnings += verbosity.print_results(&survey.results, &manifests.inputs)?;
    Ok((survey, manifests))
}

impl Init {
    /// The arguments of this command before PATH.
    fn command(&self) -> String {
        match &self.overlay {
            Some(folder) => format!("{INIT} --overlay {}", shell_path(folder)),
            None if self.to.as_os_str() == "hostnet.yaml" => INIT.to_owned(),
            None => format!("{INIT} --to {}", shell_path(&self.to)),
        }
    }

    /// Error for an input without a workload to move, with the next command. `rows` are listeners that no call leads to.
    fn no_config(&self, coverage: &Coverage, changed: &[Changed], rows: &[PortRow]) -> String {
        let (run, why) = match (coverage.charts_command(), changed, coverage.dump_command()) {
            (Some((_, charts)), ..) => (
                format!("run `{charts}`, then `hostnet init rendered`"),
                "the workloads may be in the charts, which were not read",
            ),
            (None, [_, ..], _) => (
                format!("run `hostnet {} {}`", self.command(), build_arguments(&self.paths, changed)),
                "the build of the kustomization differs from the files that were read",
            ),
            (None, [], Some(dump)) => (
                format!("run `{dump} | hostnet {} -`", self.command()),
                "operators create the workloads in the cluster",
            ),
            (None, [], None) if !rows.is_empty() => {
                ("write a config that selects workloads by name".to_owned(), "no call of the API server leads to one")
            }
            (None, [], None) => (
                "give the manifests of the workloads and of what calls them".to_owned(),
                "the input has no workload that listens",
            ),
        };
        format!("{run}: no config was written, because {why}")
    }

    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let base = self.overlay.is_some().then(|| overlay::base(&self.paths)).transpose()?;
        let (given, command) = (Given::reading(&self.paths, false, self.build), self.command());
        let (survey, Manifests { warnings, coverage, changed, kustomizations, .. }) =
            survey_and_draft_config(given, &command, self.overlay.is_some(), self.verbosity, |manifests| {
                // Object names in the build may differ from the names in the files.
                self.overlay.is_none() || manifests.changed.is_empty()
            })?;
        // A second `init` would refuse to write the file again.
        let next = if survey.config.is_some() { "ports" } else { &command };
        self.verbosity.note(&changed_builds_note(&changed, &given, next))?;
        // Errors in a build refer to lines of the config, so the config is written despite errors.
        let fails_in_build = self.overlay.is_some()
            && survey.config.is_some()
            && survey.results.iter().any(|result| result.severity == Severity::Error);
        if !fails_in_build && self.verbosity.stops(&survey.results, warnings)? {
            self.verbosity.print_summary_with_coverage(Vec::new(), &coverage, &survey.results, warnings)?;
            return Ok(self.verbosity.stopped());
        }
        let Some(config) = survey.config else {
            print_stderr(&nothing_called(&survey.rows, survey.has_callers, &survey.addresses, !changed.is_empty()))?;
            self.verbosity.rendered(&coverage)?;
            bail!("{}", self.no_config(&coverage, &changed, &survey.rows));
        };
        if let Some((folder, base)) = self.overlay.as_deref().zip(base) {
            overlay::write(folder, base, &config)?;
            let (place, build) =
                (shown_path(folder), format!("kustomize build --enable-alpha-plugins {}", shell_path(folder)));
            if fails_in_build {
                print_stderr(&format!(
                    "error: {place} is written, and `{build}` fails with these errors: solve them first\n"
                ))?;
            } else {
                self.verbosity.note(&format!("info: {place} is written; build it with `{build}`\n"))?;
            }
        } else if self.to.as_os_str() == "-" {
            print(&config)?;
        } else {
            self.create_file(&config)?;
            let flag = match self.to.to_str() {
                Some("hostnet.yaml" | ".hostnet.yaml") => String::new(),
                _ => format!("-c {} ", shell_path(&self.to)),
            };
            let patched = patches_of(&survey.rows, &changed);
            let next = next_apply_command(Given::new(&self.paths, false, self.build), &flag, &patched, &kustomizations);
            self.verbosity.note(&format!("info: {} is written; look at `{next}` next\n", shown_path(&self.to)))?;
        }
        self.verbosity.print_summary_with_coverage(Vec::new(), &coverage, &survey.results, warnings)?;
        Ok(if fails_in_build { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// Writes the config to a new file.
    fn create_file(&self, config: &str) -> anyhow::Result<()> {
        let place = || shown_path(&self.to);
        match in_place::create(&self.to, config) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                bail!("{} already exists and is not overwritten: remove it, or give --to FILE", place())
            }
            created => created.with_context(place),
        }
    }
}
