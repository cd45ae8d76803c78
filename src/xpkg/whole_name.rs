//! Names of packages and their images without a registry.

use crate::catalog::default_registries;
use crate::version::ProgramVersion;
use oci::name::ImageRef;

/// A package's name with its registry, as a release of Crossplane reads it; the name itself where the release is not known or refuses it.
#[must_use]
pub fn whole_name(package: &str, version: Option<&str>) -> String {
    let version = version.map_or_else(ProgramVersion::unknown, ProgramVersion::read);
    let row = default_registries().iter().rev().find(|row| version.has(row.since) == Some(true));
    match row.filter(|row| !row.registry.is_empty() && ImageRef::of(package).is_unqualified()) {
        Some(row) => format!("{}/{package}", row.registry),
        None => package.to_owned(),
    }
}
