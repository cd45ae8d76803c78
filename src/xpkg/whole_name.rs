//! Adds the default registry to names of packages and their images.

use crate::catalog::DEFAULT_REGISTRIES;
use crate::version::ProgramVersion;
use oci::name::ImageRef;

/// The name of a package with its registry, as a release of Crossplane resolves it; unchanged if the release is
/// unknown or rejects the name.
pub fn whole_name(package: &str, version: Option<&str>) -> String {
    let version = version.map_or_else(ProgramVersion::unknown, ProgramVersion::read);
    let row = DEFAULT_REGISTRIES.iter().rev().find(|row| version.has(row.since) == Some(true));
    match row.filter(|row| !row.registry.is_empty() && ImageRef::split(package).is_unqualified()) {
        Some(row) => format!("{}/{package}", row.registry),
        None => package.to_owned(),
    }
}
