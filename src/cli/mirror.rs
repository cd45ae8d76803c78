//! `hostnet mirror`: commands for a registry mirror.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use super::build::Build;
use super::input::{Given, Manifests, changed_builds_line, read_config, read_inputs, with_config};
use super::mirror_report::print_problems;
use super::streams::{print, print_table};
use super::verbosity::Verbosity;
use super::{mirror_cache, mirror_nodes, mirror_pin, mirror_script, mirror_verify};
use crate::api::MirrorConfig;
use crate::kinds::build_patches::unknown_images_of_builds;
use crate::kinds::package_mirror::{list, without_rule};
use crate::render::mirror::{json, lines, text};
use crate::render::mirror_script::unreadable;
use krm::files::Changed;
use krm::{escape_line, json_text, shown_path};

/// Packages and images in a mirror.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet mirror list manifests/
  hostnet mirror list -c mirror.yaml --complete -o lines manifests/")]
pub(super) struct Mirror {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Verify(mirror_verify::Verify),
    Pin(mirror_pin::Pin),
    Script(mirror_script::Script),
    NodeConfig(mirror_nodes::NodeConfig),
    Cache(mirror_cache::Cache),
}

/// List the packages and images of manifests, with their names in the mirror: everything to copy.
///
/// Packages without recorded dependencies (`packages` of the config) are listed on standard error.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet mirror list manifests/
  hostnet mirror list -c mirror.yaml --complete -o lines manifests/")]
struct List {
    /// The config. Without it, only the sources are listed.
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Files, folders, or `-` for standard input (default).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Format of the list.
    #[arg(short, long, value_enum, default_value_t = Output::Text)]
    output: Output,
    /// Exit with 1 if a fact is unknown, or if Crossplane would install a package a second time.
    #[arg(long)]
    complete: bool,
    /// The default without --build; earlier versions needed it.
    #[arg(long, hide = true)]
    sources: bool,
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    verbosity: Verbosity,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Output {
    Text,
    /// A line for each: source, blank, target.
    Lines,
    Json,
}

impl Mirror {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        match &self.command {
            Command::List(list) => list.run(),
            Command::Verify(verify) => verify.run(),
            Command::Pin(pin) => pin.run(),
            Command::Script(script) => script.run(),
            Command::NodeConfig(nodes) => nodes.run(),
            Command::Cache(cache) => cache.run(),
        }
    }
}

impl List {
    fn run(&self) -> anyhow::Result<ExitCode> {
        let config = match &self.config {
            None => None,
            Some(path) => Some(MirrorConfig::read(&read_config(path)?, &shown_path(path), 1)?),
        };
        let command = if config.is_some() { "mirror list -c CONFIG" } else { "mirror list" };
        let given = Given { skips_unreadable: true, ..Given::reading(&self.paths, self.sources, self.build) };
        let Manifests { inputs, unknown_images, coverage, warnings, changed, .. } =
            read_inputs(given, self.config.as_deref(), command, self.verbosity)?;
        let coverage = coverage.without_installed_packages();
        self.verbosity.not_read(&coverage)?;
        let mut listing = list(&inputs, config.as_ref())?;
        listing.unknown.extend(unknown_images);
        listing.unknown.extend(unknown_images_of_builds(&inputs));
        // A warning about these patches is printed already.
        let patched: Vec<Changed> = changed.into_iter().filter(|one| one.patches && self.complete).collect();
        let command = with_config(command, self.config.as_deref());
        let images = changed_builds_line(&patched, &given, &command).map(|line| format!("all images: {line}"));
        listing.unknown.extend(images);
        listing.unknown.extend(coverage.unknown_images());
        listing.unknown.extend(unreadable(&listing));
        let without_rule = without_rule(&listing);
        listing.unknown.extend(without_rule);
        let conflicts = listing.errors().map(str::to_owned);
        let all: Vec<String> =
            conflicts.chain(listing.unknown.iter().map(|unknown| format!("not known: {unknown}"))).collect();
        let listed = print_problems(&listing, &all, self.complete, self.verbosity)?;
        for hint in &listing.hints {
            self.verbosity.note(&format!("hint: {}\n", escape_line(hint)))?;
        }
        let is_incomplete = self.complete && !all.is_empty();
        let of_config = config.as_ref().map(|config| config.mirror.spec.fail_on).unwrap_or_default();
        if self.verbosity.has_failing_list_warnings(of_config, warnings, listed)? && !is_incomplete {
            return Ok(ExitCode::FAILURE);
        }
        // Known entries are printed even if others are unknown.
        let code = match self.output {
            Output::Text => print_table(&text(&listing)),
            Output::Lines => print(&lines(&listing).map_err(anyhow::Error::msg)?),
            Output::Json => print(&json_text(&json(&listing))),
        }?;
        Ok(if is_incomplete || coverage.is_broken() { ExitCode::FAILURE } else { code })
    }
}
