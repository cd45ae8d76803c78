//! The object that a reference means, by kustomize's own rule.

use super::fields::{Beside, Field};
use super::identity::{Identity, effective};
use super::index::Index;

/// What a reference means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The name is a present one, or nobody's.
    Stays,
    /// It means this object, which had the name.
    Object(usize),
    /// Several objects had the name, and nothing tells which of them is meant.
    Several(Vec<usize>),
}

/// Finds the object that `field` of `referrer` means. `accounts` are the namespaces of the ServiceAccounts of a RoleBinding.
pub(super) fn resolve(index: &Index, referrer: &Identity, accounts: &[&str], field: &Field) -> Meaning {
    let is_present = has_present(index, referrer, field);
    if field.is_added && is_present {
        return Meaning::Stays;
    }
    let in_reach = |object: &Identity| {
        field.is_global
            || referrer.is_cluster_scoped()
            || object.is_cluster_scoped()
            || object.namespace == referrer.namespace
            || object.kind == "ServiceAccount" && accounts.contains(&object.namespace.as_str())
    };
    let is_namespace = namespace_filter(index, referrer, accounts, field);
    let had = |object: &Identity| {
        object.had_kind(&field.kind) && field.role.as_ref().is_none_or(|kind| object.had_kind(kind))
    };
    let candidates: Vec<(usize, &Identity)> = index
        .formerly(&field.name)
        .filter(|(_, object)| is_namespace(object) && had(object) && in_reach(object))
        .collect();
    match candidates.as_slice() {
        [] => return Meaning::Stays,
        [(only, _)] => return Meaning::Object(*only),
        _ => {}
    }
    let mut left = candidates.clone();
    left.retain(|(_, object)| object.ends_like(referrer, true));
    if left.len() > 1 {
        left.retain(|(_, object)| object.ends_like(referrer, false));
    }
    let is_alike = |one: &Identity, other: &Identity| {
        one.name == other.name && (field.beside == Beside::Scalar || one.written == other.written)
    };
    match left.as_slice() {
        [] if is_present => Meaning::Stays,
        [] => Meaning::Several(candidates.iter().map(|(id, _)| *id).collect()),
        [(first, one), rest @ ..] if rest.iter().all(|(_, other)| is_alike(one, other)) => Meaning::Object(*first),
        several => Meaning::Several(several.iter().map(|(id, _)| *id).collect()),
    }
}

/// True if an object of the kind has the name now.
fn has_present(index: &Index, referrer: &Identity, field: &Field) -> bool {
    let namespace = match &field.beside {
        Beside::Written(written) => effective(written),
        Beside::Scalar | Beside::Missing => &referrer.namespace,
    };
    // A cluster-scoped object has no namespace of its own to look in.
    let anywhere = field.is_global || referrer.is_cluster_scoped() && !matches!(field.beside, Beside::Written(_));
    index.presently(&field.name).any(|(_, object)| {
        object.kind == field.kind && (anywhere || object.is_cluster_scoped() || object.namespace == namespace)
    })
}

/// The objects that the namespace beside a name leaves. Only first and present namespaces count.
fn namespace_filter<'i>(
    index: &Index,
    referrer: &Identity,
    accounts: &[&str],
    field: &'i Field,
) -> impl Fn(&Identity) -> bool + 'i {
    let written = match &field.beside {
        Beside::Written(written) if !field.is_global => Some(effective(written)),
        _ => None,
    };
    let near: Vec<&str> = accounts.iter().copied().chain([referrer.namespace.as_str()]).collect();
    let near = (!referrer.is_cluster_scoped()).then_some(near.as_slice());
    let some_first = written.is_some_and(|written| index.some_was_in(written, near));
    let is_added = field.is_added;
    move |object| {
        let Some(written) = written else { return true };
        let (is_first, is_now) = (object.first_namespace() == Some(written), object.namespace == written);
        if is_added {
            is_first || is_now
        } else if some_first {
            is_first
        } else {
            is_now
        }
    }
}
