//! The first ten minutes at the terminal: mistakes, screens, the first config, completions and man pages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod colour;
mod counts;
mod exit_codes;
mod first_config;
mod found_config;
mod generated;
mod mistakes;
mod next_command;
mod nothing_read;
mod rendered_elsewhere;
mod screens;
mod terminal;

use crate::support::manifests::{HOOKS, two_ports};

/// A Deployment that listens on two ports and says so.
fn deployment(name: &str) -> String {
    two_ports(name, "https", 8443)
}

/// The Deployment `web`, and what makes the API server call it.
fn called_web() -> String {
    format!("{}---\n{HOOKS}", deployment("web"))
}

/// A config whose spec is this.
fn config(spec: &str) -> String {
    format!("apiVersion: hostnet.dev/v1alpha1\nkind: HostNetwork\nmetadata:\n  name: hooks\nspec:\n{spec}")
}
