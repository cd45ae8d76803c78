//! Whether packages are what Crossplane takes, wherever they are.

#[cfg(feature = "registry")]
use std::cell::OnceCell;

use crate::image::{Library, newest};
use crate::model::text::ProgramVersion;
#[cfg(feature = "registry")]
use crate::oci::Store;
#[cfg(feature = "registry")]
use crate::oci::registry::{Client, NoClient, Options, RegistryImage};
use crate::oci::{Platform, Source, Trouble};
use crate::xpkg::{Asked, Judged, judge, library, package_yaml, platforms};

/// A package that could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// What the source names cannot be had.
    #[error("{0}: {1}")]
    Source(String, String),
    /// Registries cannot be asked.
    #[cfg(feature = "registry")]
    #[error(transparent)]
    Client(#[from] NoClient),
}

/// A digest, and the platforms of an index; or why it surely is not there.
type Digest = Result<(String, Vec<Platform>), Trouble>;

/// Looks at packages, wherever they are. Nothing is asked of a registry before a source names one.
#[derive(Debug)]
pub struct Verifier<'a> {
    asked: Asked<'a>,
    #[cfg(feature = "registry")]
    options: Options,
    #[cfg(feature = "registry")]
    client: OnceCell<Client>,
}

#[cfg_attr(not(feature = "registry"), allow(clippy::unused_self, reason = "a build with registries asks with it"))]
impl<'a> Verifier<'a> {
    /// For registries that are reached in this way.
    #[cfg(feature = "registry")]
    #[must_use]
    pub fn new(asked: Asked<'a>, options: Options) -> Self {
        Self { asked, options, client: OnceCell::new() }
    }

    /// For files and folders.
    #[cfg(not(feature = "registry"))]
    #[must_use]
    pub fn new(asked: Asked<'a>) -> Self {
        Self { asked }
    }

    /// Judges what a source holds; `text` is how it is written.
    ///
    /// # Errors
    /// When its file, or its registry, cannot be read.
    pub fn verify(&self, text: &str, source: &Source) -> Result<Judged, NotOpened> {
        self.verify_as(text, source, self.asked.kind)
    }

    /// The same of a package that an object of this kind asks for.
    ///
    /// # Errors
    /// When its file, or its registry, cannot be read.
    pub fn verify_as(&self, text: &str, source: &Source, kind: Option<&str>) -> Result<Judged, NotOpened> {
        let asked = Asked { kind, ..self.asked };
        let not_opened = |why: String| NotOpened::Source(text.to_owned(), why);
        match source.open(text) {
            Err(error) => Err(not_opened(error.to_string())),
            Ok(Some(store)) => {
                store.root().map_err(|trouble| not_opened(trouble.said))?;
                Ok(judge(store.as_ref(), asked))
            }
            Ok(None) => self.in_registry(text, asked),
        }
    }

    /// The `package.yaml` of a package that installs, as a release of Crossplane takes it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn package_yaml(&self, text: &str, source: &Source, version: &str) -> Result<Option<Vec<u8>>, NotOpened> {
        match source.open(text) {
            Err(error) => Err(NotOpened::Source(text.to_owned(), error.to_string())),
            Ok(Some(store)) => Ok(package_yaml(store.as_ref(), version)),
            Ok(None) => self.yaml_in_registry(text, version),
        }
    }

    #[cfg(feature = "registry")]
    fn yaml_in_registry(&self, text: &str, version: &str) -> Result<Option<Vec<u8>>, NotOpened> {
        Ok(package_yaml(&RegistryImage::new(self.client()?, text), version))
    }

    #[cfg(not(feature = "registry"))]
    fn yaml_in_registry(&self, text: &str, _: &str) -> Result<Option<Vec<u8>>, NotOpened> {
        Err(no_registry(text))
    }

    /// The digest that a source names, and its platforms: those of an index, and with `reads` that of an image alone, which its config says; or why
    /// it surely is not there.
    ///
    /// # Errors
    /// When nobody can say.
    pub fn digest(&self, text: &str, source: &Source, reads: bool) -> Result<Digest, NotOpened> {
        let not_opened = |why: String| NotOpened::Source(text.to_owned(), why);
        let found = match source.open(text).map_err(|error| not_opened(error.to_string()))? {
            Some(store) if !store.is_as_pushed() => {
                return Err(not_opened("it has no digest before it is pushed".to_owned()));
            }
            Some(store) => platforms(store.as_ref(), reads),
            None => self.platforms_in_registry(text, reads)?,
        };
        match found {
            Err(trouble) if !trouble.is_final => Err(not_opened(trouble.said)),
            found => Ok(found),
        }
    }

    /// With what the release that was asked for compares versions.
    #[must_use]
    pub fn library(&self) -> Library {
        library(&self.asked.version.map_or_else(ProgramVersion::unknown, ProgramVersion::read))
    }

    /// The newest version of a package in a range; none when none is, and why the registry surely has no such package.
    ///
    /// # Errors
    /// When nobody can say.
    pub fn newest(&self, name: &str, range: &str) -> Result<Result<Option<String>, Trouble>, NotOpened> {
        match self.tags(name)? {
            Ok(tags) => Ok(Ok(newest(range, tags.iter().map(String::as_str), self.library()).map(str::to_owned))),
            Err(trouble) if trouble.is_final => Ok(Err(trouble)),
            Err(trouble) => Err(NotOpened::Source(name.to_owned(), trouble.said)),
        }
    }

    #[cfg(feature = "registry")]
    fn platforms_in_registry(&self, text: &str, reads: bool) -> Result<Digest, NotOpened> {
        Ok(platforms(&RegistryImage::new(self.client()?, text), reads))
    }

    #[cfg(feature = "registry")]
    fn tags(&self, name: &str) -> Result<Result<Vec<String>, Trouble>, NotOpened> {
        Ok(RegistryImage::new(self.client()?, name).tags())
    }

    #[cfg(feature = "registry")]
    fn client(&self) -> Result<&Client, NotOpened> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = Client::new(&self.options)?;
        Ok(self.client.get_or_init(|| client))
    }

    #[cfg(feature = "registry")]
    fn in_registry(&self, text: &str, asked: Asked<'_>) -> Result<Judged, NotOpened> {
        let image = RegistryImage::new(self.client()?, text);
        // What Crossplane would say of a registry that nobody reaches says nothing of the package.
        match image.root() {
            Err(trouble) if !trouble.is_final => Err(NotOpened::Source(text.to_owned(), trouble.said)),
            _ => Ok(judge(&image, asked)),
        }
    }

    #[cfg(not(feature = "registry"))]
    fn in_registry(&self, text: &str, _: Asked<'_>) -> Result<Judged, NotOpened> {
        Err(no_registry(text))
    }

    #[cfg(not(feature = "registry"))]
    fn platforms_in_registry(&self, text: &str, _: bool) -> Result<Digest, NotOpened> {
        Err(no_registry(text))
    }

    #[cfg(not(feature = "registry"))]
    fn tags(&self, name: &str) -> Result<Result<Vec<String>, Trouble>, NotOpened> {
        Err(no_registry(name))
    }
}

#[cfg(not(feature = "registry"))]
fn no_registry(text: &str) -> NotOpened {
    NotOpened::Source(
        text.to_owned(),
        "this build reads no registry; copy it into a folder, and write `oci:DIR`".to_owned(),
    )
}
