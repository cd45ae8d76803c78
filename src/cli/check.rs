//! `hostnet check`: finds errors of host networking in manifests as they are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};

use super::build::Build;
use super::config_file;
use super::fails::Fails;
use super::input::{
    ConfigFiles, Given, bytes, changed_builds_line, changed_builds_note, only_config_given_error, quoted, read_config,
    read_standard_input, refuse_url, size, skipped_file_note_lines, with_config,
};
use super::output::write_all;
use super::patched_ports::{patched_ports, port_names};
use super::progress::Progress;
use super::reports::{self, Formats, Output, ReportRoot, ResultFormat, attach_file_hashes};
use super::streams::{coloured, print, print_stderr};
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::{ApiServer, Day, HOST_NETWORK_CHECK, is_version, kinds_in};
use crate::kinds::check::{Configs, KINDS as CHECK_KINDS, compare, policies, run, set_source_places};
use crate::kinds::coverage::{Coverage, no_checkable_object};
use crate::kinds::readable::without_templates;
use crate::kinds::{config_results, may_be_build, splices_with_only_results};
use crate::kustomize::plugin;
use crate::render::check::{Report, errors, screen, text};
use crate::render::report::format_results as lines;
use crate::render::summary::many;
use crate::render::{Diagnostic, colour};
use crate::rule::Severity;
use krm::files::Absent;
use krm::kustomization::Changed;
use krm::{Form, Input, Origin, ReadError, files, shown_lines, shown_path};

/// Check the host networking of manifests as written; change nothing.
///
/// Without a config everything is checked, with the severities of the rules. Exit codes: 0 no finding at or above
/// `failOn`; 1 such a finding, or an unreadable input; 2 wrong usage.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet check manifests/
  kustomize build deploy | hostnet check -c check.yaml -o github -
  hostnet check -o html=report.html manifests/
  hostnet check --as policy -c check.yaml | kubectl apply -f -")]
pub(super) struct Check {
    /// A `HostNetworkCheck`, a `HostNetwork` (of which ports, programs, kinds, nodes, `suppress` and `crossplane` are
    /// used), or both: one document each, in one file or several. Default with a PATH: `hostnet.yaml` or
    /// `.hostnet.yaml` of the working folder, or of the nearest folder above it in the same git repository.
    #[arg(short, long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// Files, folders (*.yaml, *.yml, *.json; of kustomizations the files that they list), or `-` for standard input.
    #[arg(value_name = "PATH", required_unless_present = "form")]
    paths: Vec<PathBuf>,
    /// Print only errors, and no summary line.
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Show every finding in full, including information.
    #[arg(short, long)]
    verbose: bool,
    /// The network that the API server reaches: `inside` (pods and nodes) or `outside` (only nodes, so that everything
    /// it calls must be on the host network). Overrides `apiServer` of a config.
    #[arg(long, value_name = "WHERE", value_enum, hide_possible_values = true)]
    api_server: Option<ApiServerFlag>,
    /// The version of OpenKruise in the cluster, such as `v1.8.4`. Overrides `versions.openkruise` of a config.
    #[arg(long, value_name = "VERSION", value_parser = kruise_version)]
    kruise: Option<String>,
    /// Report the findings as `text`, `json`, `html` (one page), `sarif` (for code scanning) or `github` (commands for
    /// its runners), on standard output or in FILE. May be given more than once. Default: text; for a ResourceList the
    /// list with results, and text on standard error.
    #[arg(short, long, value_name = "FORMAT[=FILE]", hide_possible_values = true, value_parser = Formats::<ResultFormat>::new())]
    output: Vec<Output<ResultFormat>>,
    /// Print the check as ValidatingAdmissionPolicies, with which the API server checks every write itself. They need
    /// Kubernetes v1.30.
    #[arg(long = "as", value_enum, value_name = "FORM", conflicts_with_all = ["paths", "output", "baseline", "quiet", "api_server", "kruise"])]
    form: Option<As>,
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    fails: Fails,
    /// An earlier report, as `json` or `sarif`: its findings are known, and do not fail the run.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    from: ReportRoot,
}

