//! Reads images from a registry.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{Cursor, ErrorKind, Read};
use std::rc::Rc;

use serde::Deserialize;

use super::client::{Answer, Client};
use crate::budget::Budget;
use crate::checked::{Fault, VerifyingReader, digest_of};
use crate::manifest::Descriptor;
use crate::name::{DOCKER_HUB, RemoteRef};
use crate::store::{Blob, Root, Store, StoreError};

/// Maximum size of a manifest in bytes.
/// Source: opencontainers/distribution-spec@v1.1.1 `spec.md`, "Pushing Manifests": registries accept at least this
/// size.
const MANIFEST_LIMIT: u64 = 4 << 20;

/// Accepted media types of manifests.
const MANIFESTS: &str = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, \
                         application/vnd.docker.distribution.manifest.v2+json, application/vnd.docker.distribution.manifest.list.v2+json";

/// Maximum bytes of cached blobs. The layer with a package's content is read several times, but requested once.
const KEPT_LIMIT: u64 = 64 << 20;

/// A cached blob.
#[derive(Debug, Clone)]
struct CachedBlob {
    bytes: Rc<[u8]>,
    /// The read error at the end, if any.
    error: Option<(ErrorKind, String)>,
    length: Option<u64>,
    url: String,
}

/// An image in a registry.
#[derive(Debug)]
pub struct RegistryImage<'c> {
    client: &'c Client,
    /// Cached blobs by digest.
    kept: RefCell<HashMap<String, CachedBlob>>,
    display_name: String,
    registry: String,
    repository: String,
    /// The tag or digest.
    version: String,
}

impl<'c> RegistryImage<'c> {
    /// Creates the image of a reference.
    pub fn new(client: &'c Client, reference: &RemoteRef) -> Self {
        let image = reference.parts();
        let (registry, repository) = image.location(DOCKER_HUB);
        let version = image.digest.or(image.tag).unwrap_or("latest");
        Self {
            client,
            kept: RefCell::default(),
            display_name: reference.as_str().to_owned(),
            registry: registry.to_owned(),
            repository: repository.into_owned(),
            version: version.to_owned(),
        }
    }

    fn request(&self, method: &str, path: &str, accept: &str) -> Result<Answer, StoreError> {
        self.client.request(method, &self.registry, &self.repository, path, accept, 0)
    }

    fn request_blob(&self, method: &str, descriptor: &Descriptor) -> Result<Answer, StoreError> {
        let digest = digest(descriptor)?;
        self.client.request(method, &self.registry, &self.repository, &format!("blobs/{digest}"), "", descriptor.size)
    }

    /// Requests a manifest; returns it with its media type.
    fn get(&self, version: &str) -> Result<(Vec<u8>, String), StoreError> {
        let Answer { response, url } = self.request("GET", &format!("manifests/{version}"), MANIFESTS)?;
        let media_type = response.headers().get("content-type").and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_owned();
        let bytes = self
            .client
            .read(response, MANIFEST_LIMIT + 1)
            .map_err(|error| StoreError { message: format!("GET {url}: {error}"), is_final: false })?;
        if bytes.len() as u64 > MANIFEST_LIMIT {
            return Err(StoreError::permanent(format!("GET {url}: the manifest has more than {MANIFEST_LIMIT} bytes")));
        }
        let digest = digest_of(&bytes);
        if version.starts_with("sha256:") && version != digest {
            return Err(StoreError::permanent(format!(
                "manifest digest: \"{digest}\" does not match requested digest: \"{version}\" for \"{}\"",
                self.display_name
            )));
        }
        Ok((bytes, media_type))
    }
}

/// The digest of a descriptor, validated for use in a URL.
fn digest(descriptor: &Descriptor) -> Result<&str, StoreError> {
    descriptor.digest_fault().map_or(Ok(descriptor.digest.as_str()), |fault| Err(StoreError::permanent(fault)))
}

/// Creates a blob from a reader. Reads one byte more than the descriptor's size, to detect a longer blob.
fn blob<'r>(reader: impl Read + 'r, descriptor: &Descriptor, length: Option<u64>, url: &str) -> Blob<'r> {
    let (checked, fault): (_, Fault) =
        VerifyingReader::new(reader.take(descriptor.size.saturating_add(1)), descriptor.size, &descriptor.digest);
    Blob { reader: Box::new(checked), fault, length, request: format!("GET {url}") }
}

/// A reader that yields one stored end or error.
struct End(Option<std::io::Result<usize>>);

impl Read for End {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        self.0.take().unwrap_or(Ok(0))
    }
}

/// Maximum bytes of all pages of tags, and maximum number of pages.
const TAGS_LIMIT: u64 = 16 << 20;
const MAX_TAG_PAGES: usize = 100;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tags {
    tags: Option<Vec<String>>,
}

