//! Access to images, independent of their location.

use std::io::Read;
use std::rc::Rc;

use super::budget::Budget;
use super::checked::Fault;
use super::manifest::Descriptor;

/// The reason for a failed read, in the wording of Crossplane's client if such a wording exists.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// The message.
    pub message: String,
    /// True if the object does not exist or access is denied, so that a retry cannot help.
    pub is_final: bool,
}

impl StoreError {
    /// Creates an error that a retry cannot fix.
    pub fn permanent(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_final: true }
    }
}

/// The manifest or index that a source refers to.
#[derive(Debug, Clone)]
pub struct Root {
    /// The content.
    pub bytes: Vec<u8>,
    /// The media type; may be empty.
    pub media_type: String,
    /// The digest.
    pub digest: String,
}

/// A blob, read up to the size in its descriptor; size and digest are verified at the end.
pub struct Blob<'s> {
    /// The content.
    pub reader: Box<dyn Read + 's>,
    /// A size or digest mismatch, set at the end.
    pub fault: Fault,
    /// The stored length, if known before reading.
    pub length: Option<u64>,
    /// The request: `GET URL`.
    pub request: String,
}

/// A location of an image: a registry, a folder, or an archive.
pub trait Store {
    /// Reads the manifest or index that the source refers to.
    ///
    /// # Errors
    /// If the manifest cannot be read.
    fn root(&self) -> Result<Root, StoreError>;

    /// Reads a manifest of an index.
    ///
    /// # Errors
    /// If the manifest does not exist or cannot be read.
    fn manifest(&self, descriptor: &Descriptor) -> Result<Vec<u8>, StoreError>;

    /// Opens a blob.
    ///
    /// # Errors
    /// If the blob does not exist or cannot be opened.
    fn blob<'s>(&'s self, descriptor: &Descriptor) -> Result<Blob<'s>, StoreError>;

    /// Checks that a blob exists.
    ///
    /// # Errors
    /// If the blob does not exist.
    fn has(&self, descriptor: &Descriptor) -> Result<(), StoreError> {
        self.blob(descriptor).map(drop)
    }

    /// The budget of the run.
    fn budget(&self) -> &Rc<Budget>;

    /// The name of the image in Crossplane's messages.
    fn display_name(&self) -> &str;

    /// The name of the image with this digest.
    fn by_digest(&self, digest: &str) -> String {
        format!("{}@{digest}", self.display_name())
    }

    /// True if layers are stored with the bytes that a registry has. False for an archive, whose
    /// layers are compressed only on push.
    fn is_as_pushed(&self) -> bool {
        true
    }
}
