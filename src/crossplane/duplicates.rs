//! Packages that the input contains more than once.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Reports chosen packages whose name another package of the input has. Packages have no namespace, so a cluster has one
/// of them: the input may be for several clusters, and new objects get into one of them.
pub(crate) fn duplicate_packages(model: &Model, chosen: impl IntoIterator<Item = ObjectId>) -> Vec<Finding> {
    let chosen: BTreeSet<ObjectId> = chosen.into_iter().collect();
    let mut ids: BTreeMap<(&str, &str), Vec<ObjectId>> = BTreeMap::new();
    for (id, meta, _) in model.packages().filter(|(_, meta, _)| !meta.name.is_empty()) {
        ids.entry((&meta.gvk.kind, &meta.name)).or_default().push(id);
    }
    let is_chosen = |ids: &Vec<ObjectId>| ids.len() > 1 && ids.iter().any(|id| chosen.contains(id));
    let duplicates = ids.into_iter().filter(|(_, ids)| is_chosen(ids));
    let findings = duplicates.flat_map(|((kind, name), ids)| {
        ids.into_iter().map(move |id| {
            let message = format!(
                "{kind} {name} is in the input more than once (a {kind} has no namespace, so two of one name are the same object): \
                 remove one, or give the files of one cluster at a time"
            );
            Finding::new(Severity::Error, rule::DUPLICATE_OBJECT, message).on(id)
        })
    });
    findings.collect()
}
