//! What packages need, and what those need.

use std::collections::{BTreeMap, BTreeSet};

use crate::api::KnownPackage;
use crate::image::{ImageRef, Library, needed_package};

/// A package that another one needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Need {
    /// Who needs it.
    pub(super) by: String,
    /// Its name, without a tag.
    pub(super) name: String,
    /// The versions that will do; `any version` for all.
    pub(super) range: String,
    /// The one that Crossplane takes: that of the input, else the newest of those that are known; none when none is in range.
    pub(super) source: Option<String>,
    /// What the input has instead.
    pub(super) instead: Option<String>,
}

/// What packages need, followed to the end. `sources` are whole references; `library` compares versions.
pub(super) fn closed(
    known: &BTreeMap<String, KnownPackage>,
    library: Library,
    sources: impl Iterator<Item = String>,
) -> Vec<Need> {
    let mut by_name: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for key in known.keys() {
        by_name.entry(ImageRef::of(key).name).or_default().push(key);
    }
    let mut open: Vec<String> = sources.collect();
    let first = open.clone();
    let mut present: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for own in &first {
        present.entry(ImageRef::of(own).name).or_default().push(own);
    }
    let mut done: BTreeSet<String> = BTreeSet::new();
    let mut all = Vec::new();
    while let Some(source) = open.pop() {
        if !done.insert(source.clone()) {
            continue;
        }
        for needed in needs_of(known, &source).into_iter().flatten() {
            let Some(needed) = needed_package(needed) else { continue };
            let of_input = present.get(needed.name);
            let found = if needed.is_digest() {
                Some(format!("{}@{}", needed.name, needed.range))
            } else if let Some(of_input) = of_input {
                let has =
                    |key: &&&String| ImageRef::of(key).tag.is_some_and(|tag| needed.has(tag, library) == Some(true));
                of_input.iter().find(has).map(|key| (*key).clone())
            } else {
                let versions = by_name.get(needed.name).into_iter().flatten();
                let tags = versions.filter_map(|key| ImageRef::of(key).tag);
                needed.newest(tags, library).map(|tag| format!("{}:{tag}", needed.name))
            };
            open.extend(found.clone());
            let range = if needed.range.is_empty() { "any version" } else { needed.range };
            let (name, range) = (needed.name.to_owned(), range.to_owned());
            let instead = of_input.and_then(|all| all.first()).filter(|_| found.is_none());
            let instead = instead.map(|own| (*own).clone());
            all.push(Need { by: source.clone(), name, range, source: found, instead });
        }
    }
    all
}

/// What `packages` says that one needs; none when it does not say.
pub(super) fn needs_of<'k>(known: &'k BTreeMap<String, KnownPackage>, source: &str) -> Option<&'k [String]> {
    entry_of(known, source)?.depends_on.as_deref()
}

/// What `packages` says of a reference: by its tag, or else by its digest.
pub(super) fn entry_of<'k>(known: &'k BTreeMap<String, KnownPackage>, source: &str) -> Option<&'k KnownPackage> {
    let image = ImageRef::of(source);
    if image.tag.is_some() {
        return known.get(ImageRef::without_digest(source));
    }
    let digest = image.digest?;
    let same =
        known.iter().filter(|(key, own)| ImageRef::of(key).name == image.name && own.digest.as_deref() == Some(digest));
    same.map(|(_, own)| own).next()
}
