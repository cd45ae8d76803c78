//! Crossplane packages: determines the pods of a selected package, and creates its own runtime config if needed.
//!
//! Crossplane builds the Deployment of a package from a `DeploymentRuntimeConfig`, so that object is edited. Rules
//! treat a package like a workload whose pod template comes from the runtime config plus the ports that Crossplane
//! declares.

mod base;
mod chart;
mod controller_config;
mod convert;
mod core_setting;
mod dependencies;
mod draft;
mod flag;
mod image_config;
mod maker;
mod may_move;
pub(crate) mod new_object;
mod own_config;
mod own_container;
mod program_values;
mod runtime;
mod runtime_config;
mod runtimes;
mod template;
mod terms;
mod unqualified;
mod version;

pub(crate) use chart::CoreChart;
pub use chart::ValuesSource;
pub(crate) use core_setting::{CoreSetting, PACKAGE_RUNTIME, REGISTRY};
pub(crate) use flag::flag;
pub(crate) use own_container::{
    CORE as CORE_CHARTS, is_core, is_crossplane, lacks_core, may_be_core, own_container, runs_core,
};
pub(crate) use program_values::ProgramValues;
pub(crate) use runtime::Runtime;
pub(crate) use runtime_config::{chosen_runtime_config, rewritten_source, runtime_config_among};
pub(crate) use runtimes::Runtimes;
pub(crate) use template::pods_of;
pub(crate) use terms::{Moves, SelectedPackage, Terms};
pub(crate) use unqualified::{RegistrySetting, Unqualified, unqualified};
pub(crate) use version::{Core, core_namespace, core_version, is_core_chart};
