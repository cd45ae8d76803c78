//! Crossplane's packages: what a selected one runs as, and what gives it a runtime config of its own.
//!
//! Crossplane makes a package's Deployment of a `DeploymentRuntimeConfig`, so that is what changes. To the rules a package is
//! a workload: its pod template is the runtime config's, with the ports that Crossplane declares by itself.

mod controller_config;
mod dependencies;
mod draft;
mod runtime_config;
mod runtimes;
mod version;

pub(crate) use runtime_config::named;
pub(crate) use runtimes::{Moves, Runtime, Runtimes, SelectedPackage, Terms};
pub(crate) use version::Core;
