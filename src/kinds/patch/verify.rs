//! Verifies that built output contains the changes of patches.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Identity, Patches, identity};
use crate::model::{Meta, ObjectId};
use crate::render::patch::{ObjectPatch, Renames};
use krm::{Input, ReadError};

/// Lists objects and values of the patches that are missing in `built`, the output of a kustomization with these
/// `renames`, one line each.
pub fn verify(patches: &Patches, built: &Input, renames: &Renames) -> Result<Vec<String>, ReadError> {
    let metas = built.objects(|_, node| Meta::read(node))?;
    let mut missing = Vec::new();
    for new in &patches.new {
        if renames.count(&new.meta, &metas).is_some_and(|count| count != 1) {
            missing.push(format!("{} is new, and does not occur exactly once", new.meta));
        }
    }
    for removed in &patches.removed {
        if renames.count(removed, &metas).is_some_and(|count| count != 0) {
            missing.push(format!("{removed} should be removed, but exists"));
        }
    }
    let candidates = candidates(&patches.patches, &metas, renames);
    let mut matched: HashMap<ObjectId, Vec<usize>> = HashMap::new();
    for (patch, ids) in candidates.iter().enumerate() {
        for id in ids {
            matched.entry(*id).or_default().push(patch);
        }
    }
    let by_identity: HashMap<Identity<'_>, (ObjectId, &[usize])> = matched
        .iter()
        .filter_map(|(id, matched)| Some((identity(metas.get(*id)?), (*id, matched.as_slice()))))
        .collect();
    let names: HashMap<&str, String> =
        patches.new.iter().map(|new| (new.meta.name.as_str(), renames.name(&new.meta))).collect();
    let unmade = built.objects(|_, node| {
        let (id, matched) = by_identity.get(&identity(&Meta::read(node))).copied()?;
        let missing = |at: &usize| Some(((*at, id), patches.patches.get(*at)?.missing_changes(node, &names)));
        Some(matched.iter().filter_map(missing).collect::<Vec<_>>())
    })?;
    let mut unmade: BTreeMap<(usize, ObjectId), Vec<String>> = unmade.into_iter().flatten().flatten().collect();
    // An object that matches a patch with a known name cannot also match one whose name has placeholders.
    let is_known = |patch: &ObjectPatch| patch.built_kind_and_name(renames).is_some();
    let known = patches.patches.iter().zip(&candidates).filter(|(patch, _)| is_known(patch));
    let mut taken: BTreeSet<ObjectId> = known.flat_map(|(_, ids)| ids).copied().collect();
    for (at, (patch, ids)) in patches.patches.iter().zip(&candidates).enumerate() {
        let free: Vec<ObjectId> = ids.iter().copied().filter(|id| is_known(patch) || !taken.contains(id)).collect();
        missing.extend(patch.missed(free.len(), &metas, renames));
        let best = free.iter().min_by_key(|id| unmade.get(&(at, **id)).map(Vec::len));
        if let Some(id) = best.filter(|_| free.len() == 1 || !is_known(patch)) {
            taken.insert(*id);
            missing.extend(unmade.remove(&(at, *id)).unwrap_or_default());
        }
    }
    Ok(missing)
}

/// Objects that each patch may match: at most one, unless the name in the patch has placeholders.
fn candidates(patches: &[ObjectPatch], metas: &[Meta], renames: &Renames) -> Vec<Vec<ObjectId>> {
    let mut places: HashMap<(&str, &str), Vec<ObjectId>> = HashMap::new();
    for (id, meta) in metas.iter().enumerate() {
        places.entry((&meta.gvk.kind, &meta.name)).or_default().push(id);
    }
    let matches = |patch: &ObjectPatch, id: &ObjectId| metas.get(*id).is_some_and(|meta| patch.matches(meta, renames));
    let candidates = |patch: &ObjectPatch| -> Vec<ObjectId> {
        match patch.built_kind_and_name(renames) {
            Some((kind, name)) => {
                let near = places.get(&(kind.as_str(), name.as_str())).into_iter().flatten().copied();
                near.filter(|id| matches(patch, id)).collect()
            }
            None => (0..metas.len()).filter(|id| matches(patch, id)).collect(),
        }
    };
    patches.iter().map(candidates).collect()
}
