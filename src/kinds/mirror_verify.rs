//! Verifies that Crossplane accepts packages, in registries and in files.

#[cfg(feature = "registry")]
use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

use crate::dependency::{Library, newest};
use crate::rule::Severity;
use crate::version::ProgramVersion;
use crate::xpkg::{About, CheckOptions, Finding, PackageReport, check_package, library, package_yaml, platforms};
use oci::name::RemoteRef;
#[cfg(feature = "registry")]
use oci::registry::{Client, NoClient, Options, RegistryImage};
use oci::{Budget, Platform, Source, Store, StoreError};

/// Reason why a package could not be verified.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// The source cannot be read: source and reason.
    #[error("{0}: {1}")]
    Source(String, String),
    /// No registry client could be created.
    #[cfg(feature = "registry")]
    #[error(transparent)]
    Client(#[from] NoClient),
}

/// A digest with the platforms of an index, or the reason why the image certainly does not exist.
type Digest = Result<(String, Vec<Platform>), StoreError>;

/// Converts a read error to a row with a finding, so that one unreachable registry does not discard the other results.
///
/// # Errors
/// If no registry client could be created.
pub fn row(source: &str, report: Result<PackageReport, NotOpened>) -> Result<PackageReport, NotOpened> {
    report.or_else(|error| {
        Ok(PackageReport { source: source.to_owned(), findings: vec![no_answer(error)?], ..PackageReport::default() })
    })
}

/// The finding about a registry or file that could not be read.
///
/// # Errors
/// If no registry client could be created.
pub fn no_answer(error: NotOpened) -> Result<Finding, NotOpened> {
    match error {
        NotOpened::Source(_, why) => {
            Ok(Finding { severity: Severity::Error, about: About::NoAnswer, message: format!("not read: {why}") })
        }
        #[cfg(feature = "registry")]
        NotOpened::Client(_) => Err(error),
    }
}

/// Verifies packages in registries and files. A registry is contacted only if a source refers to it.
#[derive(Debug)]
pub struct Verifier<'a> {
    check: CheckOptions<'a>,
    budget: Rc<Budget>,
    #[cfg(feature = "registry")]
    options: Options,
    #[cfg(feature = "registry")]
    client: OnceCell<Client>,
}

impl<'a> Verifier<'a> {
    /// Creates a verifier with access to registries. `time` limits the whole run.
    #[cfg(feature = "registry")]
    pub fn new(check: CheckOptions<'a>, time: Duration, options: Options) -> Self {
        Self { check, budget: Budget::new(time), options, client: OnceCell::new() }
    }

    /// Creates a verifier for files and folders. `time` limits the whole run.
    #[cfg(not(feature = "registry"))]
    pub fn new(check: CheckOptions<'a>, time: Duration) -> Self {
        Self { check, budget: Budget::new(time) }
    }

