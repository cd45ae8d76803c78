//! Transitive dependencies of packages.

use std::collections::{BTreeMap, BTreeSet};

use super::crossplane::{Unqualified, qualified};
use crate::api::KnownPackage;
use crate::dependency::{Library, needed_package};
use oci::name::ImageRef;

/// A package on which another package depends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequiredPackage {
    /// The whole reference of the dependent package.
    pub(super) by: String,
    /// The name of the dependency as the dependent package writes it, without a tag.
    pub(super) name: String,
    /// The name of the dependency with its registry; see `qualified`.
    pub(super) whole: String,
    /// The range of accepted versions; `any version` if all are.
    pub(super) range: String,
    /// The reference that Crossplane installs: the package of the input, else the newest known version; `None` if no
    /// version is in range.
    pub(super) source: Option<String>,
    /// The version in the input, if it is out of range.
    pub(super) instead: Option<String>,
}

/// Collects direct and indirect dependencies. Each root is a whole reference, and true if Crossplane resolves its
/// dependencies. `needs_of` returns the recorded dependencies of a reference, `library` compares versions, and
/// `unqualified` is the meaning of names without registry.
pub(super) fn closed<'k>(
    known: &BTreeMap<String, KnownPackage>,
    library: Library,
    unqualified: &Unqualified,
    roots: &[(String, bool)],
    needs_of: impl Fn(&str) -> Option<&'k [String]>,
) -> Vec<RequiredPackage> {
    let mut by_name: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for key in known.keys() {
        by_name.entry(ImageRef::split(key).name).or_default().push(key);
    }
    let mut present: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for (reference, _) in roots {
        present.entry(ImageRef::split(reference).name).or_default().push(reference);
    }
    let mut open: Vec<String> =
        roots.iter().filter(|(_, is_resolved)| *is_resolved).map(|(reference, _)| reference.clone()).collect();
    let mut done: BTreeSet<String> = BTreeSet::new();
    let mut all = Vec::new();
    while let Some(source) = open.pop() {
        if !done.insert(source.clone()) {
            continue;
        }
        for needed in needs_of(&source).into_iter().flatten() {
            let Some(needed) = needed_package(needed) else { continue };
            let whole = qualified(needed.name, unqualified);
            let for_input = present.get(whole.as_str());
            let found = if needed.is_digest() {
                Some(format!("{whole}@{}", needed.range))
            } else if let Some(for_input) = for_input {
                let has =
                    |key: &&&String| ImageRef::split(key).tag.is_some_and(|tag| needed.has(tag, library) == Some(true));
                for_input.iter().find(has).map(|key| (*key).clone())
            } else {
                let versions = by_name.get(whole.as_str()).into_iter().flatten();
                let tags = versions.filter_map(|key| ImageRef::split(key).tag);
                needed.newest(tags, library).map(|tag| format!("{whole}:{tag}"))
            };
            open.extend(found.clone());
            let range = if needed.range.is_empty() { "any version" } else { needed.range };
            let (name, range) = (needed.name.to_owned(), range.to_owned());
            let instead = for_input.and_then(|all| all.first()).filter(|_| found.is_none());
            let instead = instead.map(|reference| (*reference).clone());
            all.push(RequiredPackage { by: source.clone(), name, whole, range, source: found, instead });
        }
    }
    all
}
