//! Entry points of config kinds and commands: load inputs, plan, render.

mod any;
pub mod build_patches;
mod changed_objects;
pub mod chart_values;
pub mod charts;
pub mod check;
mod config_text;
pub mod coverage;
pub mod draft;
mod duplicate_keys;
mod duplicate_renders;
mod function;
pub mod host_network;
mod kustomize;
mod kustomize_names;
pub mod learn;
mod load;
pub mod mirror_check;
pub mod mirror_pin;
pub mod mirror_verify;
pub mod package_mirror;
pub mod patch;
pub mod pin;
mod places;
pub mod proxy_check;
pub mod proxy_environment;
pub mod proxy_values;
pub mod readable;
pub mod reserve;
mod run;
mod written_names;

pub use changed_objects::ChangedObject;
pub use function::{Function, Planned, RunError};
pub use kustomize::may_be_build;
pub use run::{Run, config_results, run, splices_with_only_results};
