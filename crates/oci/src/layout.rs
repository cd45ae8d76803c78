//! Reads OCI layouts: a folder, or a tar archive of a folder.
//!
//! Source: opencontainers/image-spec@v1.1.1 `image-layout.md`.

use std::rc::Rc;

use super::archive::Archive;
use super::budget::Budget;
use super::checked::{VerifyingReader, digest_of};
use super::manifest::{Descriptor, Index};
use super::store::{Blob, Root, Store, StoreError};

/// Maximum size of a manifest in bytes, as in a registry.
pub(super) const MANIFEST_LIMIT: u64 = 4 << 20;

/// The annotation in `index.json` with the image name.
const NAME: &str = "org.opencontainers.image.ref.name";

/// The annotation of containerd, with registry.
const FULL_NAME: &str = "io.containerd.image.name";

/// An image of an OCI layout.
#[derive(Debug)]
pub struct Layout {
    files: Archive,
    display_name: String,
    /// The image, `@DIGEST` or `:NAME`; `None` for the only image.
    wanted: Option<String>,
    budget: Rc<Budget>,
}

impl Layout {
    /// Creates an image of a layout; `display_name` is the source as written.
    pub fn new(files: Archive, display_name: &str, wanted: Option<&str>, budget: Rc<Budget>) -> Self {
        Self { files, display_name: display_name.to_owned(), wanted: wanted.map(str::to_owned), budget }
    }

    /// Reads a file of the layout.
    fn bytes(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        match self.files.read(name, MANIFEST_LIMIT) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(StoreError::permanent(format!("{name} is missing, and every OCI layout has it"))),
            Err(error) => Err(StoreError::permanent(format!("{name}: {error}"))),
        }
    }

    /// Selects the entry of `index.json`.
    fn selected_entry(&self, index: Index) -> Result<Descriptor, StoreError> {
        let names = |descriptor: &Descriptor| {
            [NAME, FULL_NAME].map(|key| descriptor.annotations.get(key).cloned().unwrap_or_default())
        };
        let listed = |all: &[Descriptor]| {
            let one = |descriptor: &Descriptor| match names(descriptor).into_iter().find(|name| !name.is_empty()) {
                Some(name) => format!(":{name}"),
                None => format!("@{}", descriptor.digest),
            };
            all.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        let all = index.manifests;
        let Some(wanted) = &self.wanted else {
            return match all.as_slice() {
                [only] => Ok(only.clone()),
                [] => Err(StoreError::permanent("the layout has no image")),
                several => {
                    Err(StoreError::permanent(format!("the layout has several images; add one of {}", listed(several))))
                }
            };
        };
        let is_match = |descriptor: &&Descriptor| match wanted.strip_prefix('@') {
            Some(digest) => descriptor.digest == digest,
            None => names(descriptor).iter().any(|name| {
                let wanted = wanted.trim_start_matches(':');
                name == wanted || name.rsplit_once(':').is_some_and(|(_, tag)| tag == wanted)
            }),
        };
        match (all.iter().find(is_match), wanted.strip_prefix('@')) {
            (Some(found), _) => Ok(found.clone()),
            // The digest may be of an image in a nested index.
            (None, Some(digest)) => Ok(Descriptor { digest: digest.to_owned(), ..Descriptor::default() }),
            (None, None) => {
                Err(StoreError::permanent(format!("the layout has no image `{wanted}`; it has {}", listed(&all))))
            }
        }
    }
}

/// The path of a blob; a path that does not exist for an invalid digest.
fn path(digest: &str) -> String {
    let parts =
        digest.split_once(':').filter(|(_, hex)| !hex.is_empty() && hex.bytes().all(|b| b.is_ascii_alphanumeric()));
    match parts {
        Some((algorithm, hex)) if algorithm.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            format!("blobs/{algorithm}/{hex}")
        }
        _ => "blobs/none".to_owned(),
    }
}

/// The request for a blob in registry form, for messages.
fn request(digest: &str) -> String {
    format!("GET /v2/…/blobs/{digest}")
}

/// The error of a registry for a missing blob.
fn unknown(digest: &str) -> StoreError {
    StoreError::permanent(format!("{}: BLOB_UNKNOWN: blob unknown to registry", request(digest)))
}

impl Store for Layout {
    fn root(&self) -> Result<Root, StoreError> {
        let index: Index = serde_json::from_slice(&self.bytes("index.json")?)
            .map_err(|error| StoreError::permanent(format!("index.json: {error}")))?;
        let meant = self.selected_entry(index)?;
        let bytes = self.manifest(&meant)?;
        Ok(Root { digest: digest_of(&bytes), bytes, media_type: meant.media_type })
    }

    fn manifest(&self, descriptor: &Descriptor) -> Result<Vec<u8>, StoreError> {
        self.bytes(&path(&descriptor.digest))
    }

    fn blob<'s>(&'s self, descriptor: &Descriptor) -> Result<Blob<'s>, StoreError> {
        match self.files.open(&path(&descriptor.digest)) {
            Ok(Some((file, length))) => {
                let (checked, fault) = VerifyingReader::new(file, descriptor.size, &descriptor.digest);
                Ok(Blob {
                    reader: Box::new(checked),
                    fault,
                    length: Some(length),
                    request: request(&descriptor.digest),
                })
            }
            Ok(None) => Err(unknown(&descriptor.digest)),
            Err(error) => Err(StoreError::permanent(format!("{}: {error}", path(&descriptor.digest)))),
        }
    }

    fn budget(&self) -> &Rc<Budget> {
        &self.budget
    }

    fn display_name(&self) -> &str {
        &self.display_name
    }
}
