//! `hostnet ports`: prints the listeners of selected workloads, or of workloads that the API server calls.

mod all;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::build::Build;
use super::config_file::{ConfigFile, ConfigText};
use super::init::survey_and_draft_config;
use super::input::{Given, Manifests, next_apply_command, quoted, read_inputs, with_config};
use super::patched_ports::patches_of;
use super::reports::{self, Formats, Output, ReportRoot, ResultFormat, write_results};
use super::source_numbers::other_name_notes;
use super::streams::coloured;
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::{FailOn, HOST_NETWORK, HostNetworkConfig};
use crate::host_network::PortRow;
use crate::kinds::coverage::Coverage;
use crate::kinds::draft::{unselected_called_listeners, warn_of_self_registering};
use crate::kinds::host_network;
use crate::render::summary::many;
use crate::render::{Diagnostic, colour, ports, survey};
use krm::functions::ListedConfig;
use krm::{Input, json_text, shown_lines, shown_path};

/// Show the listeners of the selected workloads: old and new port, the port's setting, and its callers.
///
/// Without a config: the listeners that the API server calls, then a config that moves them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet ports manifests/
  hostnet ports -c hostnet.yaml --called -o ranges manifests/
  hostnet ports -c hostnet.yaml --all -o html=ports.html manifests/")]
pub(super) struct Ports {
    #[command(flatten)]
    config: ConfigFile,
    /// Files, folders, or `-` for standard input (default).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Show the listeners as `text` (default), `markdown`, `json` or `ranges` (numbers only), with `--all` also as
    /// `html` (one page), on standard output or in FILE; `sarif` and `github` report the findings about them. May be
    /// given more than once.
    #[arg(short, long, value_name = "FORMAT[=FILE]", hide_possible_values = true, value_parser = Formats::<PortsFormat>::new())]
    output: Vec<Output<PortsFormat>>,
    #[command(flatten)]
    from: ReportRoot,
    /// Show only listeners that the API server must reach, and that the firewalls of nodes must therefore allow.
    #[arg(long)]
    called: bool,
    /// Show all users of the nodes' ports: selected and other pods, node ports of Services, processes of the nodes, and
    /// numbers of the config; by node group if nodes are known.
    #[arg(long)]
    all: bool,
    /// The default without --build; earlier versions needed it.
    #[arg(long, hide = true)]
    sources: bool,
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    verbosity: Verbosity,
}

/// Output format of the listeners, or of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PortsFormat {
    Text,
    Markdown,
    Json,
    Ranges,
    Html,
    Sarif,
    Github,
}

impl PortsFormat {
    /// Format for results; `None` if the value shows listeners.
    fn results(self) -> Option<ResultFormat> {
        match self {
            Self::Text | Self::Markdown | Self::Json | Self::Ranges | Self::Html => None,
            Self::Sarif => Some(ResultFormat::Sarif),
            Self::Github => Some(ResultFormat::Github),
        }
    }
}

/// A config and the listeners of its input.
pub(super) struct PortDecisions {
    pub(super) file: ConfigText,
    pub(super) config: HostNetworkConfig,
    pub(super) rows: Vec<PortRow>,
    pub(super) inputs: Vec<Input>,
    pub(super) results: Vec<Diagnostic>,
    /// Number of warnings printed about files.
    pub(super) warnings: usize,
    pub(super) coverage: Coverage,
    /// True if errors, or warnings with `--strict` or `failOn: Warning`, stop the command; already reported.
    pub(super) stops: bool,
}

/// Severity from which on a config makes a run fail.
pub(super) fn fail_on_of(config: &HostNetworkConfig) -> FailOn {
    config.host_network.spec.fail_on
}

impl PortDecisions {
    /// Returns `self`, or `None` if the command is stopped.
    pub(super) fn none_if_stopped(self) -> Option<Self> {
        (!self.stops).then_some(self)
    }
}

