//! Whether packages are what Crossplane takes, wherever they are.

#[cfg(feature = "registry")]
use std::cell::OnceCell;

use crate::oci::Source;
#[cfg(feature = "registry")]
use crate::oci::Store;
#[cfg(feature = "registry")]
use crate::oci::registry::{Client, NoClient, Options, RegistryImage};
use crate::xpkg::{Asked, Judged, judge};

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

/// Looks at packages, wherever they are. Nothing is asked of a registry before a source names one.
#[derive(Debug)]
pub struct Verifier<'a> {
    asked: Asked<'a>,
    #[cfg(feature = "registry")]
    options: Options,
    #[cfg(feature = "registry")]
    client: OnceCell<Client>,
}

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
        let not_opened = |why: String| NotOpened::Source(text.to_owned(), why);
        match source.open(text) {
            Err(error) => Err(not_opened(error.to_string())),
            Ok(Some(store)) => {
                store.root().map_err(|trouble| not_opened(trouble.said))?;
                Ok(judge(store.as_ref(), self.asked))
            }
            Ok(None) => self.in_registry(text),
        }
    }

    #[cfg(feature = "registry")]
    fn in_registry(&self, text: &str) -> Result<Judged, NotOpened> {
        let client = match self.client.get() {
            Some(client) => client,
            None => {
                let client = Client::new(&self.options)?;
                self.client.get_or_init(|| client)
            }
        };
        let image = RegistryImage::new(client, text);
        // What Crossplane would say of a registry that nobody reaches says nothing of the package.
        match image.root() {
            Err(trouble) if !trouble.is_final => Err(NotOpened::Source(text.to_owned(), trouble.said)),
            _ => Ok(judge(&image, self.asked)),
        }
    }

    #[cfg(not(feature = "registry"))]
    fn in_registry(&self, text: &str) -> Result<Judged, NotOpened> {
        Err(NotOpened::Source(
            text.to_owned(),
            "this build reads no registry; copy it into a folder, and write `oci:DIR`".to_owned(),
        ))
    }
}
