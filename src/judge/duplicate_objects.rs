//! Objects that the input contains more than once.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::facts::package;
use crate::model::{Meta, Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Objects that share group, kind, namespace and name with another object, if one of these objects is in `chosen`.
pub(crate) fn duplicates<'m>(
    all: impl IntoIterator<Item = (ObjectId, &'m Meta)>,
    chosen: &BTreeSet<ObjectId>,
) -> Vec<ObjectId> {
    let mut ids: BTreeMap<_, Vec<ObjectId>> = BTreeMap::new();
    for (id, meta) in all.into_iter().filter(|(_, meta)| !meta.name.is_empty() && !meta.is_named_later()) {
        // Packages are cluster-scoped (`scope=Cluster`, Crossplane's `apis/pkg/v1`), even with a namespace in the
        // manifest.
        let namespace = meta.namespace.as_ref().filter(|_| meta.gvk.group != package::GROUP);
        ids.entry((&meta.gvk.group, &meta.gvk.kind, namespace, &meta.name)).or_default().push(id);
    }
    let same = ids.into_values().filter(|ids| ids.len() > 1 && ids.iter().any(|id| chosen.contains(id)));
    same.flatten().collect()
}

/// Note that explains why two packages of one name are the same object.
pub(crate) fn same_name_packages_note(kind: &str) -> String {
    format!(" (a {kind} has no namespace, so two objects of one name are the same object)")
}

/// Reports chosen packages that share their name with another package of the input. The input may be for several
/// clusters, so it is unknown to which of them new objects belong.
pub(crate) fn duplicate_packages(model: &Model, chosen: impl IntoIterator<Item = ObjectId>) -> Vec<Finding> {
    let packages = model.packages().map(|(id, meta, _)| (id, meta));
    let ids = duplicates(packages, &chosen.into_iter().collect());
    let findings = ids.into_iter().filter_map(|id| {
        let meta = &model.object(id)?.meta;
        let message = format!(
            "{meta} is in the input more than once{}: remove one, or give the files of one cluster at a time",
            same_name_packages_note(&meta.gvk.kind)
        );
        Some(Finding::new(Severity::Error, rule::DUPLICATE_OBJECT, message).on_object(id))
    });
    findings.collect()
}
