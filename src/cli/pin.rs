//! `hostnet pin`: the numbers of a config, recorded.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;

use super::config_file::ConfigFile;
use super::ports::{Decided, decide};
use super::said::Said;
use super::streams::say;
use crate::kinds::pin;
use crate::render::summary::many;
use crate::wire::{Input, Origin, in_place, shown, shown_path};
use crate::yaml::Splice;

/// Record the numbers that `ports: auto` chose in the config's `assigned`.
///
/// The file is changed in place: sorted, comments kept, nothing removed but with --prune.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet pin -c hostnet.yaml manifests/
  hostnet pin -c hostnet.yaml --check manifests/")]
pub(super) struct Pin {
    #[command(flatten)]
    config: ConfigFile,
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
    #[command(flatten)]
    said: Said,
}

impl Pin {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let config = self.config.required(&self.paths, self.said)?;
        let decided = decide(config, &self.paths, self.sources, true, "pin -c CONFIG", self.said)?;
        let Some(Decided { file, config, rows, results, warnings }) = decided else {
            return Ok(ExitCode::FAILURE);
        };
        let place = shown_path(&file.path);
        if config.is_flat() {
            bail!("{place}: a ConfigMap has no room for `assigned`; write a HostNetwork");
        }
        let pinned = pin::pin(&file.text, &config, &rows, self.prune).with_context(|| place.clone())?;
        for (key, number) in &pinned.added {
            say(&format!("{}: {number}\n", shown(key)))?;
        }
        for key in &pinned.removed {
            say(&format!("{}: removed\n", shown(key)))?;
        }
        let changes = pinned.text != file.text;
        if changes && !self.check {
            let whole = Splice { range: 0..file.text.len(), text: pinned.text };
            let input = Input::read(Origin::file(file.path), file.text.into_bytes())?;
            in_place::write(&[input], &[vec![whole]])?;
        }
        let done = [many(pinned.added.len(), "number") + " added", format!("{} removed", pinned.removed.len())];
        self.said.end(&done, &results, warnings)?;
        Ok(if changes && self.check { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}
