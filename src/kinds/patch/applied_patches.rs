//! Detects inputs that are built with the patches of an earlier run.

use crate::model::Meta;
use crate::render::patch::{Applied, EarlierPatch, Renames, Target};
use krm::{Input, ReadError};

/// Returns an object that already has the values of its earlier patch, if most changes of the earlier patches are made:
/// the inputs are then a build with these patches. One object with the same values is not enough, because its base may
/// have them.
///
/// # Errors
///
/// An input that cannot be read.
pub fn find_already_patched_object(
    inputs: &[Input],
    carrier: &Renames,
    earlier: &[EarlierPatch],
) -> Result<Option<Meta>, ReadError> {
    let (mut total, mut first) = (Applied::default(), None);
    if earlier.is_empty() {
        return Ok(None);
    }
    for input in inputs {
        let found = input.objects(|_, node| {
            let meta = Meta::read(node);
            let target = carrier.undo(Target::new(&meta, []).ok()?).ok()?;
            let applied = earlier.iter().find(|patch| patch.selects(&target))?.applied(node);
            Some((meta, applied))
        })?;
        for (meta, applied) in found.into_iter().flatten() {
            total.made += applied.made;
            total.open += applied.open;
            first = first.or((applied.made > applied.open).then_some(meta));
        }
    }
    Ok(first.filter(|_| total.made > total.open))
}
