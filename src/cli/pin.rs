//! `hostnet pin`: records ports in the config.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;

use super::build::Build;
use super::config_file::{ConfigFile, ConfigText};
use super::input::{Given, is_stdin, read_inputs, read_standard_input};
use super::output::write_texts;
use super::ports::{PortDecisions, decide, fail_on_of};
use super::streams::print_stderr;
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::{HOST_NETWORK, HostNetworkConfig};
use crate::kinds::{host_network, pin, reserve};
use crate::render::summary::many;
use krm::functions::ListedConfig;
use krm::{Input, Origin, escape_line, shown_path};

/// Record the numbers that `ports: auto` chose in the config's `assigned`.
///
/// The file is changed in place: entries are sorted, comments are kept, and only --prune removes entries.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet pin -c hostnet.yaml manifests/
  hostnet pin -c hostnet.yaml --check manifests/
  kubectl get pods,nodes,services -A -o yaml | hostnet pin -c hostnet.yaml --reserve - manifests/")]
pub(super) struct Pin {
    #[command(flatten)]
    config: ConfigFile,
    /// Files, folders, or `-` for standard input (default).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Remove numbers that no listener of the input has. The input must include everything that uses the config.
    #[arg(long)]
    prune: bool,
    /// First write the ports of Pods, Nodes and Services in this cluster dump (`kubectl get pods,nodes,services -A -o
    /// yaml`) into `reserved`, so that `auto` does not choose them. Numbers of the config itself are not added.
    #[arg(long, value_name = "DUMP")]
    reserve: Option<PathBuf>,
    /// Change nothing; exit with 1 when something would change.
    #[arg(long)]
    check: bool,
    /// In folders with a kustomization, read the files that it lists as resources and components.
    #[arg(long)]
    sources: bool,
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl Pin {
    /// Arguments about the input.
    fn given(&self) -> Given<'_> {
        Given { needs_build: true, ..Given::new(&self.paths, self.sources, self.build) }
    }

    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let before = self.config.required(&[HOST_NETWORK], &self.paths, self.verbosity)?;
        let config = match &self.reserve {
            Some(dump) => self.reserved(dump, before.clone())?,
            None => before.clone(),
        };
        let decided = decide(config, self.given(), true, ("pin -c CONFIG", fail_on_of), self.verbosity)?;
        let Some(PortDecisions { file, config, rows, results, warnings, coverage, .. }) = decided.none_if_stopped()
        else {
            return Ok(self.verbosity.stopped());
        };
        let place = shown_path(&file.path);
        if config.is_flat() {
            bail!("{place}: a ConfigMap has no room for `assigned`; write a HostNetwork");
        }
        let pinned = pin::pin(&file.text, &config, &rows, self.prune).with_context(|| place.clone())?;
        for (key, number) in &pinned.added {
            print_stderr(&format!("{}: {number}\n", escape_line(key)))?;
        }
        for key in &pinned.removed {
            print_stderr(&format!("{}: removed\n", escape_line(key)))?;
        }
        let changes = write_texts([(before.path, (before.text, pinned.text))], self.check)?;
        if changes && self.check {
            print_stderr(&format!("{place}: would change\n"))?;
        }
        let mut done = vec![many(pinned.added.len(), "number") + " added", format!("{} removed", pinned.removed.len())];
        if pinned.unused > 0 {
            done.push(format!("{} without a listener here (`--prune` removes them)", many(pinned.unused, "key")));
        }
        self.verbosity.print_summary_with_coverage(done, &coverage, &results, warnings)?;
        Ok(if changes && self.check { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// Adds ports of a dump to the config's `reserved`.
    fn reserved(&self, dump: &Path, mut config: ConfigText) -> anyhow::Result<ConfigText> {
        let from_stdin = dump.as_os_str() == "-";
        if from_stdin && is_stdin(&self.paths)? {
            usage!("standard input cannot be both PATH and DUMP; name a file for one of them");
        }
        if is_stdin(&self.paths)? {
            usage!("--reserve reads the manifests twice, and standard input can be read once; name them");
        }
        let dump = if from_stdin {
            read_standard_input()?
        } else {
            let bytes = std::fs::read(dump).with_context(|| shown_path(dump))?;
            if bytes.iter().all(u8::is_ascii_whitespace) {
                bail!("{}: the dump is empty. Did the command that writes it fail?", shown_path(dump));
            }
            Input::read(Origin::file(dump), bytes)?
        };
        if !reserve::has_node_or_pod(&dump)? {
            self.verbosity.note(&format!(
                "warning: {}: the dump has neither Pods nor Nodes, so numbers in use may be chosen: give the output of `kubectl get pods,nodes,services -A -o yaml`\n",
                dump.origin()
            ))?;
        }
        // Ports of the selected workloads' own pods are excluded.
        let read = HostNetworkConfig::read(&config.text, &shown_path(&config.path), 1)?;
        let functions = ListedConfig::all_of(&config.text);
        let given = Given { functions: &functions, ..self.given() };
        let manifests = read_inputs(given, Some(&config.path), "pin -c CONFIG", self.verbosity.silent())?;
        let (rows, _) = host_network::ports(&manifests.inputs, &read, true)?;
        let own: BTreeSet<&str> = rows.iter().map(|row| row.object.as_str()).collect();
        let held = reserve::used_ports(&dump, &own)?;
        let reserved = reserve::reserve(&config.text, &read, held).with_context(|| shown_path(&config.path))?;
        for (number, holder) in &reserved.added {
            print_stderr(&format!("reserved: {number} ({})\n", escape_line(holder)))?;
        }
        config.text = reserved.text;
        Ok(config)
    }
}
