//! `hostnet explain`: the page of a rule, or all that is known of a workload's listeners.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use super::ports::{Decided, decide};
use super::print;
use crate::api::unknown;
use crate::plan::{PortRow, rule};
use crate::render::ports::explained;

/// Explain a rule, or the listeners of a workload.
///
/// A rule is named as results name it in brackets. A workload is NAMESPACE/NAME, or a key as `assigned` has it
/// (NAMESPACE/KIND/NAME), with the config and the manifests: how each of its listeners is told its port, and what moves
/// with it.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// A rule, or a workload; without one, all rules are listed.
    #[arg(value_name = "RULE|WORKLOAD")]
    what: Option<String>,
    /// The config, for a workload.
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Files, folders, or `-` for standard input (default), for a workload.
    #[arg(value_name = "PATH", requires = "config")]
    paths: Vec<PathBuf>,
    /// In folders with a kustomization, read the files that it lists as resources and components.
    #[arg(long, requires = "config")]
    sources: bool,
}

impl Explain {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let known: Vec<&str> = rule::ALL.iter().map(|rule| rule.id).collect();
        let Some(what) = &self.what else {
            return print(&format!("{}\n", known.join("\n")));
        };
        if what.contains('/') {
            return self.workload(what);
        }
        match rule::find(what) {
            Some(rule) => print(rule.page),
            None => bail!(unknown("rule", what, &known)),
        }
    }

    fn workload(&self, what: &str) -> anyhow::Result<ExitCode> {
        let Some(config) = &self.config else {
            bail!("`{what}` is a workload: give the config with `-c FILE`, and its manifests");
        };
        let command = format!("explain {what} -c CONFIG");
        let Some(Decided { rows, .. }) = decide(config, &self.paths, self.sources, true, &command)? else {
            return Ok(ExitCode::FAILURE);
        };
        let short = |key: &str| {
            let mut parts = key.rsplitn(2, '/');
            let name = parts.next().unwrap_or_default();
            let namespace = parts.next().and_then(|rest| rest.split('/').next()).unwrap_or_default();
            format!("{namespace}/{name}")
        };
        let meant = |row: &&PortRow| row.workload == what || short(&row.workload) == what;
        let own: Vec<&PortRow> = rows.iter().filter(meant).collect();
        if own.is_empty() {
            let known: Vec<&str> = rows.iter().map(|row| row.workload.as_str()).collect();
            bail!("no target selects a workload `{what}` with listeners; selected are: {}", distinct(&known));
        }
        print(&explained(own))
    }
}

fn distinct(names: &[&str]) -> String {
    let names: BTreeSet<&str> = names.iter().copied().collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}
