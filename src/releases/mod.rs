//! Objects for which somebody else renders manifests: releases of charts, folders that Flux and Argo CD build, and sets of resources.
//!
//! [`Repository`] holds all that such objects refer to; [`rendered`] reads one of them.

mod argo;
mod flux;
mod git;
mod helm_chart;
mod kustomization;
mod names;
mod release;
mod rendered;
mod repository;
mod sources;

pub use names::{OWN_PATCH, group_and_kind, name_of, text};
pub use release::{Build, By, Chart, Release, Rendered, Values};
pub use rendered::rendered;
pub use repository::Repository;
