//! The default registry of package names.

use super::flag::flag;
use super::own_container::is_crossplane;
use crate::catalog::DEFAULT_REGISTRIES;
use crate::model::Model;
use crate::version::ProgramVersion;

/// The meaning of a package name without registry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Unqualified {
    /// The name belongs to this registry.
    Means(String),
    /// Crossplane rejects the name.
    Refused,
    /// The meaning depends on the version, which is unknown.
    #[default]
    Unknown,
}

/// Determines the meaning of a package name without registry in Crossplane.
pub(crate) fn unqualified(model: &Model, version: &ProgramVersion) -> Unqualified {
    let last = DEFAULT_REGISTRIES.iter().rev().find(|row| version.has(row.since) == Some(true));
    match last {
        None => Unqualified::Unknown,
        Some(row) if row.registry.is_empty() => Unqualified::Refused,
        Some(row) => Unqualified::Means(registry_argument(model).unwrap_or_else(|| row.registry.to_owned())),
    }
}

/// The default registry set by the core's arguments.
/// Source: crossplane/crossplane@v1.20.11 `cmd/crossplane/core/core.go`: `--registry`, `-r`.
fn registry_argument(model: &Model) -> Option<String> {
    model.workloads().find_map(|(_, _, template)| {
        let mut cores = template.running().filter(|(_, container)| is_crossplane(template, container));
        cores.find_map(|(_, container)| flag(container, &["--registry", "-r"]))
    })
}
