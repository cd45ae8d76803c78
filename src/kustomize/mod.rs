//! Names inside a kustomize build.
//!
//! kustomize renames objects step by step, but updates references to them only once, at the end of the whole build. A
//! function in between sees present names of objects and outdated references. [`View`] is the same input with updated
//! references: plans are made on it, and their edits are applied to the input itself, whose references stay unchanged.
//!
//! Source: kubernetes-sigs/kustomize api/v0.21.2 `filters/nameref/nameref.go`, `resmap/reswrangler.go`,
//! `resource/resource.go`.

pub mod build_needs;
mod fields;
mod identity;
mod index;
pub mod outer_kustomizations;
pub mod plugin;
mod resolve;
mod view;

pub use identity::Identity;
pub use view::{AmbiguousReference, FormerNameReference, View};
