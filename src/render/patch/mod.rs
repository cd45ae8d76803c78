//! A plan as JSON6902 patches: one for each object that changes, for kustomize and for Flux, which runs no functions.
//!
//! A patch that no longer fits what it changes has to fail the build: every change has a `test` before it, and the
//! elements of lists on the way are tested by their names. What one test says has no second one (`fewer`). The objects
//! are those of the input, so an index or a missing list is looked up there and not guessed.

mod change;
mod check;
mod cut;
mod fewer;
mod form;
mod guard;
mod into;
mod object_patch;
mod operation;
mod site;
mod target;
#[cfg(test)]
mod tests;
mod text;

use crate::model::Meta;
use crate::plan::Edit;
use lossless_yaml::NodeRef;

pub use check::Renames;
pub use form::{Form, MADE_BY, holds_patches, is_made_here, text};
pub use into::{Carried, carried, carried_at, without_patches};
pub use object_patch::ObjectPatch;
pub use target::Target;

/// The patch that makes these edits of an object, of which there is one at least.
///
/// An error is a sentence that says what a patch cannot express.
pub fn of_object(meta: &Meta, target: Target, object: NodeRef<'_, '_>, edits: &[&Edit]) -> Result<ObjectPatch, String> {
    let (mut changes, checks) =
        change::changes(meta, &target, object, edits).map_err(|why| format!("{meta}: {why}"))?;
    fewer::fewer(object, &mut changes);
    Ok(ObjectPatch { name: meta.to_string(), target, input: 0, changes, checks })
}
