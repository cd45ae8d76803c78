//! Checks manifests for problems with host networking. Plans nothing, edits nothing, does no I/O.
//!
//! A [`CheckContext`] is built once from the model and the config; each rule of [`rules`] is a pure function of it and
//! returns [`Finding`]s. A message contains the component that refuses or fails, its versions, its error message, and
//! the remedy. Severity `Error` is only for certain failures.

mod alternatives;
mod assigned;
mod context;
pub mod facts;
pub(crate) mod generator;
mod listener_evidence;
mod package_pods;
mod packages;
mod pod_controllers;
mod pods;
pub mod port_use;
pub mod rules;
mod run;
mod running_pods;
mod service_ports;
mod settings;
mod sharing;
mod versions;
mod workload;

pub use crate::model::listener::called;
pub use crate::plan::Finding;
pub use context::CheckContext;
pub use facts::CheckFacts;
pub use package_pods::PackagePods;
pub use run::run;
pub use running_pods::{Running, RunningPod};
pub use settings::Settings;
pub use workload::Workload;
