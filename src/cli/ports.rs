//! `hostnet ports`: the listeners of selected workloads, or of what the API server calls.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::config_file::{ConfigFile, ConfigText};
use super::init::look;
use super::input::read_inputs;
use super::said::Said;
use super::streams::print;
use crate::api::Config;
use crate::host_network::PortRow;
use crate::kinds::host_network;
use crate::render::summary::many;
use crate::render::{Diagnostic, ports, survey};
use crate::wire::shown_path;

/// Show the listeners of the selected workloads: old and new port, how each is told, who calls it.
///
/// Without a config: what the API server calls and where that listens, and at the end the config that moves it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet ports manifests/
  hostnet ports -c hostnet.yaml --called -o ranges manifests/")]
pub(super) struct Ports {
    #[command(flatten)]
    config: ConfigFile,
    /// Files, folders, or `-` for standard input (default).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How to show them.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    output: Output,
    /// Only those that the API server must reach: what firewalls of the nodes have to let through.
    #[arg(long)]
    called: bool,
    /// In folders with a kustomization, read the files that it lists as resources and components (default without a config).
    #[arg(long)]
    sources: bool,
    #[command(flatten)]
    said: Said,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    Text,
    Markdown,
    Json,
    /// Numbers only, as ranges.
    Ranges,
}

/// A config and the listeners of its input; none after errors, which are said.
pub(super) struct Decided {
    pub(super) file: ConfigText,
    pub(super) config: Config,
    pub(super) rows: Vec<PortRow>,
    pub(super) results: Vec<Diagnostic>,
    /// How many warnings were said about files.
    pub(super) warnings: usize,
}

pub(super) fn decide(
    file: ConfigText,
    paths: &[PathBuf],
    sources: bool,
    unrecorded: bool,
    command: &str,
    said: Said,
) -> anyhow::Result<Option<Decided>> {
    let manifests = read_inputs(paths, sources, Some(&file.path), command, said)?;
    let config = Config::read(&file.text, &shown_path(&file.path), 1)?;
    let (rows, results) = host_network::ports(&manifests.inputs, &config, unrecorded)?;
    let warnings = manifests.warnings + said.tell(&results, &manifests.inputs)?;
    if said.stops(&results, warnings)? {
        said.end(&[], &results, warnings)?;
        return Ok(None);
    }
    Ok(Some(Decided { file, config, rows, results, warnings }))
}

impl Ports {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let Some(file) = self.config.read(&self.paths, self.said)? else { return self.survey() };
        let decided = decide(file, &self.paths, self.sources, false, "ports -c CONFIG", self.said)?;
        let Some(Decided { mut rows, results, warnings, .. }) = decided else {
            return Ok(ExitCode::FAILURE);
        };
        rows.retain(|row| !self.called || row.is_called());
        match self.output {
            Output::Text => print(&ports::text(&rows))?,
            other => other.print(&rows)?,
        };
        self.end(&rows, &results, warnings)
    }

    /// The answer of somebody who has no config yet.
    fn survey(&self) -> anyhow::Result<ExitCode> {
        let (survey, warnings) = look(&self.paths, "ports", self.said)?;
        if self.said.stops(&survey.results, warnings)? {
            self.said.end(&[], &survey.results, warnings)?;
            return Ok(ExitCode::FAILURE);
        }
        let mut rows = survey.rows;
        rows.retain(|row| !self.called || row.is_called());
        let paths: Vec<String> = self.paths.iter().map(|path| shown_path(path)).collect();
        let paths = if paths.is_empty() { "-".to_owned() } else { paths.join(" ") };
        match (self.output, &survey.config) {
            (Output::Text, Some(config)) => print(&(survey::called(&rows) + &survey::next(config, &paths)))?,
            (Output::Text, None) => print(&survey::nothing_called(&rows, survey.releases))?,
            (other, _) => {
                // Nobody has said that something moves.
                rows.iter_mut().for_each(PortRow::keep);
                other.print(&rows)?
            }
        };
        self.end(&rows, &survey.results, warnings)
    }

    fn end(&self, rows: &[PortRow], results: &[Diagnostic], warnings: usize) -> anyhow::Result<ExitCode> {
        let mut workloads: Vec<&str> = rows.iter().map(|row| row.workload.as_str()).collect();
        workloads.dedup();
        let called = rows.iter().filter(|row| row.is_called()).count();
        let done = [
            many(workloads.len(), "workload"),
            many(rows.len(), "listener"),
            format!("{called} called by the API server"),
        ];
        self.said.end(&done, results, warnings)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Output {
    fn print(self, rows: &[PortRow]) -> anyhow::Result<ExitCode> {
        match self {
            Self::Text => print(&ports::text(rows)),
            Self::Markdown => print(&ports::markdown(rows)),
            Self::Json => print(&format!("{}\n", serde_json::to_string_pretty(&ports::json(rows))?)),
            Self::Ranges => print(&ports::ranges(rows)),
        }
    }
}
