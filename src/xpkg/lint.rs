//! Validates the content of a package like Crossplane.

use super::content::{Content, Dependency, META, PackageMeta, PackageObject};
use super::ranges::library;
use super::refused_field::FieldRefusal;
use crate::catalog::{KNOWN_PACKAGE_KINDS, PACKAGE_LINTERS};
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
    /// The release does not know the form of a dependency.
    Dependency,
    /// The CRDs of the release refuse a value of an object.
    Field,
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
    let rows = PACKAGE_LINTERS.iter().filter(|row| row.package == kind && version.has(row.since) != Some(false));
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
    KNOWN_PACKAGE_KINDS.iter().find(is_its).map(|row| row.taken_since)
}

/// Checks if the metadata supports a release.
pub(super) fn release(meta: &PackageMeta, version: &str) -> Result<(), (Flaw, String)> {
    let Some(range) = &meta.crossplane else { return Ok(()) };
    if in_range(range, version, library(&ProgramVersion::read(version))) == Some(true) {
        return Ok(());
    }
    let message =
        format!("incompatible Crossplane version: package is not compatible with Crossplane version ({version})");
    Err((Flaw::Release, message))
}

/// Checks if a release knows the form of each dependency. Another form leads to an empty name or to a range that the
/// release cannot read, so the dependency is missing.
///
/// Source: crossplane/crossplane@v1.17.6 `internal/controller/pkg/revision/reconciler.go`, `errResolveDeps`;
/// `dependency.go`, `errFmtMissingDependencies`.
pub(super) fn dependencies(meta: &PackageMeta, version: &ProgramVersion) -> Result<(), (Flaw, String)> {
    let name = |dependency: &Dependency| if dependency.is_by_kind { String::new() } else { dependency.package.clone() };
    let names: Vec<String> = unread_dependencies(meta, version).map(name).collect();
    if names.is_empty() {
        return Ok(());
    }
    let message = format!("cannot resolve package dependencies: missing dependencies: [{}]", names.join(" "));
    Err((Flaw::Dependency, message))
}

/// Checks if the CRDs of a release accept all objects. Crossplane first creates them in a dry run.
///
/// Source: crossplane/crossplane@v2.3.4 `internal/controller/pkg/revision/reconciler.go`, `errEstablishControl`;
/// `establisher.go`, `validate`.
pub(super) fn fields(content: &Content, version: &ProgramVersion) -> Result<(), (Flaw, String)> {
    let Some((object, refusal)) = refused_fields(content, version).next() else { return Ok(()) };
    let PackageObject { group, kind, name, .. } = object;
    let error = &refusal.error;
    let message = format!("cannot establish control of object: {kind}.{group} \"{name}\" is invalid: {error}");
    Err((Flaw::Field, message))
}

/// The values that the CRDs of a release refuse, each with its object.
pub(super) fn refused_fields<'c>(
    content: &'c Content,
    version: &ProgramVersion,
) -> impl Iterator<Item = (&'c PackageObject, &'c FieldRefusal)> {
    let refused = |object: &'c PackageObject| {
        let first = object.refusals.iter().find(|refusal| refusal.applies(version));
        first.map(|refusal| (object, refusal))
    };
    content.objects.iter().filter_map(refused)
}

/// The dependencies in a form that a release does not know.
pub(super) fn unread_dependencies<'m>(
    meta: &'m PackageMeta,
    version: &ProgramVersion,
) -> impl Iterator<Item = &'m Dependency> {
    let is_unread =
        |dependency: &&Dependency| dependency.since().is_some_and(|since| version.has(since) == Some(false));
    meta.depends_on.iter().filter(is_unread)
}
