//! `hostnet catalog`: prints the known programs.

use std::process::ExitCode;

use clap::Args;

use super::streams::{print, print_table};
use super::usage::usage;
use crate::render::catalog;

/// Show the catalogue of known programs: their listeners, and the settings of their ports.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet catalog
  hostnet catalog cert-manager")]
pub(super) struct Catalog {
    /// A program or a project: its entries, as they go under `programs` in a config; without a name, a table of
    /// all.
    name: Option<String>,
}

impl Catalog {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let Some(name) = &self.name else { return print_table(&catalog::table()) };
        match catalog::entries(name) {
            Some(text) => print(&text),
            None => usage!("{}", crate::api::unknown_name("program", name, &catalog::names())),
        }
    }
}
