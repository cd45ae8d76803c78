//! Objects that the input contains more than once.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog;
use crate::model::facts::package;
use crate::model::{Meta, Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Objects that share group, kind, namespace and name with another object, if one of these objects is in `chosen`.
pub(crate) fn duplicates<'m>(
    all: impl IntoIterator<Item = (ObjectId, &'m Meta)>,
    chosen: &BTreeSet<ObjectId>,
) -> Vec<ObjectId> {
    let mut ids: BTreeMap<_, Vec<(ObjectId, &Meta)>> = BTreeMap::new();
    for (id, meta) in all.into_iter().filter(|(_, meta)| !meta.name.is_empty() && !meta.is_named_later()) {
        // Packages are cluster-scoped (`scope=Cluster`, Crossplane's `apis/pkg/v1`), even with a namespace in the
        // manifest.
        let namespace = meta.namespace.as_ref().filter(|_| meta.gvk.group != package::GROUP);
        ids.entry((&meta.gvk.group, &meta.gvk.kind, namespace, &meta.name)).or_default().push((id, meta));
    }
    let same = ids.into_values().filter(|ids| ids.len() > 1 && ids.iter().any(|(id, _)| chosen.contains(id)));
    let repeated = same.flat_map(|ids| {
        let is_repeated = |(id, meta): &(ObjectId, &Meta)| {
            ids.iter().any(|(other, its)| other != id && !are_hooks_of_different_events(meta, its))
        };
        ids.iter().filter(|one| is_repeated(one)).map(|(id, _)| *id).collect::<Vec<_>>()
    });
    repeated.collect()
}

/// True if both objects are hooks of a release that run at different events, so that one run applies only one of them.
///
/// Source: helm/helm@00988372 `pkg/action/hooks.go`, `execHook`; argoproj/argo-cd v3.4 `docs/user-guide/sync-waves.md`.
pub(crate) fn are_hooks_of_different_events(one: &Meta, other: &Meta) -> bool {
    let events = |meta: &'_ Meta, key: &str| -> Option<BTreeSet<String>> {
        Some(meta.annotations.get(key)?.split(',').map(|event| event.trim().to_owned()).collect())
    };
    catalog::HOOK_ANNOTATIONS
        .iter()
        .any(|key| events(one, key).zip(events(other, key)).is_some_and(|(one, other)| one.is_disjoint(&other)))
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
