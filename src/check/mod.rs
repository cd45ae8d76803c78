//! Checks manifests for problems with host networking. Plans nothing, edits nothing, does no I/O.
//!
//! A [`Situation`] is built once from the model and the config; each rule of [`rules`] is a pure function of it and
//! returns [`Finding`]s. A message contains the component that refuses or fails, its versions, its error message, and
//! the remedy. Severity `Error` is only for certain failures.

mod alternatives;
pub mod facts;
pub(crate) mod generator;
mod given;
mod listening;
mod package_pods;
mod packages;
mod pods;
pub mod port_use;
pub mod rules;
mod run;
mod running;
mod scale;
mod settings;
mod sharing;
mod situation;
mod versions;
mod workload;

pub use crate::model::listener::called;
pub use crate::plan::Finding;
pub use facts::Facts;
pub use package_pods::PackagePods;
pub use run::run;
pub use running::{Running, RunningPod};
pub use settings::Settings;
pub use situation::Situation;
pub use workload::Workload;
