//! Resolves references by kustomize's rules.

use super::fields::{Field, WrittenNamespace};
use super::identity::{Identity, effective};
use super::index::Index;

/// Result of resolving a reference.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ResolvedName {
    /// The name is a present name, or matches no object.
    Stays,
    /// The mapping with name and namespace matches no object. A build with a row for the name alone, such as
    /// kubebuilder's `config/webhook/kustomizeconfig.yaml`, may still update the name: kustomize does not compare
    /// namespaces for such a row (kustomize v5.8.2 `api/filters/nameref/nameref.go`, `setScalar`).
    Unmatched,
    /// The former name of this object.
    Object(usize),
    /// The former name of several objects; the reference is ambiguous.
    Several(Vec<usize>),
}

/// Resolves `field` of `referrer`. `accounts` are the namespaces of service accounts in a `RoleBinding`.
pub(super) fn resolve(index: &Index, referrer: &Identity, accounts: &[&str], field: &Field) -> ResolvedName {
    if field.is_added {
        return resolve_added(index, referrer, accounts, field);
    }
    let is_namespace = namespace_filter(index, referrer, accounts, field);
    let FormerNameMatches { had, left } = filter_by_former_name(index, referrer, accounts, field, is_namespace);
    let is_alike = |one: &Identity, other: &Identity| {
        one.name == other.name && (field.namespace == WrittenNamespace::Scalar || one.written == other.written)
    };
    match left.as_slice() {
        [] if present(index, referrer, field).is_some() => ResolvedName::Stays,
        [] if had.is_empty() && matches!(field.namespace, WrittenNamespace::Written(_)) => ResolvedName::Unmatched,
        [] if had.is_empty() => ResolvedName::Stays,
        [] => ResolvedName::Several(ids(&had)),
        [(first, one), rest @ ..] if rest.iter().all(|(_, other)| is_alike(one, other)) => ResolvedName::Object(*first),
        several => ResolvedName::Several(ids(several)),
    }
}

/// Resolves a field that is not in kustomize's own table. A build with a row for the field, such as kubebuilder's,
/// updates the name; other builds keep the text. If both interpretations match different objects, the reference is
/// ambiguous.
fn resolve_added(index: &Index, referrer: &Identity, accounts: &[&str], field: &Field) -> ResolvedName {
    let FormerNameMatches { had, left } = filter_by_former_name(index, referrer, accounts, field, |_| true);
    let written = match &field.namespace {
        WrittenNamespace::Written(written) if !field.is_global => Some(effective(written)),
        _ => None,
    };
    let is_now = |object: &Identity| written.is_none_or(|written| object.namespace == written);
    let is_near = |object: &Identity| is_now(object) || object.first_namespace() == written;
    let near: Vec<(usize, &Identity)> = had.into_iter().filter(|(_, object)| is_near(object)).collect();
    let present = present(index, referrer, field);
    let [(_, one), rest @ ..] = left.as_slice() else {
        return if near.is_empty() || present.is_some() {
            ResolvedName::Stays
        } else {
            ResolvedName::Several(ids(&near))
        };
    };
    if near.is_empty() || one.name == field.name {
        return ResolvedName::Stays;
    }
    if rest.iter().any(|(_, other)| other.name != one.name) {
        return if present.is_some() { ResolvedName::Stays } else { ResolvedName::Several(ids(&near)) };
    }
    let now = left.iter().find(|(_, object)| is_now(object));
    match (present, now) {
        (Some((_, object)), _) if referrer.is_renamed_alike(object) && !referrer.is_renamed_alike(one) => {
            ResolvedName::Stays
        }
        (Some((id, _)), _) => ResolvedName::Several([id].into_iter().chain(ids(&near)).collect()),
        (None, Some((id, _))) => ResolvedName::Object(*id),
        (None, None) => ResolvedName::Several(ids(&near)),
    }
}

/// Objects that had the name in a field (`had`), and the best matches for the referrer among these objects (`left`).
struct FormerNameMatches<'i> {
    had: Vec<(usize, &'i Identity)>,
    left: Vec<(usize, &'i Identity)>,
}

/// Finds the objects that had a name before renames, and the best matches for the referrer.
fn filter_by_former_name<'i>(
    index: &'i Index,
    referrer: &Identity,
    accounts: &[&str],
    field: &Field,
    is_namespace: impl Fn(&Identity) -> bool,
) -> FormerNameMatches<'i> {
    let in_reach = |object: &Identity| {
        referrer.is_cluster_scoped()
            || object.is_cluster_scoped()
            || object.namespace == referrer.namespace
            || object.kind == "ServiceAccount" && accounts.contains(&object.namespace.as_str())
    };
    let is_kind = |object: &Identity| {
        object.had_kind(&field.kind) && field.role.as_ref().is_none_or(|kind| object.had_kind(kind))
    };
    let had = index.with_former_name(&field.name);
    let had: Vec<_> = had.filter(|(_, object)| is_namespace(object) && is_kind(object) && in_reach(object)).collect();
    let mut left = had.clone();
    if left.len() > 1 {
        left.retain(|(_, object)| object.has_equal_last_renames(referrer, true));
    }
    if left.len() > 1 {
        left.retain(|(_, object)| object.has_equal_last_renames(referrer, false));
    }
    FormerNameMatches { had, left }
}

/// Indexes of the objects.
fn ids(objects: &[(usize, &Identity)]) -> Vec<usize> {
    objects.iter().map(|(id, _)| *id).collect()
}

/// An object of the kind with this present name.
fn present<'i>(index: &'i Index, referrer: &Identity, field: &Field) -> Option<(usize, &'i Identity)> {
    let namespace = match &field.namespace {
        WrittenNamespace::Written(written) => effective(written),
        WrittenNamespace::Scalar | WrittenNamespace::Missing => &referrer.namespace,
    };
    // A cluster-scoped object has no namespace to restrict the lookup.
    let anywhere =
        field.is_global || referrer.is_cluster_scoped() && !matches!(field.namespace, WrittenNamespace::Written(_));
    index.with_present_name(&field.name).find(|(_, object)| {
        object.kind == field.kind && (anywhere || object.is_cluster_scoped() || object.namespace == namespace)
    })
}

/// Filter by the namespace in the reference. Only original and present namespaces count.
fn namespace_filter<'i>(
    index: &Index,
    referrer: &Identity,
    accounts: &[&str],
    field: &'i Field,
) -> impl Fn(&Identity) -> bool + 'i {
    let written = match &field.namespace {
        WrittenNamespace::Written(written) => Some(effective(written)),
        _ => None,
    };
    let near: Vec<&str> = accounts.iter().copied().chain([referrer.namespace.as_str()]).collect();
    let near = (!referrer.is_cluster_scoped()).then_some(near.as_slice());
    let some_first = written.is_some_and(|written| index.any_moved_from_namespace(written, near));
    move |object| {
        let Some(written) = written else { return true };
        let (is_first, is_now) = (object.first_namespace() == Some(written), object.namespace == written);
        if some_first { is_first } else { is_now }
    }
}
