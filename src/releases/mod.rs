//! Objects whose manifests another program renders: chart releases, folders that Flux and Argo CD build, and resource
//! sets.
//!
//! [`Repository`] holds the data to which these objects refer; [`rendered()`] reads one object.

mod applied_objects;
mod argo;
mod argo_values;
mod artifact;
mod builds;
mod chart_folder;
mod config_values;
mod copied_values;
mod directory;
mod flux;
mod generated;
mod generator_template;
mod git;
mod helm_chart;
mod kustomization;
mod later_steps;
mod listed_patch;
mod names;
mod objects;
mod origins;
mod overlay;
mod overridden;
mod own_fields;
mod patch;
mod provider_helm;
mod release;
mod rendered;
mod replacements;
mod repository;
mod resource_set;
mod sources;
pub mod unknown_chart;
mod variables;

pub use argo::{ARGOCD_MANIFESTS, sources as application_sources};
pub use chart_folder::{chart_with_default_values, helmfile, helmfile_command, local_chart};
pub use generated::is_render;
pub use kustomization::kustomization_of;
pub use later_steps::{LaterStep, later_steps, steps_after_components};
pub use listed_patch::{ListedPatch, affixes};
pub use names::{
    PATCH_COMMENT_PREFIX, RENDERED_FILE_HEADER, different_folders, group_and_kind, name_of, place_of_render,
    source_of_render, text,
};
pub use overridden::{NewValue, overridden, place_of};
pub use patch::unescaped;
pub use release::{Build, Chart, Doubts, Operand, Release, Rendered, Renderer, Values};
pub use rendered::{may_be_rendered, rendered, template_folders};
pub use repository::{Repository, git_root, root_of};
pub use resource_set::{embedded, holds_template, is_template};
