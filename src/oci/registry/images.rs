//! An image in a registry.

use std::io::Read as _;

use super::client::{Answer, Client, read};
use crate::image::{DOCKER_HUB, ImageRef};
use crate::oci::checked::{Checked, Fault, digest_of};
use crate::oci::manifest::Descriptor;
use crate::oci::store::{Blob, Root, Store, Trouble};

/// Bytes that a manifest may have.
/// Source: opencontainers/distribution-spec@v1.1.1 `spec.md`, "Pushing Manifests": registries take at least so much.
const MANIFEST_LIMIT: u64 = 4 << 20;

/// What manifests are asked for.
const MANIFESTS: &str = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, \
                         application/vnd.docker.distribution.manifest.v2+json, application/vnd.docker.distribution.manifest.list.v2+json";

/// An image in a registry.
#[derive(Debug)]
pub struct RegistryImage<'c> {
    client: &'c Client,
    called: String,
    registry: String,
    repository: String,
    /// Tag or digest.
    version: String,
}

impl<'c> RegistryImage<'c> {
    /// The image of a reference.
    #[must_use]
    pub fn new(client: &'c Client, reference: &str) -> Self {
        let image = ImageRef::of(reference);
        let (registry, repository) = image.location(DOCKER_HUB);
        let version = image.digest.or(image.tag).unwrap_or("latest");
        Self {
            client,
            called: reference.to_owned(),
            registry: registry.to_owned(),
            repository: repository.into_owned(),
            version: version.to_owned(),
        }
    }

    fn ask(&self, method: &str, path: &str, accept: &str) -> Result<Answer, Trouble> {
        self.client.ask(method, &self.registry, &self.repository, path, accept)
    }

    /// A manifest, and its media type.
    fn get(&self, version: &str) -> Result<(Vec<u8>, String), Trouble> {
        let Answer { response, url } = self.ask("GET", &format!("manifests/{version}"), MANIFESTS)?;
        let media_type = response.headers().get("content-type").and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_owned();
        let bytes = read(response, MANIFEST_LIMIT + 1)
            .map_err(|error| Trouble { said: format!("GET {url}: {error}"), is_final: false })?;
        if bytes.len() as u64 > MANIFEST_LIMIT {
            return Err(Trouble::gone(format!("GET {url}: the manifest has more than {MANIFEST_LIMIT} bytes")));
        }
        let digest = digest_of(&bytes);
        if version.starts_with("sha256:") && version != digest {
            return Err(Trouble::gone(format!(
                "manifest digest: \"{digest}\" does not match requested digest: \"{version}\" for \"{}\"",
                self.called
            )));
        }
        Ok((bytes, media_type))
    }
}

impl Store for RegistryImage<'_> {
    fn root(&self) -> Result<Root, Trouble> {
        let head = self.ask("HEAD", &format!("manifests/{}", self.version), MANIFESTS);
        // Crossplane asks again with GET, and says both.
        let found = self.get(&self.version).map_err(|trouble| match head {
            // Of a registry that nobody reaches it is said once.
            Err(head) if head == trouble => trouble,
            Err(head) => Trouble {
                said: format!(
                    "failed to fetch package descriptor with a GET request after a previous HEAD request failure: {head}: {trouble}"
                ),
                is_final: trouble.is_final,
            },
            Ok(_) => trouble,
        });
        let (bytes, media_type) = found?;
        Ok(Root { digest: digest_of(&bytes), bytes, media_type })
    }

    fn manifest(&self, of: &Descriptor) -> Result<Vec<u8>, Trouble> {
        self.get(&of.digest).map(|(bytes, _)| bytes)
    }

    fn blob<'s>(&'s self, of: &Descriptor) -> Result<Blob<'s>, Trouble> {
        let Answer { response, url } = self.ask("GET", &format!("blobs/{}", of.digest), "")?;
        let body = response.into_body();
        let length = body.content_length();
        let reader = body.into_with_config().limit(u64::MAX).reader();
        // One byte more than it should have shows one that is longer.
        let (checked, fault): (_, Fault) = Checked::new(reader.take(of.size.saturating_add(1)), of.size, &of.digest);
        Ok(Blob { reader: Box::new(checked), fault, length, asked: format!("GET {url}") })
    }

    fn has(&self, of: &Descriptor) -> Result<(), Trouble> {
        match self.ask("HEAD", &format!("blobs/{}", of.digest), "") {
            Ok(_) => Ok(()),
            // Not every registry answers to HEAD.
            Err(_) => self.ask("GET", &format!("blobs/{}", of.digest), "").map(drop),
        }
    }

    fn called(&self) -> &str {
        &self.called
    }

    fn by_digest(&self, digest: &str) -> String {
        format!("{}/{}@{digest}", self.registry, self.repository)
    }
}
