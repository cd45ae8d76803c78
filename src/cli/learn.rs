//! `hostnet learn`: finds port flags in a program's help text.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;

use super::config_file::ConfigFile;
use super::input::{Given, is_stdin, read_inputs};
use super::output::write_texts;
use super::streams::{print, print_stderr, read_stdin};
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::{HOST_NETWORK, HostNetworkConfig};
use crate::help;
use crate::kinds::learn;
use crate::render::summary::many;
use krm::{escape_line, shown_path};

/// Find the flags of a program's help that set its ports, and print or write the `bind` entries.
///
/// Standard input is the help text. A flag counts if its printed default is the number of a listener that no manifest
/// sets, or an address of all interfaces. hostnet runs no image and opens no connection.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet learn -c hostnet.yaml shop/web manifests/ < help.txt
  docker run --rm IMAGE --help 2>&1 | hostnet learn --write shop/web/manager manifests/")]
pub(super) struct Learn {
    #[command(flatten)]
    config: ConfigFile,
    /// The workload, and the container if the workload has several.
    #[arg(value_name = "NAMESPACE/NAME[/CONTAINER]")]
    what: String,
    /// Files or folders.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Write the entries into the config instead of printing them. If the target also matches other workloads, the
    /// workload gets its own target before it.
    #[arg(long)]
    write: bool,
    /// In folders with a kustomization, read the files that it lists as resources and components.
    #[arg(long)]
    sources: bool,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl Learn {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        if is_stdin(&self.paths)? {
            usage!("standard input is the help text: name files or folders with the manifests");
        }
        let file = self.config.required(&[HOST_NETWORK], &self.paths, self.verbosity)?;
        let place = shown_path(&file.path);
        let config = HostNetworkConfig::read(&file.text, &place, 1)?;
        if config.is_flat() {
            bail!("{place}: a ConfigMap has no room for `bind`; write a HostNetwork");
        }
        let text = read_stdin()?;
        let settings = help::settings(&String::from_utf8_lossy(&text));
        if settings.is_empty() {
            bail!(
                "standard input shows no flag: give the output of `COMMAND --help 2>&1` for the subcommand that the \
                 container runs"
            );
        }
        let manifests = read_inputs(
            Given { stdin_is_taken: true, ..Given::files(&self.paths, self.sources) },
            Some(&file.path),
            "learn -c CONFIG WORKLOAD",
            self.verbosity,
        )?;
        let found = match learn::learn(&manifests.inputs, &config, &self.what, &settings)? {
            Ok(found) => found,
            Err(message) => bail!("{}", escape_line(&message)),
        };
        for note in &found.learned.notes {
            self.verbosity.note(&format!("info: {}\n", escape_line(note)))?;
        }
        let lines: String =
            found.learned.binds.iter().map(|bind| format!("- {}\n", escape_line(&bind.to_string()))).collect();
        if self.write && !lines.is_empty() {
            let Some(text) = learn::config_with_learned_entries(&file.text, &found).with_context(|| place.clone())?
            else {
                bail!(
                    "{place}: cannot add a target for {}; write one by hand, with `bind`:\n{}",
                    escape_line(&found.object.to_string()),
                    lines.trim_end()
                );
            };
            // An edit that makes the config invalid is never written.
            HostNetworkConfig::read(&text, &place, 1)?;
            print_stderr(&lines)?;
            write_texts([(file.path, (file.text, text))], false)?;
        } else if !lines.is_empty() {
            print(&lines)?;
        }
        let count = found.learned.binds.len();
        let end = if self.write { "written" } else { "found" };
        let done = [
            many(settings.len(), "flag"),
            format!("{} {end}", if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }),
        ];
        self.verbosity.end(&done, &[], manifests.warnings)?;
        Ok(ExitCode::SUCCESS)
    }
}
