//! Crossplane's packages: what a selected one runs as, and what gives it a runtime config of its own.
//!
//! Crossplane makes a package's Deployment of a `DeploymentRuntimeConfig`, so that is what changes. To the rules a package is
//! a workload: its pod template is the runtime config's, with the ports that Crossplane declares by itself.

mod base;
mod chart;
mod controller_config;
mod convert;
mod dependencies;
mod draft;
mod flag;
mod image_config;
mod maker;
mod may_move;
pub(crate) mod new_object;
mod own_config;
mod runtime;
mod runtime_config;
mod runtimes;
mod template;
mod terms;
mod unqualified;
mod version;

pub(crate) use chart::CoreChart;
pub(crate) use flag::flag;
pub(crate) use runtime::Runtime;
pub(crate) use runtime_config::named;
pub(crate) use runtimes::Runtimes;
pub(crate) use template::pods_of;
pub(crate) use terms::{Moves, SelectedPackage, Terms};
pub(crate) use unqualified::{Unqualified, unqualified};
pub(crate) use version::{Core, core_namespace, is_crossplane};
