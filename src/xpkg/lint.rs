//! Validates the content of a package like Crossplane.

use super::content::{Content, META, PackageMeta};
use super::era::Era;
use super::ranges::library;
use crate::catalog::{known_package_kinds, package_linters};
use crate::dependency::{in_range, range_error};
use crate::version::ProgramVersion;

/// The reason why Crossplane rejects a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// The content has no package metadata, or more than one.
    Metas,
    /// The package is of another kind than the installing object.
    Kind,
    /// The release does not support the API version of the metadata.
    Version,
    /// The range of supported Crossplane versions is invalid.
    Range,
    /// The package contains an object that its kind does not allow.
    Object,
    /// The package does not support the release.
    Release,
}

/// Validates a content; the error holds the flaw and Crossplane's message. `options` is the expected kind of package.
pub(super) fn lint(content: &Content, options: Option<&str>, version: &ProgramVersion) -> Result<(), (Flaw, String)> {
    let wrong = |flaw, why: &str| Err((flaw, format!("linting package contents failed: {why}")));
    let [meta] = content.metas.as_slice() else {
        return wrong(Flaw::Metas, "not exactly one package meta type");
    };
    let kind = options.unwrap_or(&meta.kind);
    if kind != meta.kind {
        return wrong(Flaw::Kind, &format!("package meta type is not {kind}"));
    }
    if taken_since(meta).is_some_and(|since| version.has(since) == Some(false)) {
        return wrong(Flaw::Version, &format!("package meta type is not {kind}"));
    }
    if let Some(error) = meta.crossplane.as_ref().and_then(|range| range_error(range, library(version))) {
        let why = format!("package version constraints are poorly formatted: {error}");
        return wrong(Flaw::Range, &why);
    }
    let rows = package_linters().iter().filter(|row| row.package == kind && version.has(row.since) != Some(false));
    let rows: Vec<_> = rows.collect();
    let is_taken = |group: &str, kind: &str| rows.iter().any(|row| row.group == group && row.kind == kind);
    if !rows.is_empty() && content.objects.iter().any(|object| !is_taken(&object.group, &object.kind)) {
        let errors: Vec<&str> = rows.iter().map(|row| row.error).collect();
        let why = match errors.as_slice() {
            [only] => (*only).to_owned(),
            all => format!("object did not pass any of the linters with following errors: {}", all.join(", ")),
        };
        return wrong(Flaw::Object, &why);
    }
    Ok(())
}

/// The first release that supports metadata of this API version.
pub(super) fn taken_since(meta: &PackageMeta) -> Option<&'static str> {
    let is_its = |row: &&crate::catalog::KnownKinds| {
        row.group == META && row.version == meta.version && row.kinds.contains(&meta.kind.as_str())
    };
    known_package_kinds().iter().find(is_its).map(|row| row.taken_since)
}

/// Checks the supported Crossplane versions: they must include the requested release, or the first or last release of
/// an era.
pub(super) fn release(meta: &PackageMeta, era: &Era, options: Option<&str>) -> Result<(), (Flaw, String)> {
    let Some(range) = &meta.crossplane else { return Ok(()) };
    let versions = options.map_or_else(|| vec![era.since, era.last], |version| vec![version]);
    let is_for = |version: &&str| in_range(range, version, library(&ProgramVersion::read(version))) == Some(true);
    if versions.iter().any(is_for) {
        return Ok(());
    }
    let version = options.unwrap_or(era.last);
    let message =
        format!("incompatible Crossplane version: package is not compatible with Crossplane version ({version})");
    Err((Flaw::Release, message))
}
