//! The commands: each a few lines that call the library.

mod explain;
mod patch;
mod ports;
mod progress;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, CommandFactory, Parser, Subcommand};

use self::progress::Progress;
use crate::api::{Config, KINDS, function_definition, json_schema, no_config};
use crate::kinds::host_network::{self, Run, config_result, only_results};
use crate::render::catalog;
use crate::render::report::report;
use crate::wire::{Form, Input, Origin, diff, files, in_place, plugin};
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
}

/// Print the JSON Schema of the config kinds.
#[derive(Debug, Args)]
struct Schema {
    /// Print a KRMFunctionDefinition instead.
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
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[OsString]) -> anyhow::Result<ExitCode> {
    if let Some(config) = plugin::config_of_call(args) {
        return apply_to_stdin(Some(&config), false, Shown::Output);
    }
    if args.len() <= 1 {
        // The KRM function: no arguments to read, so no time spent on them.
        return apply_to_stdin(None, false, Shown::Output);
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            error.print()?;
            return Ok(ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)));
        }
    };
    match cli.command {
        None => {
            Cli::command().print_help()?;
            Ok(ExitCode::from(2))
        }
        Some(Command::Apply(apply)) => apply.run(),
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
        if stdin {
            let shown = match (self.diff, self.check) {
                (true, _) => Shown::Diff,
                (_, true) => Shown::Nothing,
                _ => Shown::Output,
            };
            return apply_to_stdin(self.config.as_deref(), self.verbose, shown);
        }
        self.apply_to_files()
    }

    fn apply_to_files(&self) -> anyhow::Result<ExitCode> {
        let Some(config) = &self.config else { bail!(no_config()) };
        let config_text = read_config(config)?;
        let inputs = read_inputs(&self.paths, self.sources, config, "apply -c CONFIG")?;
        // A diff and a check are of what would be written in place.
        let in_place = self.in_place || self.diff || self.check;
        let inputs = if in_place { files::in_place(inputs) } else { inputs };
        let config = Config::read(&config_text, &config.display().to_string(), 1)?;
        let progress = Progress::start();
        progress.at(|| format!("looking at the input ({} files)", inputs.len()));
        let run = host_network::run(&inputs, &config, self.verbose)?;
        drop(progress);
        say(&report(&run.results, self.verbose))?;
        if run.failed() {
            return Ok(ExitCode::FAILURE);
        }
        if self.in_place {
            in_place::write(&inputs, &run.splices)?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.diff {
            let mut out = std::io::stdout().lock();
            diff::write(&inputs, &run.splices, &mut out)?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.check {
            let changed = inputs.iter().zip(&run.splices).filter(|(input, splices)| input.is_changed_by(splices));
            for (input, _) in changed.filter(|_| run.changes) {
                say(&format!("{}: would change\n", input.origin()))?;
            }
            return Ok(if run.changes { ExitCode::FAILURE } else { ExitCode::SUCCESS });
        }
        write_all(&inputs, &run.splices)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Reads files and folders, or standard input for `-` and for nothing. `command` are the arguments that the call needs
/// when it gets its input from another program.
fn read_inputs(paths: &[PathBuf], sources: bool, config: &Path, command: &str) -> anyhow::Result<Vec<Input>> {
    if paths.is_empty() || paths == [Path::new("-")] {
        return Ok(vec![Input::read(Origin::stdin(), read_stdin()?)?]);
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
        progress.at(|| format!("reading file {} of {count}: {}", index + 1, path.display()));
        // The config may lie among the manifests; it is none.
        if same_file(&path, config) {
            continue;
        }
        let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
        inputs.push(Input::read(Origin::file(path), bytes)?);
    }
    Ok(inputs)
}

fn read_stdin() -> anyhow::Result<Vec<u8>> {
    // Room for what most renders need: without it the first bytes are asked for in small pieces.
    let mut bytes = Vec::with_capacity(1 << 15);
    std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
    Ok(bytes)
}

/// What standard output gets of standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// The manifests, with their changes.
    Output,
    /// What changes (`--diff`).
    Diff,
    /// Nothing: that something would change is the exit code (`--check`).
    Nothing,
}

/// Reads standard input, writes standard output. An envelope comes back with the results even when the run failed.
fn apply_to_stdin(config: Option<&Path>, verbose: bool, shown: Shown) -> anyhow::Result<ExitCode> {
    let inputs = [Input::read(Origin::stdin(), read_stdin()?)?];
    let [input] = &inputs;
    let config = match (config, input.function_config()) {
        (Some(path), _) => Config::read(&read_config(path)?, &path.display().to_string(), 1).map_err(Into::into),
        (None, Some(config)) => Config::read(config.text, "functionConfig", config.line).map_err(Into::into),
        (None, None) => Err(anyhow::Error::msg(no_config())),
    };
    let progress = Progress::start();
    progress.at(|| "looking at standard input".to_owned());
    let run = config.and_then(|config| Ok(host_network::run(&inputs, &config, verbose)?));
    drop(progress);
    let run = match run {
        Ok(run) => run,
        // An input that cannot be read has no place for results.
        Err(error) if error.downcast_ref::<host_network::RunError>().is_some_and(host_network::RunError::is_read) => {
            return Err(error);
        }
        Err(error) => {
            let results = vec![config_result(format!("{error:#}"))];
            Run { splices: only_results(&inputs, &results), results, changes: false }
        }
    };
    say(&report(&run.results, verbose))?;
    for warning in input.warnings() {
        say(&format!("warning: {}:{}: {}\n", input.origin(), warning.line, warning.message))?;
    }
    match shown {
        Shown::Output if !run.failed() || input.form() == Form::ResourceList => write_all(&inputs, &run.splices)?,
        Shown::Diff if !run.failed() => diff::write(&inputs, &run.splices, &mut std::io::stdout().lock())?,
        Shown::Output | Shown::Diff | Shown::Nothing => {}
    }
    let fails = run.failed() || (shown == Shown::Nothing && run.changes);
    let code = if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    // The process ends here: giving back a large input piece by piece would only take time.
    std::mem::forget((inputs, run));
    Ok(code)
}

fn read_config(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("config {}", path.display()))?;
    String::from_utf8(bytes).with_context(|| format!("config {}: no UTF-8 text", path.display()))
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Writes all inputs with their changes to standard output, several as one stream.
fn write_all(inputs: &[Input], splices: &[Vec<Splice>]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
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

fn say(text: &str) -> anyhow::Result<()> {
    std::io::stderr().write_all(text.as_bytes()).context("standard error")
}

fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl Schema {
    fn run(&self) -> anyhow::Result<ExitCode> {
        if self.function_definition {
            return print(&serde_saphyr::to_string(&function_definition())?);
        }
        print(&format!("{}\n", serde_json::to_string_pretty(&json_schema())?))
    }
}

impl Install {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let exe = std::env::current_exe().context("where this binary is")?;
        let placed = plugin::install(&self.kustomize_plugin, &exe, &KINDS)?;
        let lines: Vec<String> = placed.iter().map(|path| path.display().to_string()).collect();
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