impl RegistryImage<'_> {
    /// Lists the tags of the image's repository.
    ///
    /// Source: opencontainers/distribution-spec@v1.1.1 `spec.md`, "Listing Tags".
    ///
    /// # Errors
    /// If the registry does not list them completely.
    pub fn tags(&self) -> Result<Vec<String>, StoreError> {
        let mut all = Vec::new();
        let mut query = "n=1000".to_owned();
        let mut left = TAGS_LIMIT;
        for _ in 0..MAX_TAG_PAGES {
            let Answer { response, url } = self.request("GET", &format!("tags/list?{query}"), "")?;
            let link = response.headers().get("link").and_then(|value| value.to_str().ok()).and_then(next_page);
            let wrong = |error: &dyn std::fmt::Display| StoreError::permanent(format!("GET {url}: {error}"));
            let cut = |error: std::io::Error| StoreError { message: format!("GET {url}: {error}"), is_final: false };
            let bytes = self.client.read(response, left + 1).map_err(cut)?;
            left = left
                .checked_sub(bytes.len() as u64)
                .ok_or_else(|| wrong(&format!("the list of its tags has more than {TAGS_LIMIT} bytes")))?;
            let page: Tags = serde_json::from_slice(&bytes).map_err(|error| wrong(&error))?;
            all.extend(page.tags.unwrap_or_default());
            match link {
                Some(next) if next != query => query = next,
                _ => return Ok(all),
            }
        }
        Err(StoreError::permanent(format!("{}: the list of its tags has no end", self.display_name)))
    }
}

/// The query of the next page, from `</v2/a/tags/list?last=v1&n=1000>; rel="next"`.
fn next_page(link: &str) -> Option<String> {
    let (url, rest) = link.trim_start().strip_prefix('<')?.split_once('>')?;
    rest.contains("next").then(|| url.split_once('?').map(|(_, query)| query.to_owned()))?
}

impl Store for RegistryImage<'_> {
    fn root(&self) -> Result<Root, StoreError> {
        let head = self.request("HEAD", &format!("manifests/{}", self.version), MANIFESTS);
        let is_cut = self.client.budget().limit_or_incomplete_reason().is_some();
        if let Err(error) = &head
            && is_cut
        {
            return Err(error.clone());
        }
        // Like Crossplane, retry with GET and report both errors.
        let found = self.get(&self.version).map_err(|error| match head {
            // An unreachable registry is reported once.
            Err(head) if head == error => error,
            Err(head) => StoreError {
                message: format!(
                    "failed to fetch package descriptor with a GET request after a previous HEAD request failure: {head}: {error}"
                ),
                is_final: error.is_final,
            },
            Ok(_) => error,
        });
        let (bytes, media_type) = found?;
        Ok(Root { digest: digest_of(&bytes), bytes, media_type })
    }

    fn manifest(&self, descriptor: &Descriptor) -> Result<Vec<u8>, StoreError> {
        self.get(digest(descriptor)?).map(|(bytes, _)| bytes)
    }

    fn blob<'s>(&'s self, descriptor: &Descriptor) -> Result<Blob<'s>, StoreError> {
        let kept = self.kept.borrow().get(&descriptor.digest).cloned();
        if let Some(CachedBlob { bytes, error, length, url }) = kept {
            let end = error.map_or_else(|| Ok(0), |(kind, message)| Err(std::io::Error::new(kind, message)));
            let reader = Cursor::new(bytes).chain(End(Some(end)));
            return Ok(blob(reader, descriptor, length, &url));
        }
        let Answer { response, url } = self.request_blob("GET", descriptor)?;
        let body = response.into_body();
        let length = body.content_length();
        let mut reader = self.client.body(body);
        let room = self.kept.borrow().values().map(|value| value.bytes.len() as u64).sum::<u64>();
        if descriptor.size.saturating_add(room) > KEPT_LIMIT {
            return Ok(blob(reader, descriptor, length, &url));
        }
        let mut bytes = Vec::new();
        let read = reader.by_ref().take(descriptor.size.saturating_add(1)).read_to_end(&mut bytes);
        let error = read.err().map(|error| (error.kind(), error.to_string()));
        self.kept
            .borrow_mut()
            .insert(descriptor.digest.clone(), CachedBlob { bytes: bytes.into(), error, length, url });
        self.blob(descriptor)
    }

    fn has(&self, descriptor: &Descriptor) -> Result<(), StoreError> {
        if self.kept.borrow().contains_key(&descriptor.digest) {
            return Ok(());
        }
        match self.request_blob("HEAD", descriptor) {
            Ok(_) => Ok(()),
            // Some registries do not support HEAD.
            Err(_) => self.request_blob("GET", descriptor).map(drop),
        }
    }

    fn budget(&self) -> &Rc<Budget> {
        self.client.budget()
    }

    fn display_name(&self) -> &str {
        &self.display_name
    }

    fn by_digest(&self, digest: &str) -> String {
        format!("{}/{}@{digest}", self.registry, self.repository)
    }
}
