//! `hostnet ports` and `hostnet pin`: the numbers of a config, shown and recorded.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::streams::{print, say, tell};
use super::{read_config, read_inputs};
use crate::api::Config;
use crate::host_network::PortRow;
use crate::kinds::{host_network, pin};
use crate::render::ports;
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
    /// How to show them.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    output: Output,
    /// Only those that the API server must reach: what firewalls of the nodes have to let through.
    #[arg(long)]
    called: bool,
    /// In folders with a kustomization, read the files that it lists as resources and components.
    #[arg(long)]
    sources: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Output {
    Text,
    Markdown,
    Json,
    /// Numbers only, as ranges.
    Ranges,
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

/// A config and the listeners of its input; none after errors, which are said.
pub(super) struct Decided {
    text: String,
    config: Config,
    pub(super) rows: Vec<PortRow>,
}

pub(super) fn decide(
    config: &Path,
    paths: &[PathBuf],
    sources: bool,
    unrecorded: bool,
    command: &str,
) -> anyhow::Result<Option<Decided>> {
    let text = read_config(config)?;
    let inputs = read_inputs(paths, sources, Some(config), command)?;
    let config = Config::read(&text, &shown_path(config), 1)?;
    let (rows, results) = host_network::ports(&inputs, &config, unrecorded)?;
    tell(&results, &inputs, false)?;
    let failed = results.iter().any(|result| result.severity == Severity::Error);
    Ok((!failed).then_some(Decided { text, config, rows }))
}

impl Ports {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let decided = decide(&self.config, &self.paths, self.sources, false, "ports -c CONFIG")?;
        let Some(Decided { mut rows, .. }) = decided else {
            return Ok(ExitCode::FAILURE);
        };
        rows.retain(|row| !self.called || row.is_called());
        match self.output {
            Output::Text => print(&ports::text(&rows)),
            Output::Markdown => print(&ports::markdown(&rows)),
            Output::Json => print(&format!("{}\n", serde_json::to_string_pretty(&ports::json(&rows))?)),
            Output::Ranges => print(&ports::ranges(&rows)),
        }
    }
}

impl Pin {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let decided = decide(&self.config, &self.paths, self.sources, true, "pin -c CONFIG")?;
        let Some(Decided { text, config, rows }) = decided else {
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
