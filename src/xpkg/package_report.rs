//! Checks if Crossplane releases install a package.

use super::check_options::{CheckOptions, Depth};
use super::content::Dependency;
use super::content_check::{CheckedContent, ContentCheck, ReleaseResult};
use super::era::{ERAS, Era};
use super::findings::{self, About, Finding};
use super::image::{FetchError, PackageImage};
use super::lookup::{LookupError, PackageFile, find};
use super::package_name::{NAME_RULE, name_refusal, validates_names};
use crate::catalog::full_names_required_since;
use crate::rule::Severity;
use crate::version::ProgramVersion;
use oci::{Platform, Store};

/// The report about a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PackageReport {
    /// The source of the package, as written.
    pub source: String,
    /// The digest of the manifest or index.
    pub digest: Option<String>,
    /// `Provider`, `Configuration` or `Function`.
    pub kind: Option<String>,
    /// The dependencies.
    pub depends_on: Vec<Dependency>,
    /// The runtime image in `package.yaml`, as written.
    pub runtime_image: Option<String>,
    /// The platforms of an index.
    pub platforms: Option<Vec<Platform>>,
    /// The platform of an image without index.
    pub own_platform: Option<Platform>,
    /// Results per release, oldest first.
    pub release_results: Vec<ReleaseResult>,
    /// Further findings, most severe first.
    pub findings: Vec<Finding>,
}

impl PackageReport {
    /// True if the package does not install: a finding is an error, or a release rejects it. Older
    /// releases of an era do not count. Releases that the package does not support do not count if
    /// another release accepts it.
    pub fn is_refused(&self) -> bool {
        let refused = |release_result: &ReleaseResult| {
            release_result.message.is_some()
                && !release_result.is_older
                && (!release_result.is_for_others || self.release_results.iter().all(|other| other.message.is_some()))
        };
        self.release_results.iter().any(refused)
            || self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Adds a finding, keeping the order by severity.
    pub fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
        self.findings.sort_by_key(|finding| (finding.severity, finding.about));
    }

    /// Checks the name in an object's `spec.package`. Without a version, a rejected name is a warning; `hint` is
    /// appended to the message.
    pub fn check_name(&mut self, package: &str, version: Option<&str>, hint: &str) {
        let validates = version.and_then(|version| validates_names(&ProgramVersion::read(version)));
        let Some(refusal) = name_refusal(package).filter(|_| validates != Some(false)) else { return };
        if validates == Some(true) {
            let message = format!("spec.package: Invalid value: \"{package}\": {NAME_RULE}");
            self.release_results.iter_mut().for_each(|release_result| release_result.message = Some(message.clone()));
        }
        let severity = if validates == Some(true) { Severity::Error } else { Severity::Warning };
        let since = full_names_required_since().unwrap_or_default();
        let message =
            format!("as `spec.package` the API server refuses the name from Crossplane {since} on: {refusal}{hint}");
        self.add(Finding { severity, about: About::Name, message });
    }
}

/// Maximum number of layers read; container runtimes do not support this many.
const MAX_LAYERS: usize = 1000;