/// Output of a check other than a report.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum As {
    /// ValidatingAdmissionPolicies and their bindings.
    Policy,
}

/// Values of `--api-server`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ApiServerFlag {
    Inside,
    Outside,
}

/// Accepts a version such as `v1.8.4`.
fn kruise_version(text: &str) -> Result<String, String> {
    if is_version(text) { Ok(text.to_owned()) } else { Err("write a version, such as `v1.8.4`".to_owned()) }
}

/// Files of a command line.
#[derive(Default)]
struct ReadFiles {
    inputs: Vec<Input>,
    /// Files that are not text.
    unread: Vec<ReadError>,
    /// Charts of kustomizations, each with the command that renders it.
    absent: Vec<(String, Absent)>,
    /// Chart folders.
    chart_folders: Vec<PathBuf>,
    /// Folders to which source paths in builds are relative.
    origins: Vec<PathBuf>,
    /// Names of container ports in patches of kustomizations.
    patched_ports: BTreeSet<String>,
    /// Kustomization fields that are not read, and missing or broken files, each with its message lines.
    left_out: Vec<(String, Vec<String>)>,
}

impl ReadFiles {
    /// Reads standard input.
    fn stdin() -> anyhow::Result<Self> {
        Ok(Self { inputs: vec![read_standard_input()?], ..Self::default() }.without_templates())
    }

    /// Counts templates as unreadable: they have no values to check.
    fn without_templates(mut self) -> Self {
        self.unread.extend(without_templates(&mut self.inputs));
        self
    }
}

