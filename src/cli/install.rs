//! `hostnet install`: installs the binary as a plugin.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use super::streams::print;
use crate::api::KINDS;
use crate::kustomize::plugin;
use krm::shown_path;

/// Install this binary as a plugin of kustomize or kubectl.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet install --kubectl-plugin ~/.local/bin
  hostnet install --kustomize-plugin ~/.config/kustomize/plugin
  hostnet install --kustomize-plugin \"$KUSTOMIZE_PLUGIN_HOME\"")]
pub(super) struct Install {
    /// kustomize's plugin home (`KUSTOMIZE_PLUGIN_HOME`).
    #[arg(long, value_name = "DIR", required_unless_present = "kubectl_plugin")]
    kustomize_plugin: Option<PathBuf>,
    /// A folder of the `PATH`, for `kubectl hostnet`.
    #[arg(long, value_name = "DIR")]
    kubectl_plugin: Option<PathBuf>,
}

impl Install {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let exe = std::env::current_exe().context("where this binary is")?;
        let mut placed = match &self.kustomize_plugin {
            Some(home) => plugin::install(home, &exe, &KINDS)?,
            None => Vec::new(),
        };
        if let Some(folder) = &self.kubectl_plugin {
            placed.push(plugin::install_for_kubectl(folder, &exe)?);
        }
        let lines: Vec<String> = placed.iter().map(|path| shown_path(path)).collect();
        print(&format!("{}\n", lines.join("\n")))
    }
}
