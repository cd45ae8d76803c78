//! `hostnet mirror verify -c CONFIG PATH…`: verifies that the mirror contains all packages and images of the manifests
//! in matching versions.

use std::collections::{BTreeMap, BTreeSet};

use super::mirror_pin::record;
use super::mirror_verify::{NotOpened, Verifier, no_answer, row};
use crate::api::KnownPackage;
use crate::catalog::OWN_IMAGE_SINCE;
use crate::dependency::{NeededPackage, range_error};
use crate::package_mirror::{
    Conflict, Listed, ListedKind, Listing, Routes, RuntimeParts, missing_rule_text, uncovered,
};
use crate::rule::Severity;
use crate::version::ProgramVersion;
use crate::xpkg::{About, Finding, PackageReport, whole_name};
use oci::name::{ImageRef, RemoteRef};

/// Existing packages: name, and each version with its digest.
type Versions = BTreeMap<String, Vec<(String, Option<String>)>>;

/// Verifies all listed packages and images at their targets, and the dependencies of packages. `version` is
/// Crossplane's; `list` lists the input again with the facts read from packages.
///
/// # Errors
/// If no registry client could be created, and errors of `list`.
pub fn check<E: From<NotOpened>>(
    verifier: &Verifier<'_>,
    listing: &Listing,
    version: Option<&str>,
    list: impl FnOnce(BTreeMap<String, KnownPackage>) -> Result<Listing, E>,
) -> Result<Vec<PackageReport>, E> {
    let (nodes, routes, default_runtime) = (&listing.nodes, &listing.routes, listing.default_runtime);
    let (versions, reports) = (Versions::new(), Vec::new());
    let mut checker = Checker { verifier, routes, version, nodes, default_runtime, versions, reports };
    let is_read = |entry: &&Listed| entry.kind != ListedKind::Signature && uncovered(entry, routes).is_none();
    verifier.expect(listing.entries.iter().filter(is_read).map(target));
    let mut skipped = BTreeSet::new();
    for entry in listing.entries.iter().filter(|entry| entry.kind == ListedKind::Package) {
        if !entry.is_resolved {
            skipped.insert(entry.source.as_str());
        }
        checker.package(entry)?;
    }
    checker.dependencies(&skipped)?;
    let learned = list(checker.learned())?;
    for entry in learned.entries.iter().filter(|entry| entry.kind == ListedKind::Image) {
        checker.image(entry)?;
    }
    for conflict in learned.conflicts {
        checker.conflict(conflict);
    }
    Ok(checker.reports.into_iter().map(|(_, report)| report).collect())
}

/// The reference from which an entry is read.
fn target(entry: &Listed) -> &str {
    entry.target.as_deref().unwrap_or(&entry.source)
}

struct Checker<'c> {
    verifier: &'c Verifier<'c>,
    routes: &'c Routes,
    version: Option<&'c str>,
    /// Platforms of the input's nodes.
    nodes: &'c BTreeSet<String>,
    /// The settings of the input for the runtime of packages that have no object.
    default_runtime: RuntimeParts,
    versions: Versions,
    /// Verified packages and images, each with its source.
    reports: Vec<(String, PackageReport)>,
}

