//! What holds an image.

use std::io::Read;
use std::rc::Rc;

use super::budget::Budget;
use super::checked::Fault;
use super::manifest::Descriptor;

/// Why something cannot be had, in the words of Crossplane's client where it has some.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{said}")]
pub struct Trouble {
    /// The words.
    pub said: String,
    /// Whether it is surely not there, or may not be read: another try will not help.
    pub is_final: bool,
}

impl Trouble {
    /// Something that is not there.
    #[must_use]
    pub fn gone(said: impl Into<String>) -> Self {
        Self { said: said.into(), is_final: true }
    }
}

/// The manifest or index that a source names.
#[derive(Debug, Clone)]
pub struct Root {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its media type; empty when nobody says it.
    pub media_type: String,
    /// Its digest.
    pub digest: String,
}

/// A blob, up to the size that its descriptor says; whether that size and the digest are right is known at the end.
pub struct Blob<'s> {
    /// Its bytes.
    pub reader: Box<dyn Read + 's>,
    /// What is wrong with them.
    pub fault: Fault,
    /// How long it is where it lies, when that is known before it is read.
    pub length: Option<u64>,
    /// How it was asked for: `GET URL`.
    pub asked: String,
}

/// A place that holds an image: a registry, a folder, an archive.
pub trait Store {
    /// What the source names.
    ///
    /// # Errors
    /// When it is not there.
    fn root(&self) -> Result<Root, Trouble>;

    /// A manifest of an index.
    ///
    /// # Errors
    /// When it is not there.
    fn manifest(&self, of: &Descriptor) -> Result<Vec<u8>, Trouble>;

    /// A blob.
    ///
    /// # Errors
    /// When it is not there.
    fn blob<'s>(&'s self, of: &Descriptor) -> Result<Blob<'s>, Trouble>;

    /// Whether a blob is there.
    ///
    /// # Errors
    /// When it is not.
    fn has(&self, of: &Descriptor) -> Result<(), Trouble> {
        self.blob(of).map(drop)
    }

    /// The budget of the run.
    fn budget(&self) -> &Rc<Budget>;

    /// What Crossplane calls the image.
    fn called(&self) -> &str;

    /// The same by digest.
    fn by_digest(&self, digest: &str) -> String {
        format!("{}@{digest}", self.called())
    }

    /// Whether layers are as a registry holds them. Those of an archive are packed when they are pushed.
    fn is_as_pushed(&self) -> bool {
        true
    }
}