    /// Limits of the run.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Announces references that will be read, so that a slow registry leaves time for the others.
    pub fn expect<'t>(&self, references: impl Iterator<Item = &'t str>) {
        for reference in references.filter_map(|text| RemoteRef::read(text).ok()) {
            self.budget.expect(reference.host(), reference.as_str());
        }
    }

    /// Starts to read a reference.
    fn start(&self, reference: &RemoteRef) {
        self.budget.start_entry(Some((reference.host(), reference.as_str())));
    }

    /// Verifies a source of the command line; `text` is the source as written.
    ///
    /// # Errors
    /// If its file or registry cannot be read.
    pub fn verify(&self, text: &str, source: &Source) -> Result<PackageReport, NotOpened> {
        if let Source::Registry(reference) = source {
            return self.verify_remote(reference, self.check.kind, self.check.is_resolved);
        }
        self.budget.start_entry(None);
        let Some(store) = self.open(text, source)? else { return Ok(PackageReport::default()) };
        store.root().map_err(|error| NotOpened::Source(text.to_owned(), error.message))?;
        self.error_if_limit_reached(text, check_package(store.as_ref(), self.check))
    }

    /// Verifies a package in a registry, as an object of this kind would install it; `is_resolved` is false if the
    /// object skips dependencies.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub fn verify_remote(
        &self,
        reference: &RemoteRef,
        kind: Option<&str>,
        is_resolved: bool,
    ) -> Result<PackageReport, NotOpened> {
        self.start(reference);
        let report = self.in_registry(reference, CheckOptions { kind, is_resolved, ..self.check })?;
        self.error_if_limit_reached(reference.as_str(), report)
    }

    /// The `package.yaml` of a valid package, as a release of Crossplane reads it.
    ///
    /// # Errors
    /// If the package cannot be read.
    pub fn package_yaml(&self, text: &str, source: &Source, version: &str) -> Result<Option<Vec<u8>>, NotOpened> {
        let found = match source {
            Source::Registry(reference) => {
                self.start(reference);
                self.yaml_in_registry(reference, version)?
            }
            _ => {
                self.budget.start_entry(None);
                self.open(text, source)?.and_then(|store| package_yaml(store.as_ref(), version))
            }
        };
        self.error_if_limit_reached(text, found)
    }

    /// Digest and platforms of a source of the command line: the platforms of an index, and with `reads` also the
    /// platform in a single image's config. The inner error is the reason why the image certainly does not exist.
    ///
    /// # Errors
    /// If the existence of the image is unknown.
    pub fn digest(&self, text: &str, source: &Source, reads: bool) -> Result<Digest, NotOpened> {
        if let Source::Registry(reference) = source {
            return self.digest_remote(reference, reads);
        }
        self.budget.start_entry(None);
        let not_opened = |why: &str| NotOpened::Source(text.to_owned(), why.to_owned());
        match self.open(text, source)? {
            Some(store) if store.is_as_pushed() => self.error_unless_final(text, platforms(store.as_ref(), reads)),
            _ => Err(not_opened("it has no digest before it is pushed")),
        }
    }

    /// [`Verifier::digest`] for an image of a manifest or a package.
    ///
    /// # Errors
    /// If the existence of the image is unknown.
    pub fn digest_remote(&self, reference: &RemoteRef, reads: bool) -> Result<Digest, NotOpened> {
        self.start(reference);
        let found = self.platforms_in_registry(reference, reads)?;
        self.error_unless_final(reference.as_str(), found)
    }

    /// Opens the image of a source.
    fn open(&self, text: &str, source: &Source) -> Result<Option<Box<dyn Store>>, NotOpened> {
        source.open(text, &self.budget).map_err(|error| NotOpened::Source(text.to_owned(), error.to_string()))
    }

    /// Error if the read failed for a temporary reason, or because of a limit of the run.
    fn error_unless_final(&self, text: &str, found: Digest) -> Result<Digest, NotOpened> {
        match found {
            Err(error) if !error.is_final => Err(NotOpened::Source(text.to_owned(), error.message)),
            found => self.error_if_limit_reached(text, found),
        }
    }

    /// Returns `found`, or an error if the run has reached a limit, because `found` may then be caused by the limit.
    fn error_if_limit_reached<T>(&self, text: &str, found: T) -> Result<T, NotOpened> {
        self.budget.limit_or_incomplete_reason().map_or(Ok(found), |why| Err(NotOpened::Source(text.to_owned(), why)))
    }

    /// Library with which the requested Crossplane release compares versions.
    pub fn library(&self) -> Library {
        library(&self.check.version.map_or_else(ProgramVersion::unknown, ProgramVersion::read))
    }

    /// Newest version of a package in a range; `None` if the range has no version. The inner error is the reason why
    /// the package certainly does not exist.
    ///
    /// # Errors
    /// If the registry cannot be read.
    pub fn newest(&self, name: &RemoteRef, range: &str) -> Result<Result<Option<String>, StoreError>, NotOpened> {
        self.start(name);
        match self.tags(name)? {
            Ok(tags) => Ok(Ok(newest(range, tags.iter().map(String::as_str), self.library()).map(str::to_owned))),
            Err(error) if error.is_final => Ok(Err(error)),
            Err(error) => Err(NotOpened::Source(name.as_str().to_owned(), error.message)),
        }
    }
}

#[cfg(feature = "registry")]
impl Verifier<'_> {
    fn client(&self) -> Result<&Client, NotOpened> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = Client::new(&self.options, Rc::clone(&self.budget))?;
        Ok(self.client.get_or_init(|| client))
    }

    fn yaml_in_registry(&self, reference: &RemoteRef, version: &str) -> Result<Option<Vec<u8>>, NotOpened> {
        Ok(package_yaml(&RegistryImage::new(self.client()?, reference), version))
    }

    fn platforms_in_registry(&self, reference: &RemoteRef, reads: bool) -> Result<Digest, NotOpened> {
        Ok(platforms(&RegistryImage::new(self.client()?, reference), reads))
    }

    /// Tags of a repository.
    fn tags(&self, name: &RemoteRef) -> Result<Result<Vec<String>, StoreError>, NotOpened> {
        Ok(RegistryImage::new(self.client()?, name).tags())
    }

    fn in_registry(&self, reference: &RemoteRef, check: CheckOptions<'_>) -> Result<PackageReport, NotOpened> {
        let image = RegistryImage::new(self.client()?, reference);
        // A temporary registry error is not a finding about the package.
        match image.root() {
            Err(error) if !error.is_final => Err(NotOpened::Source(reference.as_str().to_owned(), error.message)),
            _ => Ok(check_package(&image, check)),
        }
    }
}

#[cfg(not(feature = "registry"))]
#[allow(clippy::unused_self, reason = "a build with registries sends requests with it")]
impl Verifier<'_> {
    fn yaml_in_registry(&self, reference: &RemoteRef, _: &str) -> Result<Option<Vec<u8>>, NotOpened> {
        Err(no_registry_support_error(reference))
    }

    fn platforms_in_registry(&self, reference: &RemoteRef, _: bool) -> Result<Digest, NotOpened> {
        Err(no_registry_support_error(reference))
    }

    fn tags(&self, name: &RemoteRef) -> Result<Result<Vec<String>, StoreError>, NotOpened> {
        Err(no_registry_support_error(name))
    }

    fn in_registry(&self, reference: &RemoteRef, _: CheckOptions<'_>) -> Result<PackageReport, NotOpened> {
        Err(no_registry_support_error(reference))
    }
}

#[cfg(not(feature = "registry"))]
fn no_registry_support_error(reference: &RemoteRef) -> NotOpened {
    NotOpened::Source(
        reference.as_str().to_owned(),
        "this build reads no registry; copy it into a folder, and write `oci:DIR`".to_owned(),
    )
}
