//! What is wrong with host networking as it is written: rules over what is there. Plans nothing, edits nothing, does no I/O.
//!
//! A [`Situation`] is built once of the model and of what the config knows; each rule of [`rules`] is a pure predicate over it
//! and gives [`Finding`]s. A rule says who refuses or breaks, in which versions and in whose words, and what to write instead.
//! It is an error only where something certainly fails.

mod alternatives;
pub mod facts;
mod generator;
mod given;
mod listening;
mod package_pods;
mod packages;
mod pods;
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
