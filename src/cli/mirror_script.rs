//! `hostnet mirror script`: prints a script that copies images to the mirror, or loads them into nodes.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::input::{Given, Manifests, read_config, read_inputs};
use super::mirror_report::print_problems;
use super::streams::print;
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::MirrorConfig;
use crate::kinds::build_patches::unknown_images_of_builds;
use crate::kinds::package_mirror::list;
use crate::render::mirror_load::{self, Loader};
use crate::render::mirror_script::{CopyRoute, Tool, not_copied, script};
use krm::shown_path;

/// Print a script that copies the packages and images of manifests into the mirror, by digest if known, and compares
/// the digests at the end.
///
/// The script is for the POSIX shell, can be run again, and copies only missing entries. This command itself copies
/// nothing. With --load the script loads the images that nodes run into the nodes; Crossplane's core still reads
/// packages from a registry.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet mirror script -c mirror.yaml --tool crane manifests/ >copy.sh
  hostnet mirror script -c mirror.yaml --tool skopeo --via carried --part save manifests/ >save.sh
  hostnet mirror script -c mirror.yaml --tool skopeo --via carried --part load manifests/ >load.sh
  hostnet mirror script -c mirror.yaml --tool crane --load kind manifests/ >load.sh")]
pub(super) struct Script {
    /// The config.
    #[arg(short, long, value_name = "FILE")]
    config: PathBuf,
    /// Files, folders, or `-` for standard input (default).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The program that copies.
    #[arg(long, value_enum)]
    tool: ToolName,
    /// Copy through a folder with an OCI layout for each entry, to be moved to a machine that reaches the mirror.
    #[arg(long, value_name = "DIR", requires = "part")]
    via: Option<String>,
    /// The part of the copy through the folder.
    #[arg(long, value_enum, requires = "via")]
    part: Option<CopyStep>,
    /// Load the images that nodes run into all nodes, under the names that pods use.
    #[arg(long, value_enum, value_name = "PROGRAM", conflicts_with = "via")]
    load: Option<Loader>,
    /// Exit with 1 if a fact is unknown, an entry cannot be copied, or Crossplane would install a package a second
    /// time.
    #[arg(long)]
    complete: bool,
    /// In folders with a kustomization, read the files that it lists as resources and components.
    #[arg(long)]
    sources: bool,
    #[command(flatten)]
    verbosity: Verbosity,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ToolName {
    Crane,
    Regctl,
    Skopeo,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CopyStep {
    /// From the registries into the folder.
    Save,
    /// From the folder into the mirror.
    Load,
}

impl Script {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        if let Some(folder) = self.via.as_deref().filter(|folder| folder.is_empty() || folder.contains([':', '@'])) {
            usage!(
                "`--via {folder}`: tools read `:` and `@` in the name of a folder as tag and digest; use another name"
            );
        }
        let config = MirrorConfig::read(&read_config(&self.config)?, &shown_path(&self.config), 1)?;
        let Manifests { inputs, unknown_images, coverage, warnings, .. } = read_inputs(
            Given::files(&self.paths, self.sources),
            Some(&self.config),
            "mirror script -c CONFIG --tool TOOL",
            self.verbosity,
        )?;
        let coverage = coverage.without_installed_packages();
        self.verbosity.not_read(&coverage)?;
        let mut listing = list(&inputs, Some(&config))?;
        listing.unknown.extend(unknown_images);
        listing.unknown.extend(unknown_images_of_builds(&inputs));
        listing.unknown.extend(coverage.unknown_images());
        let unknown = listing.unknown.iter().map(|unknown| format!("not known: {unknown}"));
        let (left, action) = match self.load {
            None => (not_copied(&listing), "copied"),
            Some(_) => (mirror_load::not_loaded(&listing), "loaded"),
        };
        let left = left.into_iter().map(|entry| format!("not {action}: {entry}"));
        let conflicts = listing.errors().map(str::to_owned);
        let all: Vec<String> = conflicts.chain(unknown).chain(left).collect();
        let listed = print_problems(&listing, &all, self.complete, self.verbosity)?;
        let of_config = config.mirror.spec.fail_on;
        if self.complete && !all.is_empty() || self.verbosity.has_failing_list_warnings(of_config, warnings, listed)? {
            return Ok(ExitCode::FAILURE);
        }
        let tool = match self.tool {
            ToolName::Crane => Tool::Crane,
            ToolName::Regctl => Tool::Regctl,
            ToolName::Skopeo => Tool::Skopeo,
        };
        if let Some(loader) = self.load {
            return print(&mirror_load::script(&listing, tool, loader));
        }
        let way = match (self.via.as_deref(), self.part) {
            (Some(folder), Some(CopyStep::Save)) => CopyRoute::Save(folder),
            (Some(folder), Some(CopyStep::Load)) => CopyRoute::Load(folder),
            _ => CopyRoute::Direct,
        };
        print(&script(&listing, tool, way))
    }
}
