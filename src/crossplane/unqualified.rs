//! The default registry of package names.

use crate::catalog::DEFAULT_REGISTRIES;
use crate::version::ProgramVersion;

/// The meaning of a package name without registry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Unqualified {
    /// The name belongs to this registry.
    Means(String),
    /// Crossplane rejects the name.
    Refused,
    /// The core has a setting whose value is not in the input.
    Hidden,
    /// The meaning depends on the version, which is unknown.
    #[default]
    Unknown,
}

/// The registry that the core's settings give to names without registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RegistrySetting {
    /// The registry of the setting.
    Given(String),
    /// The core has the setting, and the input does not show its value.
    Hidden,
}

/// Determines the meaning of a package name without registry in Crossplane.
pub(crate) fn unqualified(version: &ProgramVersion, setting: Option<RegistrySetting>) -> Unqualified {
    let last = DEFAULT_REGISTRIES.iter().rev().find(|row| version.has(row.since) == Some(true));
    match (last, setting) {
        (None, _) => Unqualified::Unknown,
        (Some(row), _) if row.registry.is_empty() => Unqualified::Refused,
        (Some(_), Some(RegistrySetting::Given(registry))) => Unqualified::Means(registry),
        (Some(_), Some(RegistrySetting::Hidden)) => Unqualified::Hidden,
        (Some(row), None) => Unqualified::Means(row.registry.to_owned()),
    }
}