/// Decides the listeners of a config. `fail_on` returns the severity of the config that stops the command.
pub(super) fn decide(
    file: ConfigText,
    given: Given<'_>,
    unrecorded: bool,
    (command, fail_on): (&str, fn(&HostNetworkConfig) -> FailOn),
    verbosity: Verbosity,
) -> anyhow::Result<PortDecisions> {
    let functions = ListedConfig::all_of(&file.text);
    let given = Given { functions: &functions, ..given };
    let mut manifests = read_inputs(given, Some(&file.path), command, verbosity)?;
    let arguments = given.build.map(|_| with_config(command, Some(&file.path)));
    for (severity, line) in other_name_notes((&file.path, &manifests.inputs), &manifests.changed, arguments.as_deref())
    {
        verbosity.note(&format!("{severity}: {line}\n"))?;
        manifests.warnings += usize::from(severity == "warning");
    }
    let config = HostNetworkConfig::read(&file.text, &shown_path(&file.path), 1)?;
    let coverage = manifests.coverage.with_templates(&config.host_network.spec.templates);
    let inputs = manifests.inputs;
    let (rows, mut results) = host_network::ports(&inputs, &config, unrecorded)?;
    if !unrecorded {
        warn_of_self_registering(&mut results);
    }
    let warnings = manifests.warnings + verbosity.print_results(&results, &inputs)?;
    let stops = verbosity.has_stopping_results(fail_on(&config), &results, warnings)?;
    if stops {
        verbosity.print_summary_with_coverage(Vec::new(), &coverage, &results, warnings)?;
    }
    Ok(PortDecisions { file, config, rows, inputs, results, warnings, coverage, stops })
}

