//! Names that a kustomization sets after its patches, although the patched objects have these names already.

use super::Patches;
use crate::render::patch::{Renames, Target};

/// True if all patched objects are in the namespace that the kustomization sets: a target without a namespace then
/// matches them before and after that step.
pub fn are_in_namespace(patches: &Patches, names: &Renames) -> bool {
    let namespace = Renames { namespace: names.namespace.clone(), ..Renames::default() };
    names.namespace.is_some() && all_have_renames(patches, &namespace)
}

/// True if all patched objects have the `namePrefix` and `nameSuffix` of the kustomization.
pub fn have_name_affixes(patches: &Patches, names: &Renames) -> bool {
    let affixes = Renames { namespace: None, ..names.clone() };
    affixes.renames() && all_have_renames(patches, &affixes)
}

/// True if the name changes may have produced all targets, and certainly produced one of them.
fn all_have_renames(patches: &Patches, names: &Renames) -> bool {
    let undone = |target: &Target| names.undo(target.clone());
    let targets: Vec<&Target> = patches.patches.iter().map(|patch| &patch.target).collect();
    targets.iter().all(|target| undone(target).is_ok())
        && targets.iter().any(|target| undone(target).is_ok_and(|before| before != **target))
}

/// Message about patches for objects that have the names of a kustomization already. `place` is the file of `--into`,
/// `remedy` the option that makes patches for the objects before these names.
pub fn already_renamed_message(place: &str, names: &Renames, remedy: &str) -> String {
    let affix = |field, text: &str| (!text.is_empty()).then(|| format!("{field} `{text}`"));
    let affixes = [affix("namePrefix", &names.prefix), affix("nameSuffix", &names.suffix)];
    let affixes: Vec<String> = affixes.into_iter().flatten().collect();
    format!(
        "{place}: all patched objects have its {} already. It sets names after its patches, so the patches would match \
         nothing: PATH seems to be its build. {remedy}; if the objects have these names before, use `--as component`",
        affixes.join(" and ")
    )
}