/// Checks the package in a store.
pub fn check_package(store: &dyn Store, options: CheckOptions<'_>) -> PackageReport {
    let of_version = options.version.map(|version| Era::for_version(&ProgramVersion::read(version)));
    let eras: Vec<&'static Era> = of_version.map_or_else(|| ERAS.iter().collect(), |era| vec![era]);
    let mut report = PackageReport { source: store.display_name().to_owned(), ..PackageReport::default() };
    let image = match PackageImage::fetch(store) {
        Ok(image) => image,
        Err(unfetched) => {
            let release_result = |era: &&Era| ReleaseResult {
                crossplane: options.version.unwrap_or(era.name).to_owned(),
                message: Some(message_of_unfetched(store, &unfetched, era)),
                is_for_others: false,
                is_older: false,
            };
            report.release_results = eras.iter().map(release_result).collect();
            report.findings = findings::unreadable_image_findings(&unfetched);
            return report;
        }
    };
    report.digest = store.is_as_pushed().then(|| image.named.clone());
    if image.manifest.layers.len() > MAX_LAYERS {
        report.findings = vec![findings::too_many_layers(image.manifest.layers.len(), MAX_LAYERS)];
        return report;
    }
    report.platforms.clone_from(&image.platforms);
    report.own_platform = image.own_platform();
    if image.is_unknown() {
        (report.platforms, report.own_platform) = (Some(Vec::new()), None);
    }
    let mut seen = CheckedContent::default();
    let mut known: Vec<(&Era, Result<PackageFile, LookupError>)> = Vec::new();
    for era in eras {
        let found = find(&image, era, options.depth);
        let unfound = match &found {
            Ok(found) => {
                report.release_results.extend(ContentCheck { store, found, era, options }.release_results(&mut seen));
                None
            }
            Err(unfound) if era.validates => Some(format!("cannot initialize parser backend: {}", unfound.message)),
            Err(unfound) => Some(format!(
                "cannot unpack package: cannot extract package content from {}: {}",
                store.display_name(),
                unfound.message
            )),
        };
        if unfound.is_some() {
            let crossplane = options.version.unwrap_or(era.name).to_owned();
            report.release_results.push(ReleaseResult {
                crossplane,
                message: unfound,
                is_for_others: false,
                is_older: false,
            });
        }
        known.push((era, found));
    }
    report.kind = seen.meta.as_ref().map(|meta| meta.kind.clone());
    report.depends_on = seen.meta.as_ref().map(|meta| meta.depends_on.clone()).unwrap_or_default();
    let is_found = known.iter().any(|(_, found)| found.is_ok());
    let others = ERAS.iter().filter(|era| is_found && known.iter().all(|(known_era, _)| known_era != era));
    let others: Vec<_> = others.map(|era| (era, find(&image, era, options.depth))).collect();
    report.findings = findings::image_findings(&image, &known, &others, options.depth);
    report.findings.extend(seen.flaws);
    report.runtime_image = seen.meta.and_then(|meta| meta.runtime_image);
    let runs_another = known.iter().any(|(era, _)| era.is_exact);
    if let Some(named) = report.runtime_image.as_deref().filter(|_| runs_another) {
        report.findings.push(findings::runtime_image(named, options.version));
    }
    let runs_own = known.iter().any(|(era, found)| found.is_ok() && (!era.is_exact || report.runtime_image.is_none()));
    // The platforms of an image that does not run have no effect.
    if runs_own && let Some(kind) = report.kind.as_deref() {
        report.findings.extend(findings::platforms(&image, kind));
        report.findings.extend((kind != "Configuration").then(|| findings::no_program(&image)).flatten());
    }
    report.findings.sort_by_key(|finding| (finding.severity, finding.about));
    report.findings.dedup();
    report
}

/// The `package.yaml` that a release finds; `None` if it finds none.
pub fn package_yaml(store: &dyn Store, version: &str) -> Option<Vec<u8>> {
    let image = PackageImage::fetch(store).ok().filter(|image| image.manifest.layers.len() <= MAX_LAYERS)?;
    let found = find(&image, Era::for_version(&ProgramVersion::read(version)), Depth::Needed).ok()?;
    found.cut.is_none().then_some(found.bytes)
}

/// Crossplane's message about a package that it cannot fetch.
fn message_of_unfetched(store: &dyn Store, unfetched: &FetchError, era: &Era) -> String {
    let called = store.display_name();
    match (unfetched, era.validates) {
        (FetchError::Missing(error), true) => {
            format!("cannot unpack package: failed to fetch package digest from remote: {error}")
        }
        (FetchError::Missing(error), false) => {
            format!("cannot unpack package: cannot resolve {called} to digest: {error}")
        }
        (FetchError::Broken(error), true) => {
            format!("cannot initialize parser backend: failed to fetch package from remote: {error}")
        }
        (FetchError::Broken(error), false) => format!("cannot unpack package: cannot fetch package {called}: {error}"),
        (FetchError::NoPlatform { .. }, true) => format!(
            "cannot initialize parser backend: failed to fetch package from remote: no child with platform linux/amd64 in index {called}"
        ),
        (FetchError::NoPlatform { index, .. }, false) => format!(
            "cannot unpack package: cannot fetch package {called}: no child with platform linux/amd64 in index {}",
            store.by_digest(index)
        ),
    }
}
