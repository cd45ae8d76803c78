//! Names inside a kustomize build.
//!
//! kustomize renames objects step by step and mends the references to them once, at the end of the whole build. A function that runs in between
//! sees present names of objects and old texts of references. [`View`] is the same input with the names that kustomize will find: decisions
//! are made on it, and their edits are written into the input itself, whose references keep their text.
//!
//! Source: kubernetes-sigs/kustomize api/v0.21.2 `filters/nameref/nameref.go`, `resmap/reswrangler.go`, `resource/resource.go`.

pub mod above;
pub mod build_needs;
mod fields;
mod identity;
mod index;
pub mod plugin;
mod resolve;
mod view;

pub use identity::Identity;
pub use view::{Dangling, Former, View};