impl Ports {
    /// Arguments about the input.
    fn given(&self) -> Given<'_> {
        Given { skips_unreadable: true, ..Given::reading(&self.paths, self.sources, self.build) }
    }

    /// True if an output consists only of numbers, for firewalls.
    fn needs_numbers(&self) -> bool {
        self.output.iter().any(|output| output.format == PortsFormat::Ranges)
    }

    /// True if a stopped run must print no listeners.
    fn needs_final_numbers(&self) -> bool {
        self.verbosity.is_strict() || self.needs_numbers()
    }

    /// The exit code of a run that prints no listeners because of errors; `None` if it prints them.
    fn without_numbers(&self, decided: &PortDecisions) -> Option<ExitCode> {
        let fails = decided.stops || decided.coverage.is_broken();
        (fails && self.needs_final_numbers()).then(|| self.verbosity.ended(true, &decided.coverage))
    }

    /// Requested formats of listeners, by default `text`.
    fn requested_formats(&self) -> Vec<Output<PortsFormat>> {
        if self.output.is_empty() {
            return vec![Output { format: PortsFormat::Text, file: None }];
        }
        self.output.iter().filter(|output| output.results().is_none()).cloned().collect()
    }

    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        reports::check(&self.output, None, self.paths.iter().chain(&self.config.config))?;
        if !self.all && self.output.iter().any(|output| output.format == PortsFormat::Html) {
            usage!("`-o html` is a page of all holders of ports: add `--all`");
        }
        let Some(file) = self.config.read(&[HOST_NETWORK], &self.paths, self.verbosity)? else {
            return if self.all { self.run_all_without_config() } else { self.survey() };
        };
        let all = if self.all { " --all" } else { "" };
        let called = if self.called { " --called" } else { "" };
        let ranges = if self.needs_numbers() { " -o ranges" } else { "" };
        let command = &format!("ports{all} -c CONFIG{called}{ranges}");
        let given = Given { needs_build: self.needs_numbers(), ..self.given() };
        if self.all {
            return self.all(file, given, command);
        }
        let decided = decide(file, given, false, (command, fail_on_of), self.verbosity)?;
        // Errors are also reported; there are no listeners then.
        self.write_reports(&decided.results, &decided.inputs)?;
        if let Some(code) = self.without_numbers(&decided) {
            return Ok(code);
        }
        let PortDecisions { mut rows, results, inputs, warnings, coverage, stops, .. } = decided;
        let not_selected = if self.called { Vec::new() } else { unselected_called_listeners(&inputs, &rows)? };
        rows.retain(|row| !row.is_left && (!self.called || row.is_called()));
        self.print(&rows, &(ports::text(&rows) + &survey::not_selected(&not_selected)))?;
        if stops {
            return Ok(self.verbosity.ended(true, &coverage));
        }
        self.end(&rows, "called by the API server", &results, warnings, &coverage)
    }

    /// Output without a config.
    fn survey(&self) -> anyhow::Result<ExitCode> {
        let (survey, Manifests { inputs, warnings, coverage, changed, kustomizations, .. }) =
            survey_and_draft_config(self.given(), "ports", false, self.verbosity, |_| true)?;
        let stops = self.verbosity.stops(&survey.results, warnings)?;
        if (stops || coverage.is_broken()) && self.needs_final_numbers() {
            self.verbosity.print_summary_with_coverage(Vec::new(), &coverage, &survey.results, warnings)?;
            return Ok(self.verbosity.ended(true, &coverage));
        }
        let mut rows = survey.rows;
        rows.retain(|row| !self.called || row.is_called());
        let mut text = match survey.called {
            true => survey::called(&rows),
            false => survey::nothing_called(&rows, survey.has_callers, &survey.addresses, !changed.is_empty()),
        };
        if let Some(config) = &survey.config {
            let next = next_apply_command(self.given(), "", &patches_of(&rows, &changed), &kustomizations);
            let called = if survey.called { &rows[..] } else { &[] };
            text += &survey::next(config, called, &quoted(self.given()), &next);
        }
        // Without a config nothing moves.
        rows.iter_mut().for_each(PortRow::keep);
        self.write_reports(&survey.results, &inputs)?;
        self.print(&rows, &text)?;
        if stops {
            self.verbosity.print_summary_with_coverage(Vec::new(), &coverage, &survey.results, warnings)?;
            return Ok(self.verbosity.ended(true, &coverage));
        }
        let by_role = !survey.called && rows.iter().any(PortRow::is_called);
        let called = if by_role { "with the role of a webhook or API" } else { "called by the API server" };
        self.end(&rows, called, &survey.results, warnings, &coverage)
    }

    /// Prints the summary, and returns the exit code. `called_words` describe the called listeners.
    fn end(
        &self,
        rows: &[PortRow],
        called_words: &str,
        results: &[Diagnostic],
        warnings: usize,
        coverage: &Coverage,
    ) -> anyhow::Result<ExitCode> {
        let mut workloads: Vec<&str> = rows.iter().map(|row| row.workload.as_str()).collect();
        workloads.dedup();
        let called = rows.iter().filter(|row| row.is_called()).count();
        let done =
            vec![many(workloads.len(), "workload"), many(rows.len(), "listener"), format!("{called} {called_words}")];
        self.verbosity.print_summary_with_coverage(done, coverage, results, warnings)?;
        Ok(self.verbosity.ended(false, coverage))
    }

    /// Writes the listeners in the requested formats, by default as `text`.
    fn print(&self, rows: &[PortRow], text: &str) -> anyhow::Result<()> {
        reports::write(&self.requested_formats(), |output| {
            Ok(match output.format {
                PortsFormat::Text if output.file.is_none() => coloured(shown_lines(text).into_owned(), colour::table),
                PortsFormat::Text => shown_lines(text).into_owned(),
                PortsFormat::Markdown => shown_lines(&ports::markdown(rows)).into_owned(),
                PortsFormat::Json => json_text(&ports::json(rows)),
                PortsFormat::Ranges => ports::ranges(rows),
                PortsFormat::Html | PortsFormat::Sarif | PortsFormat::Github => String::new(),
            })
        })
    }

    /// Writes results in the formats of reports.
    fn write_reports(&self, results: &[Diagnostic], inputs: &[Input]) -> anyhow::Result<()> {
        let outputs: Vec<Output<ResultFormat>> = self.output.iter().filter_map(Output::results).collect();
        write_results(&outputs, &self.from, results, inputs, None)
    }
}

impl Output<PortsFormat> {
    /// The output as a report of results; `None` if it shows listeners.
    fn results(&self) -> Option<Output<ResultFormat>> {
        self.format.results().map(|format| Output { format, file: self.file.clone() })
    }
}