impl Check {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let stdin = self.paths.iter().any(|path| path.as_os_str() == "-");
        if stdin && self.paths.len() > 1 {
            usage!("`-` means standard input and cannot be combined with another PATH");
        }
        reports::check(&self.output, None, self.paths.iter().chain(&self.config).chain(&self.baseline))?;
        let api_server = self.api_server.map(|given| match given {
            ApiServerFlag::Inside => ApiServer::Inside,
            ApiServerFlag::Outside => ApiServer::Outside,
        });
        let mut configs = Configs { api_server, openkruise: self.kruise.clone(), ..Configs::default() };
        // A ResourceList on standard input contains its config.
        let found = if self.config.is_empty() && !stdin { config_file::found()? } else { None };
        for config in &self.config {
            let text = read_config(config)?;
            self.warn_of_unused_kinds(&text, config)?;
            configs.add(&text, &shown_path(config))?;
        }
        if let Some(found) = &found {
            let text = read_config(found)?;
            // Configs of other kinds do not affect a check.
            let kinds = kinds_in(&text);
            if kinds.is_empty() || kinds.iter().any(|kind| CHECK_KINDS.contains(kind)) {
                self.note(&format!("info: the config is {}\n", shown_path(found)))?;
                self.warn_of_unused_kinds(&text, found)?;
                configs.add(&text, &shown_path(found))?;
            }
        }
        if let Some(As::Policy) = self.form {
            if self.fails.fail_on_from_flags().is_some() {
                usage!(
                    "--strict and --fail-on apply to reports: for policies write `failOn` into the HostNetworkCheck"
                );
            }
            return print(&policies(&configs, Day::today())?);
        }
        let named: Vec<&Path> = self.config.iter().chain(&found).map(PathBuf::as_path).collect();
        let files = if stdin { ReadFiles::stdin()? } else { self.read_files(&named)? };
        let ReadFiles { mut inputs, mut unread, absent, chart_folders, origins, left_out, patched_ports } = files;
        let (coverage, error) = Coverage::readable(&inputs);
        unread.extend(error.or_else(|| no_checkable_object(&inputs)));
        let rows = configs.host_network.as_ref().map_or(&[][..], |config| &config.host_network.spec.templates);
        let coverage =
            coverage.with_absent(&absent, &inputs).with_chart_folders(&chart_folders, &inputs).with_templates(rows);
        let coverage =
            coverage.with_paths(if stdin { "-".to_owned() } else { quoted(Given::files(&self.paths, false)) });
        if let ([input], true) = (inputs.as_slice(), self.output.is_empty() && self.baseline.is_none())
            && input.form() == Form::ResourceList
        {
            return function(inputs, configs, self.verbose, self.fails);
        }
        configs.patched_ports = patched_ports;
        let progress = Progress::work("checking", bytes(&inputs));
        let mut report = run(&mut inputs, unread, &configs, Day::today())?;
        drop(progress);
        if let Some(origins) = origins.first() {
            set_source_places(&mut report, origins, &inputs);
        }
        let mut unrendered = coverage.unrendered();
        report.rendered = coverage.rendered();
        for (part, lines) in left_out {
            unrendered.push(part);
            report.rendered.extend(lines);
        }
        report.not_read = [coverage.parts(), unrendered.clone()].concat();
        let failing = [coverage.without_object(), unrendered].concat();
        if let Some(fail_on) = self.fails.fail_on_from_flags() {
            report.fail_from(fail_on);
            // Unread input counts as a warning.
            report.unread_fails = fail_on.fails(Severity::Warning) && !failing.is_empty();
        }
        if let Some(path) = &self.baseline {
            let former = std::fs::read_to_string(path).with_context(|| format!("baseline {}", shown_path(path)))?;
            compare(&mut report, &former, &shown_path(path))?;
        }
        if self.output.iter().any(|output| output.format == ResultFormat::Sarif) {
            attach_file_hashes(&mut report, &inputs);
        }
        let default = [Output { format: ResultFormat::Text, file: None }];
        let outputs = if self.output.is_empty() { &default[..] } else { &self.output };
        let root = self.from.root()?;
        let text_of_output = |output: &Output<ResultFormat>| match output {
            // The compact form is for terminals; files contain all findings.
            Output { format: ResultFormat::Text, file: None } => {
                let text = match (self.quiet, self.verbose) {
                    (true, _) => errors(&report),
                    (_, true) => text(&report),
                    _ => screen(&report),
                };
                Ok(coloured(shown_lines(&text).into_owned(), colour::messages))
            }
            output => output.format.text(&report, &root),
        };
        reports::write(outputs, text_of_output)?;
        if report.unread_fails {
            print_stderr(&format!(
                "error: not read: {}, which `{}` does not allow\n",
                failing.join(", "),
                self.fails.warning_failure_option()
            ))?;
        }
        Ok(code(&report))
    }

    /// Prints a message that is not a finding.
    fn note(&self, text: &str) -> anyhow::Result<()> {
        if self.quiet { Ok(()) } else { print_stderr(text) }
    }

    /// Warns about config kinds that a check does not use.
    fn warn_of_unused_kinds(&self, config: &str, path: &Path) -> anyhow::Result<()> {
        for kind in kinds_in(config).into_iter().filter(|kind| self.verbose && !CHECK_KINDS.contains(kind)) {
            print_stderr(&format!("info: {} has a {kind} too, which this command does not use\n", shown_path(path)))?;
        }
        Ok(())
    }

    /// Reads the inputs, unreadable files, and absent parts of kustomizations.
    fn read_files(&self, configs: &[&Path]) -> anyhow::Result<ReadFiles> {
        let given = Given::reading(&self.paths, false, self.build);
        let command =
            with_config(if configs.is_empty() { "check" } else { "check -c CONFIG" }, configs.first().copied());
        let (built, paths) = given.built(&command, Verbosity::default())?;
        refuse_url(&paths, &command)?;
        let found = files::collect_readable(&paths, given.sources, &format!("hostnet {command} -"));
        let (found, mut unread) = found.map_err(|error| given.with_flag_advice(error, &command))?;
        for note in skipped_file_note_lines(&found.notes, self.verbose) {
            self.note(&note)?;
        }
        let patched: Vec<Changed> = found.changed.iter().filter(|changed| changed.patches).cloned().collect();
        let mut left_out = Vec::new();
        match changed_builds_line(&patched, &given, &command) {
            Some(line) => left_out.push((format!("changes of {}", many(patched.len(), "kustomization")), vec![line])),
            None => self.note(&changed_builds_note(&found.changed, &given, &command))?,
        }
        if !found.unread.is_empty() {
            left_out.push((many(found.unread.len(), "missing or broken file"), found.unread));
        }
        for warning in &found.warnings {
            self.note(&format!("warning: {warning}\n"))?;
        }
        let origins = built.iter().filter_map(|built| built.origins.clone()).collect();
        let mut inputs: Vec<Input> = built.into_iter().map(|built| built.input).collect();
        let progress = Progress::files(size(&found.paths));
        let config_files = ConfigFiles::new(configs.iter().copied());
        for path in found.paths {
            progress.show_file(|| shown_path(&path));
            if config_files.has(&path) {
                continue;
            }
            let bytes = match std::fs::read(&path) {
                Ok(bytes) => bytes,
                Err(error) => {
                    unread.push(ReadError::of_file(&path, &error));
                    continue;
                }
            };
            progress.read(bytes.len());
            match Input::read(Origin::file(path), bytes) {
                Ok(input) => inputs.push(input),
                Err(error) => unread.push(error),
            }
        }
        if inputs.is_empty() && unread.is_empty() {
            return Err(only_config_given_error(configs.first().copied()).into());
        }
        let patched_ports = port_names(&patched_ports(&found.changed));
        let (absent, chart_folders) = (found.absent, found.chart_folders);
        let files = ReadFiles { inputs, unread, absent, chart_folders, origins, patched_ports, left_out };
        Ok(files.without_templates())
    }
}

