//! The registry of packages whose name has none.

use super::flag::flag;
use super::version::is_crossplane;
use crate::catalog::default_registries;
use crate::model::Model;
use crate::version::ProgramVersion;
use oci::name::ImageRef;

/// What a name without registry means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unqualified {
    /// This registry.
    Means(String),
    /// Crossplane refuses it.
    Refused,
    /// That depends on the version, which is not known.
    Unknown,
}

/// What a name without registry means to Crossplane.
pub(crate) fn unqualified(model: &Model, version: &ProgramVersion) -> Unqualified {
    let last = default_registries().iter().rev().find(|row| version.has(row.since) == Some(true));
    match last {
        None => Unqualified::Unknown,
        Some(row) if row.registry.is_empty() => Unqualified::Refused,
        Some(row) => Unqualified::Means(given(model).unwrap_or_else(|| row.registry.to_owned())),
    }
}

/// The registry that the core takes for names without one, when its arguments say so.
/// Source: crossplane/crossplane@v1.20.11 `cmd/crossplane/core/core.go`: `--registry`, `-r`.
fn given(model: &Model) -> Option<String> {
    model.workloads().find_map(|(_, _, template)| {
        let mut cores = template.running().filter(|(_, container)| is_crossplane(ImageRef::of(&container.image)));
        cores.find_map(|(_, container)| flag(container, &["--registry", "-r"]))
    })
}
