//! `hostnet ports` and `hostnet pin`: the numbers of a config, shown and recorded.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;

use super::output::{self, Format, FromRoot, Output, Results, write_results};
use super::streams::{say, tell};
use super::{read_config, read_inputs};
use crate::api::Config;
use crate::host_network::PortRow;
use crate::kinds::{host_network, pin};
use crate::render::{Diagnostic, ports};
use crate::rule::Severity;
use crate::wire::{Input, Origin, in_place, shown, shown_path};
use crate::yaml::Splice;

/// Show the listeners of the selected workloads: old and new port, how each is told, who calls it.
#[derive(Debug, Args)]
pub(super) struct Ports {
    /// The config.
    #[arg(short, long, value_name = "FILE")]
    config: PathBuf,
    /// Files, folders, or `-` for standard input (default).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Show them as `text` (default), `markdown`, `json` or `ranges` (numbers only), on standard output or in FILE; `sarif` and `github`
    /// report what is said of them. May be given more than once.
    #[arg(short, long, value_name = "FORMAT[=FILE]")]
    output: Vec<Output<Shown>>,
    #[command(flatten)]
    from: FromRoot,
    /// Only those that the API server must reach: what firewalls of the nodes have to let through.
    #[arg(long)]
    called: bool,
    /// In folders with a kustomization, read the files that it lists as resources and components.
    #[arg(long)]
    sources: bool,
}

/// How listeners are shown, or what is said of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Text,
    Markdown,
    Json,
    Ranges,
    Results(Results),
}

impl Format for Shown {
    const ALL: &'static [(&'static str, Self)] = &[
        ("text", Self::Text),
        ("markdown", Self::Markdown),
        ("json", Self::Json),
        ("ranges", Self::Ranges),
        ("sarif", Self::Results(Results::Sarif)),
        ("github", Self::Results(Results::Github)),
    ];
}

/// Record the numbers that `ports: auto` chose in the config's `assigned`.
///
/// The file is changed in place: sorted, comments kept, nothing removed but with --prune.
#[derive(Debug, Args)]
pub(super) struct Pin {
    /// The config, which is written.
    #[arg(short, long, value_name = "FILE")]
    config: PathBuf,
    /// Files, folders, or `-` for standard input (default).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Remove numbers that no listener of the input has. The input has to be everything that uses the config.
    #[arg(long)]
    prune: bool,
    /// Change nothing; exit with 1 when something would change.
    #[arg(long)]
    check: bool,
    /// In folders with a kustomization, read the files that it lists as resources and components.
    #[arg(long)]
    sources: bool,
}

/// A config and the listeners of its input.
pub(super) struct Decided {
    text: String,
    config: Config,
    pub(super) rows: Vec<PortRow>,
    inputs: Vec<Input>,
    results: Vec<Diagnostic>,
}

impl Decided {
    /// The same, unless there are errors, which are said.
    pub(super) fn without_errors(self) -> Option<Self> {
        let failed = self.results.iter().any(|result| result.severity == Severity::Error);
        (!failed).then_some(self)
    }
}

pub(super) fn decide(
    config: &Path,
    paths: &[PathBuf],
    sources: bool,
    unrecorded: bool,
    command: &str,
) -> anyhow::Result<Decided> {
    let text = read_config(config)?;
    let inputs = read_inputs(paths, sources, Some(config), command)?;
    let config = Config::read(&text, &shown_path(config), 1)?;
    let (rows, results) = host_network::ports(&inputs, &config, unrecorded)?;
    tell(&results, &inputs, false)?;
    Ok(Decided { text, config, rows, inputs, results })
}

impl Ports {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        output::check(&self.output, None)?;
        let decided = decide(&self.config, &self.paths, self.sources, false, "ports -c CONFIG")?;
        // What went wrong is reported too; there are no listeners then.
        let results: Vec<Output<Results>> = self.output.iter().filter_map(Output::results).collect();
        write_results(&results, &self.from, &decided.results, &decided.inputs)?;
        let Some(Decided { mut rows, .. }) = decided.without_errors() else {
            return Ok(ExitCode::FAILURE);
        };
        rows.retain(|row| !self.called || row.is_called());
        let text = [Output { format: Shown::Text, file: None }];
        let outputs = if self.output.is_empty() { &text[..] } else { &self.output };
        let outputs: Vec<Output<Shown>> = outputs.iter().filter(|output| output.results().is_none()).cloned().collect();
        output::write(&outputs, |format| {
            Ok(match format {
                Shown::Text => ports::text(&rows),
                Shown::Markdown => ports::markdown(&rows),
                Shown::Json => format!("{}\n", serde_json::to_string_pretty(&ports::json(&rows))?),
                Shown::Ranges => ports::ranges(&rows),
                Shown::Results(_) => String::new(),
            })
        })?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Output<Shown> {
    /// The report of results that this is, if it is one.
    fn results(&self) -> Option<Output<Results>> {
        let Shown::Results(format) = self.format else { return None };
        Some(Output { format, file: self.file.clone() })
    }
}

impl Pin {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let decided = decide(&self.config, &self.paths, self.sources, true, "pin -c CONFIG")?;
        let Some(Decided { text, config, rows, .. }) = decided.without_errors() else {
            return Ok(ExitCode::FAILURE);
        };
        let place = shown_path(&self.config);
        if config.is_flat() {
            bail!("{place}: a ConfigMap has no room for `assigned`; write a HostNetwork");
        }
        let pinned = pin::pin(&text, &config, &rows, self.prune).with_context(|| place.clone())?;
        for (key, number) in &pinned.added {
            say(&format!("{}: {number}\n", shown(key)))?;
        }
        for key in &pinned.removed {
            say(&format!("{}: removed\n", shown(key)))?;
        }
        if pinned.text == text {
            return Ok(ExitCode::SUCCESS);
        }
        if self.check {
            return Ok(ExitCode::FAILURE);
        }
        let whole = Splice { range: 0..text.len(), text: pinned.text };
        let file = Input::read(Origin::file(self.config.clone()), text.into_bytes())?;
        in_place::write(&[file], &[vec![whole]])?;
        Ok(ExitCode::SUCCESS)
    }
}
