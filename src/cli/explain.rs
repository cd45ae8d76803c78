//! `hostnet explain`: prints the page of a rule, or details of a workload's listeners.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use super::build::Build;
use super::config_file::{ConfigFile, ConfigText};
use super::input::Given;
use super::ports::{PortDecisions, decide};
use super::streams::{print, print_escaped};
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::{FailOn, HOST_NETWORK, unknown_rule};
use crate::host_network::PortRow;
use crate::render::ports::explained;
use crate::rule;
use krm::{escape_line, shell_word};

/// Explain a rule, or the listeners of a workload.
///
/// A rule is named by its id, which results show in brackets. A workload is NAME, KIND/NAME, NAMESPACE/NAME, or a key
/// of `assigned` (NAMESPACE/KIND/NAME, followed by /TEMPLATE for one of several pod templates), with the config and the
/// manifests. For each of its listeners, the output shows the setting of the port, and the references that change with
/// it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet explain port-setting
  hostnet explain shop/web -c hostnet.yaml manifests/")]
pub(super) struct Explain {
    /// A rule or a workload. Without it, all rules are listed, each with its subject.
    #[arg(value_name = "RULE|WORKLOAD")]
    what: Option<String>,
    #[command(flatten)]
    config: ConfigFile,
    /// Files, folders, or `-` for standard input (default), for a workload.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The default without --build; earlier versions needed it.
    #[arg(long, hide = true)]
    sources: bool,
    #[command(flatten)]
    build: Build,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl Explain {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let Some(name) = &self.what else {
            let lines = rule::ALL.iter().map(|rule| format!("{:<20}{}\n", rule.id, rule.summary));
            return print(&lines.collect::<String>());
        };
        if let Some(rule) = rule::find(name) {
            return print(rule.page);
        }
        if let Some(config) = self.config.read(&[HOST_NETWORK], &self.paths, self.verbosity)? {
            return self.workload(name, config);
        }
        if name.contains('/') {
            usage!("`{name}` is a workload: give the config with `-c FILE`, and its manifests");
        }
        let known: Vec<&str> = rule::ALL.iter().map(|rule| rule.id).collect();
        usage!(
            "{}. A workload is named NAME, KIND/NAME or NAMESPACE/NAME, with its config (`-c FILE`) and its manifests",
            unknown_rule(name, &known)
        )
    }

    /// Explains the listeners of a workload.
    fn workload(&self, name: &str, config: ConfigText) -> anyhow::Result<ExitCode> {
        let command = format!("explain {} -c CONFIG", shell_word(name));
        let given = Given { skips_unreadable: true, ..Given::reading(&self.paths, self.sources, self.build) };
        // The command explains the warnings of a config with `failOn: Warning` too.
        let decided = decide(config, given, true, (&command, |_| FailOn::Error), self.verbosity)?;
        self.verbosity.not_read(&decided.coverage)?;
        if !decided.stops {
            self.verbosity.rendered(&decided.coverage)?;
        }
        let Some(PortDecisions { rows, coverage, .. }) = decided.none_if_stopped() else {
            return Ok(self.verbosity.stopped());
        };
        let meant = |row: &&PortRow| row.workload == name || row.object == name || short(&row.object) == name;
        let mut selected: Vec<&PortRow> = rows.iter().filter(meant).collect();
        if selected.is_empty() {
            // A name, optionally with its kind as in kubectl.
            let is_named = |row: &&PortRow| has_name(&row.object, name);
            selected = rows.iter().filter(is_named).collect();
            let objects: BTreeSet<&str> = selected.iter().map(|row| row.object.as_str()).collect();
            if objects.len() > 1 {
                let names = distinct(objects.into_iter().map(|object| format!("`{object}`")));
                usage!("`{name}` is the name of several workloads: give one of {names}");
            }
        }
        if !selected.is_empty() {
            print_escaped(&explained(selected))?;
            return Ok(self.verbosity.ended(false, &coverage));
        }
        let known = distinct(rows.iter().map(|row| row.workload.clone()));
        if name.contains('/') {
            bail!("no target selects a workload `{name}` with listeners; selected are: {known}");
        }
        bail!(
            "`{name}` is not a rule (`hostnet explain` lists them), and no target selects a workload of that name with \
             listeners; selected are: {known}"
        )
    }
}

/// True if NAME or KIND/NAME matches an object's key.
fn has_name(key: &str, wanted: &str) -> bool {
    let mut parts = key.rsplit('/');
    let (name, kind) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    match wanted.split_once('/') {
        None => name == wanted,
        Some((of_kind, of_name)) => name == of_name && kind.eq_ignore_ascii_case(of_kind),
    }
}

/// Short form of a key: `NAMESPACE/NAME`.
fn short(key: &str) -> String {
    let mut parts = key.rsplitn(2, '/');
    let name = parts.next().unwrap_or_default();
    let namespace = parts.next().and_then(|rest| rest.split('/').next()).unwrap_or_default();
    format!("{namespace}/{name}")
}

/// Names without duplicates, for messages.
fn distinct(names: impl Iterator<Item = String>) -> String {
    let names: BTreeSet<String> = names.map(|name| escape_line(&name).into_owned()).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}
