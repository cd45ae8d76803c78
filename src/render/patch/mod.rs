//! Converts a plan to JSON6902 patches, one per changed object, for kustomize and for Flux, which runs no functions.
//!
//! A patch has to fail the build if its base has changed: a `test` precedes every change, and list elements on the path
//! are tested by name. Redundant tests are removed (`fewer`). Indexes and missing lists are taken from the input
//! objects.

pub mod admission;
mod change;
mod check;
mod earlier_patch;
mod edit_site;
mod form;
mod guard;
mod images;
mod insert;
mod merge_tests;
mod object_patch;
mod operation;
mod target;
#[cfg(test)]
mod tests;
mod text;
mod unterminated;

use crate::model::Meta;
use crate::plan::Edit;
use lossless_yaml::NodeRef;

pub use check::Renames;
pub use earlier_patch::{Applied, EarlierPatch, earlier_patches};
pub use form::{Form, MADE_BY, holds_patches, is_generated, text};
pub use insert::{Carried, carried, owners, refuse_images, without_patches, write_patches_at};
pub use object_patch::ObjectPatch;
pub use target::{Target, name_without_hash};

/// Builds the patch for the edits of an object; `edits` must not be empty.
///
/// The error is a sentence about an edit that a patch cannot express.
pub fn of_object(meta: &Meta, target: Target, object: NodeRef<'_, '_>, edits: &[&Edit]) -> Result<ObjectPatch, String> {
    let (mut changes, checks) = change::changes(&target, object, edits).map_err(|why| format!("{meta}: {why}"))?;
    merge_tests::fewer(object, &mut changes);
    Ok(ObjectPatch { object: meta.clone(), target, input: 0, changes, checks })
}