impl Checker<'_> {
    /// Checks a package in the mirror.
    fn package(&mut self, entry: &Listed) -> Result<(), NotOpened> {
        let place = target(entry);
        let mut report = match (self.uncovered(entry), reference(place)) {
            (Some(report), _) => report,
            (None, Ok(reference)) => {
                row(place, self.verifier.verify_remote(&reference, entry.requested_as.as_deref(), entry.is_resolved))?
            }
            (None, Err(report)) => *report,
        };
        report.check_name(&self.routes.new_reference(&entry.source), self.version, "");
        if !entry.is_run || entry.has_command {
            report.findings.retain(|finding| finding.about != About::NoProgram);
        }
        digest(&mut report, entry);
        let is_before = |version| ProgramVersion::read(version).has(OWN_IMAGE_SINCE) == Some(false);
        let runs_named = report.runtime_image.is_some() && self.version.is_some_and(is_before);
        if entry.is_run && !runs_named {
            self.platforms(&mut report);
        } else {
            let is_platform = |about| matches!(about, About::SinglePlatform | About::UnknownPlatform);
            report.findings.retain(|finding| !is_platform(finding.about));
        }
        if entry.is_verified {
            self.signature(&mut report, ImageRef::split(place).name)?;
        }
        let image = ImageRef::split(&entry.source);
        let version = image.tag.or(image.digest).unwrap_or("latest").to_owned();
        self.versions.entry(image.name.to_owned()).or_default().push((version, report.digest.clone()));
        self.reports.push((entry.source.clone(), report));
        Ok(())
    }

    /// A row for a required package or image for which the config has no rule; it is not looked up in its original
    /// registry.
    fn uncovered(&self, entry: &Listed) -> Option<PackageReport> {
        let message = uncovered(entry, self.routes)?;
        let mut report = PackageReport { source: entry.source.clone(), ..PackageReport::default() };
        add_finding(&mut report, Severity::Error, About::Dependency, message);
        Some(report)
    }

    /// Checks an image in the mirror.
    fn image(&mut self, entry: &Listed) -> Result<(), NotOpened> {
        let place = target(entry);
        let mut report = PackageReport { source: place.to_owned(), ..PackageReport::default() };
        match (self.uncovered(entry), reference(place)) {
            (Some(row), _) => report = row,
            (None, Err(wrong)) => report = *wrong,
            (None, Ok(reference)) => match self.verifier.digest_remote(&reference, !self.nodes.is_empty()) {
                Err(error) => report.add(no_answer(error)?),
                Ok(Ok((digest, platforms))) => {
                    report.digest = Some(digest);
                    report.platforms = Some(platforms).filter(|all| !all.is_empty());
                }
                Ok(Err(error)) => {
                    add_finding(&mut report, Severity::Error, About::NotFound, format!("not found: {error}"));
                }
            },
        }
        digest(&mut report, entry);
        self.platforms(&mut report);
        self.reports.push((entry.source.clone(), report));
        Ok(())
    }

    /// Warns about an image that lacks a platform of the nodes. The image of a Configuration is never run.
    fn platforms(&self, report: &mut PackageReport) {
        let all = report.platforms.iter().flatten().chain(&report.own_platform);
        let has: BTreeSet<String> = all.map(ToString::to_string).collect();
        if report.kind.as_deref() == Some("Configuration") {
            return;
        }
        if has.is_empty() {
            // A package whose index names no platform already has this finding.
            let is_reported = report.findings.iter().any(|finding| finding.about == About::UnknownPlatform);
            if report.digest.is_some() && !self.nodes.is_empty() && !is_reported {
                let nodes = self.nodes.iter().cloned().collect::<Vec<_>>().join(", ");
                let message = format!(
                    "unknown platform: neither an index nor the image's config names one, so it is not known if the nodes ({nodes}) can run it"
                );
                add_finding(report, Severity::Warning, About::UnknownPlatform, message);
            }
            return;
        }
        if !self.nodes.is_empty() {
            report.findings.retain(|finding| finding.about != About::SinglePlatform);
        }
        let lacks: Vec<&str> = self.nodes.difference(&has).map(String::as_str).collect();
        if lacks.is_empty() {
            return;
        }
        let has = has.iter().cloned().collect::<Vec<_>>().join(", ");
        let message = format!(
            "it is for {has}, and the cluster has nodes of {}, which cannot run it; copy all platforms",
            lacks.join(", ")
        );
        add_finding(report, Severity::Warning, About::SinglePlatform, message);
    }

    /// Verifies that the signature, which Crossplane's core checks, is in the mirror under the package's digest.
    fn signature(&self, report: &mut PackageReport, name: &str) -> Result<(), NotOpened> {
        let Some(digest) = report.digest.clone() else { return Ok(()) };
        for end in ["sig", "att"] {
            let place = format!("{name}:{}.{end}", digest.replace(':', "-"));
            let Ok(reference) = RemoteRef::read(&place) else { continue };
            match self.verifier.digest_remote(&reference, false) {
                Ok(Ok(_)) => return Ok(()),
                Ok(Err(_)) => {}
                Err(error) => {
                    let Finding { message, .. } = no_answer(error)?;
                    add_finding(report, Severity::Error, About::Signature, format!("its signature {place}: {message}"));
                    return Ok(());
                }
            }
        }
        let message = format!(
            "an ImageConfig verifies it, and neither {name}:{0}.sig nor .att exists; copy its signature too",
            digest.replace(':', "-")
        );
        add_finding(report, Severity::Error, About::Signature, message);
        Ok(())
    }

    /// Verifies that each dependency exists in a matching version; a dependency that is not listed is looked up.
    fn dependencies(&mut self, skipped: &BTreeSet<&str>) -> Result<(), NotOpened> {
        let mut at = 0;
        while let Some((source, report)) = self.reports.get(at) {
            let needs = if skipped.contains(source.as_str()) { Vec::new() } else { report.depends_on.clone() };
            for needed in needs {
                let name = whole_name(&needed.package, self.version);
                let needed = NeededPackage { name: &name, range: &needed.version };
                if let Some(message) = self.dependency(&needed)?
                    && let Some((_, report)) = self.reports.get_mut(at)
                {
                    add_finding(report, Severity::Error, About::Dependency, message);
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// Facts read from packages, in the form of the config's `packages`.
    fn learned(&self) -> BTreeMap<String, KnownPackage> {
        let recorded = self.reports.iter().filter_map(|(source, report)| {
            let image = ImageRef::split(source);
            // The key of an entry is the reference with its tag, or the name with the digest written as a tag.
            let key = match (image.tag, image.digest) {
                (Some(_), _) => ImageRef::without_digest(source).to_owned(),
                (None, Some(digest)) => format!("{}:{}", image.name, digest.replace(':', "-")),
                (None, None) => return None,
            };
            report.kind.as_ref()?;
            Some((key, record(report).ok()?))
        });
        recorded.collect()
    }

    /// Adds an error of dependency resolution to the row of its package.
    fn conflict(&mut self, conflict: Conflict) {
        let Conflict { severity, message, source, .. } = conflict;
        if let Some((_, report)) = self.reports.iter_mut().find(|(known, _)| *known == source) {
            return add_finding(report, severity, About::Dependency, message);
        }
        let mut report = PackageReport { source: source.clone(), ..PackageReport::default() };
        add_finding(&mut report, severity, About::Dependency, message);
        self.reports.push((source, report));
    }

    /// Message about a dependency that is missing or does not match; `None` if it is fine.
    fn dependency(&mut self, needed: &NeededPackage<'_>) -> Result<Option<String>, NotOpened> {
        let (name, range) = (needed.name, if needed.range.is_empty() { "any version" } else { needed.range });
        let place = self.routes.pulled(name).unwrap_or_else(|| name.to_owned());
        let unread = || range_error(needed.range, self.verifier.library());
        if let Some(error) = (!needed.is_digest()).then(unread).flatten() {
            return Ok(Some(format!("needs {name}, at versions that Crossplane cannot read: `{error}`")));
        }
        if let Some(there) = self.versions.get(name) {
            let fits = |(version, digest): &(String, Option<String>)| {
                if needed.is_digest() {
                    digest.as_deref() == Some(needed.range)
                } else {
                    needed.has(version, self.verifier.library()) == Some(true)
                }
            };
            if there.iter().any(fits) {
                return Ok(None);
            }
            let versions: Vec<&str> = there.iter().map(|(version, _)| version.as_str()).collect();
            return Ok(Some(format!(
                "needs {name} {range}, and the requested version is {}, which is not in that range",
                versions.join(", ")
            )));
        }
        if let Some(rule) = self.routes.missing_rule(name) {
            return Ok(Some(format!("needs {name} {range}, and {}", missing_rule_text(name, &rule))));
        }
        let version = if needed.is_digest() {
            Some(format!("@{}", needed.range))
        } else {
            let place = match RemoteRef::read(&place) {
                Ok(place) => place,
                Err(error) => return Ok(Some(format!("needs {name} {range}: {error}"))),
            };
            match self.verifier.newest(&place, needed.range) {
                Err(error) => {
                    return Ok(Some(format!(
                        "needs {name} {range}: {}: {}",
                        place.as_str(),
                        no_answer(error)?.message
                    )));
                }
                Ok(Ok(newest)) => newest.map(|tag| format!(":{tag}")),
                Ok(Err(error)) => {
                    return Ok(Some(format!("needs {name} {range}, which is not in the mirror: {error}")));
                }
            }
        };
        let Some(version) = version else {
            return Ok(Some(format!("needs {name} {range}, and {place} has no version in that range")));
        };
        let entry = Listed {
            kind: ListedKind::Package,
            source: format!("{name}{version}"),
            target: Some(format!("{place}{version}")),
            is_resolved: true,
            is_needed: true,
            is_run: !self.default_runtime.image,
            has_command: self.default_runtime.command,
            ..Listed::default()
        };
        if let Err(error) = self.verifier.budget().count_dependency() {
            return Ok(Some(format!("needs {name} {range}, which was not checked: {error}")));
        }
        self.package(&entry)?;
        Ok(None)
    }
}

fn add_finding(report: &mut PackageReport, severity: Severity, about: About, message: String) {
    report.add(Finding { severity, about, message });
}

/// Adds an error if the digest of a row differs from the digest in the list.
fn digest(report: &mut PackageReport, entry: &Listed) {
    let (Some(is), Some(known)) = (report.digest.clone(), entry.digest.as_deref()) else { return };
    if is != known {
        let message = format!(
            "digest differs: it should be {known}: the copy has a rewritten manifest or lacks platforms, or the tag was another image when it was copied"
        );
        add_finding(report, Severity::Error, About::Digest, message);
    }
}

/// Parses a reference of a manifest or a package; the error is a row about the invalid reference.
fn reference(place: &str) -> Result<RemoteRef, Box<PackageReport>> {
    RemoteRef::read(place).map_err(|error| {
        let mut report = PackageReport { source: place.to_owned(), ..PackageReport::default() };
        add_finding(&mut report, Severity::Error, About::NotFound, error.to_string());
        Box::new(report)
    })
}
