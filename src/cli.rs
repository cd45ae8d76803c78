//! The commands: each a few lines that call the library.

mod check;
mod explain;
mod output;
mod patch;
mod ports;
mod progress;
mod streams;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, CommandFactory, Parser, Subcommand};

use self::output::{ResultOutputs, write_results};
use self::progress::Progress;
use self::streams::{print, read_stdin, say, stdout, tell};
use crate::api::{Config, KINDS, function_definitions, json_schema, no_config};
use crate::kinds::check::Configs;
use crate::kinds::host_network::{self, Run, config_result, only_results};
use crate::render::catalog;
use crate::wire::{Form, Input, Origin, diff, files, in_place, plugin, shown, shown_path};
use crate::yaml::Splice;

/// Moves Kubernetes workloads to the host network, with their ports and every reference to them.
///
/// Without a command it is a KRM function: a ResourceList on standard input, the same on standard output.
#[derive(Debug, Parser)]
#[command(version, name = "hostnet", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Apply(Apply),
    Check(check::Check),
    Ports(ports::Ports),
    Pin(ports::Pin),
    Patch(patch::Patch),
    Schema(Schema),
    Install(Install),
    Explain(explain::Explain),
    Catalog(Catalog),
}

/// Apply a config to a stream, to files or to folders.
///
/// Without PATH, or with `-`, manifests are read from standard input and written to standard output.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
struct Apply {
    /// The config: a HostNetwork, or a ConfigMap with the flat keys that kpt sends. A ResourceList may bring its own.
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Files, folders (*.yaml, *.yml, *.json; .krmignore is respected), or `-`.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write changed files in place: all of them or, when something is wrong, none.
    #[arg(long, conflicts_with_all = ["diff", "check"])]
    in_place: bool,
    /// Show what would change as a unified diff.
    #[arg(long, conflicts_with = "check")]
    diff: bool,
    /// Change nothing; exit with 1 when something would change.
    #[arg(long)]
    check: bool,
    /// In folders with a kustomization, transform the files that it lists as resources and components.
    #[arg(long)]
    sources: bool,
    /// Show every change on standard error, not just errors and warnings.
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    reports: ResultOutputs,
}

/// Print the JSON Schema of the config kinds.
#[derive(Debug, Args)]
struct Schema {
    /// Print a KRMFunctionDefinition of each instead.
    #[arg(long)]
    function_definition: bool,
}

/// Put this binary where a host looks for it.
#[derive(Debug, Args)]
struct Install {
    /// kustomize's plugin home (`KUSTOMIZE_PLUGIN_HOME`).
    #[arg(long, value_name = "DIR", required = true)]
    kustomize_plugin: PathBuf,
}

/// Show what is known of other people's programs: where they listen, and how they are told.
#[derive(Debug, Args)]
struct Catalog {
    /// A program or a project: its entries, as they go under `programs` in a config; without one, a table of all.
    name: Option<String>,
}

/// Runs the command that the arguments say. Exit codes: 0 all was written; 1 an error, or `--check` found a change;
/// 2 wrong usage.
#[must_use]
pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    match run(&args) {
        Ok(code) => code,
        Err(error) => {
            // Nothing can be done when stderr is closed too.
            let _ = say(&format!("error: {error:#}\n"));
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[OsString]) -> anyhow::Result<ExitCode> {
    if let Some(config) = plugin::config_of_call(args) {
        let text = read_config(&config)?;
        let input = read_standard_input()?;
        if check::is_check(&text) {
            let mut configs = Configs::default();
            configs.add(&text, &shown_path(&config), 1)?;
            return check::function(vec![input], configs);
        }
        return apply(&[input], Some((&config, text)), false, Shown::Output, None);
    }
    if args.len() <= 1 {
        // The KRM function: no arguments to read, so no time spent on them.
        let input = read_standard_input()?;
        if input.function_config().is_some_and(|config| check::is_check(config.text)) {
            return check::function(vec![input], Configs::default());
        }
        return apply(&[input], None, false, Shown::Output, None);
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() && args.iter().any(|arg| matches!(shown(&arg.to_string_lossy()), Cow::Owned(_))) {
                // What is not colour is an argument's own.
                say(&error.to_string())?;
            } else {
                drop(if error.use_stderr() { None } else { Some(stdout()?) });
                error.print().context("standard output")?;
            }
            return Ok(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)));
        }
    };
    match cli.command {
        None => {
            Cli::command().print_help()?;
            Ok(ExitCode::from(2))
        }
        Some(Command::Apply(apply)) => apply.run(),
        Some(Command::Check(check)) => check.run(),
        Some(Command::Ports(ports)) => ports.run(),
        Some(Command::Pin(pin)) => pin.run(),
        Some(Command::Patch(patch)) => patch.run(),
        Some(Command::Schema(schema)) => schema.run(),
        Some(Command::Install(install)) => install.run(),
        Some(Command::Explain(explain)) => explain.run(),
        Some(Command::Catalog(catalog)) => catalog.run(),
    }
}

