//! Conflicts of packages in the input that are the same package.

use std::collections::{BTreeMap, BTreeSet};

use super::closure::RequiredPackage;
use super::conflict::{CONFLICT_EFFECT, Conflict};
use super::lock::{Lock, LockPackage};
use crate::rule::Severity;
use oci::name::ImageRef;

/// Maximum number of packages in one repository that are compared.
const MAX_COMPARED: usize = 200;

/// Conflicts of packages in the input that are one package under two names, and warnings about two objects with one
/// reference. Objects of one kind and name, and two versions of one package, may be for two clusters.
pub(super) fn place_conflicts(lock: &Lock<'_>) -> Vec<Conflict> {
    let mut by_place: BTreeMap<&str, Vec<&LockPackage>> = BTreeMap::new();
    for package in &lock.packages {
        by_place.entry(package.place.as_str()).or_default().push(package);
    }
    let mut found = Vec::new();
    for all in by_place.values() {
        let name = |package: &LockPackage| ImageRef::split(&package.given).name.to_owned();
        let renamed = pair(all, |one, other| name(one) != name(other));
        found.extend(renamed.map(|(one, other)| pair_conflict(lock, one, other, None, &BTreeSet::new())));
        let is_twice = |one: &LockPackage, other: &LockPackage| {
            one.is_object && other.is_object && one.kind == other.kind && one.given == other.given
        };
        found.extend(pair(all, is_twice).filter(|_| renamed.is_none()).map(|(one, other)| Conflict {
            severity: Severity::Warning,
            ..pair_conflict(lock, one, other, None, &BTreeSet::new())
        }));
    }
    found
}

/// The first two packages of different objects, in one cluster, that are a pair.
fn pair<'p>(
    all: &[&'p LockPackage],
    is_pair: impl Fn(&LockPackage, &LockPackage) -> bool,
) -> Option<(&'p LockPackage, &'p LockPackage)> {
    let mut seen = BTreeSet::new();
    let distinct = all.iter().copied().filter(|one| seen.insert((&one.label, &one.given, &one.core.cluster)));
    let distinct: Vec<&LockPackage> = distinct.take(MAX_COMPARED).collect();
    distinct.iter().enumerate().find_map(|(at, one)| {
        let is_match =
            |other: &&&LockPackage| other.label != one.label && one.core.may_meet(&other.core) && is_pair(one, other);
        Some((*one, *distinct.iter().skip(at + 1).find(is_match)?))
    })
}

/// Conflicts of packages of one kind in two repositories with one digest, which are the same package. A warning if no
/// rule matches either. Crossplane refuses an image whose metadata is of another kind than the object, so objects of
/// two kinds never install one package (crossplane/crossplane@v1.20.11 `internal/xpkg/lint.go`, `IsProvider`).
pub(super) fn digest_conflicts(lock: &Lock<'_>, needs: &[RequiredPackage]) -> Vec<Conflict> {
    let mut by_digest: BTreeMap<(String, &str), Vec<&LockPackage>> = BTreeMap::new();
    for package in &lock.packages {
        if let Some(digest) = lock.rules.digest_of_package(&package.source) {
            by_digest.entry((digest, &package.kind)).or_default().push(package);
        }
    }
    let needed: BTreeSet<&str> = needs.iter().map(|need| need.name.as_str()).collect();
    let is_ours = |package: &LockPackage| {
        let name = ImageRef::split(&package.source).name;
        lock.rules.of_package(name).is_some() || lock.rules.is_mirrored(name)
    };
    let mut found = Vec::new();
    for ((digest, _), all) in &by_digest {
        let Some((first, other)) = pair(all, |one, other| one.place != other.place) else { continue };
        let mut conflict = pair_conflict(lock, first, other, Some(digest), &needed);
        if !is_ours(first) && !is_ours(other) {
            conflict.severity = Severity::Warning;
        }
        found.push(conflict);
    }
    found
}

/// The conflict of two packages whose names differ before the change.
fn pair_conflict(
    lock: &Lock<'_>,
    one: &LockPackage,
    other: &LockPackage,
    digest: Option<&str>,
    needed: &BTreeSet<&str>,
) -> Conflict {
    // Package metadata contains upstream names, so no package depends on the name in the mirror.
    let is_mirrored = |package: &LockPackage| lock.rules.is_mirrored(ImageRef::split(&package.source).name);
    let is_needed = |package: &LockPackage| needed.contains(package.name());
    let removes_first = is_needed(other) && !is_needed(one) || is_needed(one) == is_needed(other) && is_mirrored(one);
    let (removed, kept) = if removes_first { (one, other) } else { (other, one) };
    let what = if removed.name() == kept.name() {
        format!("{} and {} are both {} after this run", removed.label, kept.label, kept.name())
    } else {
        let names = (removed.name(), kept.name());
        let both = digest.map(|digest| format!(" (both {digest})")).unwrap_or_default();
        format!(
            "{} is {} and {} is {}: these are two names of one package{both}",
            removed.label, names.0, kept.label, names.1
        )
    };
    let remedy =
        if removed.is_object { removed.label.clone() } else { format!("{} from {}", removed.source, removed.label) };
    Conflict {
        severity: Severity::Error,
        message: format!("{what}: {CONFLICT_EFFECT}. Remove {remedy}"),
        source: removed.source.clone(),
        object: Some(removed.object),
    }
}