/// Exit code of a report.
fn code(report: &Report) -> ExitCode {
    if report.fails() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// True if a function config is for the check command.
pub(super) fn is_check(config: &str) -> bool {
    kinds_in(config).contains(&HOST_NETWORK_CHECK)
}

/// Runs a check as a function: objects are written unchanged, a `ResourceList` with results. Findings are also printed
/// on standard error.
pub(super) fn function(
    mut inputs: Vec<Input>,
    mut configs: Configs,
    verbose: bool,
    fails: Fails,
) -> anyhow::Result<ExitCode> {
    let own = if let [input] = inputs.as_slice() { input.function_config() } else { None };
    let added = match own {
        Some(own) if configs.check.is_none() => configs.add_function_config(own),
        _ => Ok(()),
    };
    // Unreadable documents of a list are written back unchanged.
    let is_list = matches!(inputs.as_slice(), [input] if input.form() == Form::ResourceList);
    if is_list && let [input] = inputs.as_slice() {
        input.objects(|_, _| ())?;
    }
    let in_kustomize = inputs.iter().any(may_be_build);
    let texts: Vec<Vec<u8>> = inputs.iter().map(|input| input.text().as_bytes().to_vec()).collect();
    let origins: Vec<Origin> = inputs.iter().map(|input| input.origin().clone()).collect();
    let mut result = added.and_then(|()| run(&mut inputs, Vec::new(), &configs, Day::today()));
    if let (Ok(report), Some(fail_on)) = (&mut result, fails.fail_on_from_flags()) {
        report.fail_from(fail_on);
    }
    let (outcomes, fails): (Vec<Diagnostic>, bool) = match result {
        Ok(report) if in_kustomize => {
            let outcomes = report.outcomes();
            print_stderr(&plugin::plain(&lines(&outcomes, false)))?;
            (outcomes, report.fails())
        }
        Ok(report) => {
            print_stderr(&if verbose { text(&report) } else { screen(&report) })?;
            (report.outcomes(), report.fails())
        }
        Err(error) if !is_list => return Err(error.into()),
        Err(error) => {
            let results = config_results(&error);
            print_stderr(&format!("error: {error}\n"))?;
            (results, true)
        }
    };
    let code = if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    if fails && in_kustomize {
        return Ok(code);
    }
    let whole = texts.into_iter().zip(origins).map(|(text, origin)| Input::read(origin, text));
    let whole: Vec<Input> = whole.collect::<Result<_, _>>()?;
    write_all(&whole, &splices_with_only_results(&whole, &outcomes))?;
    Ok(code)
}