impl Apply {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let stdin = self.paths.is_empty() || self.paths.iter().any(|path| path.as_os_str() == "-");
        if stdin && self.paths.len() > 1 {
            bail!("`-` stands for standard input and goes with no other PATH");
        }
        if stdin && self.in_place {
            bail!("--in-place needs files or folders, and the input is standard input; name them");
        }
        let taken = if self.diff { Some("the diff") } else { Some("the manifests") };
        output::check(&self.reports.output, taken.filter(|_| !self.in_place && !self.check))?;
        let config = self.config.as_deref();
        // A config that is not there is said first.
        let text = config.map(read_config).transpose()?;
        let inputs = read_inputs(&self.paths, self.sources, config, "apply -c CONFIG")?;
        let shown = match (self.in_place, self.diff, self.check) {
            (true, ..) => Shown::InPlace,
            (_, true, _) => Shown::Diff,
            (.., true) => Shown::Nothing,
            _ => Shown::Output,
        };
        // A diff and a check are of what would be written in place.
        let inputs = if shown == Shown::Output { inputs } else { files::in_place(inputs) };
        apply(&inputs, config.zip(text), self.verbose, shown, Some(&self.reports))
    }
}

/// What would change, by name, and as exit code.
fn check(inputs: &[Input], run: &Run) -> anyhow::Result<ExitCode> {
    let changed = inputs.iter().zip(&run.splices).filter(|(input, splices)| input.is_changed_by(splices));
    for (input, _) in changed.filter(|_| run.changes) {
        say(&format!("{}: would change\n", input.origin()))?;
    }
    Ok(if run.changes { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Reads files and folders, or standard input for `-` and for nothing. `command` are the arguments that the call needs
/// when it gets its input from another program.
fn read_inputs(paths: &[PathBuf], sources: bool, config: Option<&Path>, command: &str) -> anyhow::Result<Vec<Input>> {
    if paths.is_empty() || paths == [Path::new("-")] {
        return Ok(vec![read_standard_input()?]);
    }
    let found = files::collect(paths, sources, command)?;
    for note in &found.notes {
        say(&format!("info: {note}\n"))?;
    }
    for warning in &found.warnings {
        say(&format!("warning: {warning}\n"))?;
    }
    let progress = Progress::start();
    let (mut inputs, count) = (Vec::new(), found.paths.len());
    for (index, path) in found.paths.into_iter().enumerate() {
        progress.at(|| format!("reading file {} of {count}: {}", index + 1, shown_path(&path)));
        // The config may lie among the manifests; it is not one of them.
        if config.is_some_and(|config| same_file(&path, config)) {
            continue;
        }
        let bytes = std::fs::read(&path).with_context(|| shown_path(&path))?;
        inputs.push(Input::read(Origin::file(path), bytes)?);
    }
    Ok(inputs)
}

fn read_standard_input() -> anyhow::Result<Input> {
    Ok(Input::read(Origin::stdin(), read_stdin()?)?)
}

/// What becomes of the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// The manifests go to standard output, with their changes.
    Output,
    /// The files are changed (`--in-place`).
    InPlace,
    /// What changes goes to standard output (`--diff`).
    Diff,
    /// Nothing: whether something would change is said and is the exit code (`--check`).
    Nothing,
}

/// Applies a config, given with its text, or what a `ResourceList` brings. An envelope comes back with the results even when
/// the run failed.
fn apply(
    inputs: &[Input],
    config: Option<(&Path, String)>,
    verbose: bool,
    shown: Shown,
    reports: Option<&ResultOutputs>,
) -> anyhow::Result<ExitCode> {
    let own = if let [input] = inputs { input.function_config() } else { None };
    let config = match (config, own) {
        (Some((path, text)), _) => Config::read(&text, &shown_path(path), 1).map_err(Into::into),
        (None, Some(config)) => Config::read(config.text, "functionConfig", config.line).map_err(Into::into),
        (None, None) => Err(anyhow::Error::msg(no_config())),
    };
    let progress = Progress::start();
    progress.at(|| match inputs {
        [input] => format!("looking at {}", input.origin()),
        several => format!("looking at {} files", several.len()),
    });
    let run = config.and_then(|config| Ok(host_network::run(inputs, &config, verbose)?));
    drop(progress);
    let is_list = matches!(inputs, [input] if input.form() == Form::ResourceList);
    let is_read = |error: &anyhow::Error| {
        error.downcast_ref::<host_network::RunError>().is_some_and(host_network::RunError::is_read)
    };
    let run = match run {
        Ok(run) => run,
        // An input that cannot be read, or that is not a list, has no place for results.
        Err(error) if !is_list || is_read(&error) => return Err(error),
        Err(error) => {
            let results = vec![config_result(format!("{error:#}"))];
            Run { splices: only_results(inputs, &results), results, changes: false }
        }
    };
    tell(&run.results, inputs, verbose)?;
    if let Some(reports) = reports {
        write_results(&reports.output, &reports.from, &run.results, inputs)?;
    }
    let mut code = if run.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    match shown {
        Shown::Output if !run.failed() || is_list => write_all(inputs, &run.splices)?,
        Shown::InPlace if !run.failed() => _ = in_place::write(inputs, &run.splices)?,
        Shown::Diff if !run.failed() => {
            diff::write(inputs, &run.splices, &mut stdout()?).context("standard output")?;
        }
        Shown::Nothing if !run.failed() => code = check(inputs, &run)?,
        Shown::Output | Shown::InPlace | Shown::Diff | Shown::Nothing => {}
    }
    Ok(code)
}

fn read_config(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("config {}", shown_path(path)))?;
    String::from_utf8(bytes).with_context(|| format!("config {}: no UTF-8 text", shown_path(path)))
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Writes all inputs with their changes to standard output, several as one stream.
fn write_all(inputs: &[Input], splices: &[Vec<Splice>]) -> anyhow::Result<()> {
    let mut out = stdout()?;
    for (position, (input, splices)) in inputs.iter().zip(splices).enumerate() {
        if position > 0 && !input.text().starts_with("---") {
            out.write_all(b"---\n")?;
        }
        input.write(splices, &mut out).context("standard output")?;
        if position + 1 < inputs.len() && !input.text().ends_with('\n') {
            out.write_all(b"\n")?;
        }
    }
    out.flush().context("standard output")
}

impl Schema {
    fn run(&self) -> anyhow::Result<ExitCode> {
        if self.function_definition {
            let texts: Result<Vec<String>, _> = function_definitions().iter().map(serde_saphyr::to_string).collect();
            return print(&texts?.join("---\n"));
        }
        print(&format!("{}\n", serde_json::to_string_pretty(&json_schema())?))
    }
}

impl Install {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let exe = std::env::current_exe().context("where this binary is")?;
        let placed = plugin::install(&self.kustomize_plugin, &exe, &KINDS)?;
        let lines: Vec<String> = placed.iter().map(|path| shown_path(path)).collect();
        print(&format!("{}\n", lines.join("\n")))
    }
}

impl Catalog {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let Some(name) = &self.name else { return print(&catalog::table()) };
        match catalog::entries(name) {
            Some(text) => print(&text),
            None => bail!(crate::api::unknown_name("program", name, &catalog::names())),
        }
    }
}
