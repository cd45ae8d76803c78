//! Reads the image of a package: selection from an index, manifest and config.

use std::cell::OnceCell;

use oci::{Blob, Descriptor, ImageFile, Index, Manifest, Platform, Store, StoreError};

/// Maximum size of a config in bytes.
const CONFIG_LIMIT: u64 = 4 << 20;

/// Maximum number of indexes inside of each other. Crossplane's library has no limit.
///
/// Source: google/go-containerregistry@07c767c7 `pkg/v1/remote/descriptor.go`, `Image`: an index in an index is resolved
/// again.
const MAX_NESTED_INDEXES: usize = 8;

/// The image that Crossplane reads; from an index always linux/amd64, regardless of its nodes.
pub struct PackageImage<'s> {
    /// The store that holds the image.
    pub store: &'s dyn Store,
    /// The digest of the manifest or index that the source refers to.
    pub named: String,
    /// The manifest.
    pub manifest: Manifest,
    /// The named platforms of the index, without attestations; `None` without index.
    pub platforms: Option<Vec<Platform>>,
    /// The number of images in the index without a platform.
    pub unnamed: usize,
    /// True if the index names the platform of the image that Crossplane reads.
    is_named: bool,
    config: OnceCell<Result<ImageFile, StoreError>>,
}

/// The reason why no image can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchError {
    /// The source does not exist.
    Missing(StoreError),
    /// A referenced part is missing, or not a manifest.
    Broken(String),
    /// An index without an image for linux/amd64: its digest, and the platforms that it has.
    NoPlatform {
        /// The digest of the index.
        index: String,
        /// The platforms, without attestations.
        platforms: Vec<Platform>,
    },
}

impl<'s> PackageImage<'s> {
    /// Reads manifests.
    ///
    /// # Errors
    /// If no image can be read.
    pub fn fetch(store: &'s dyn Store) -> Result<Self, FetchError> {
        let root = store.root().map_err(FetchError::Missing)?;
        let broken = |what: &str, error: &dyn std::fmt::Display| FetchError::Broken(format!("{what}: {error}"));
        let (mut unnamed, mut is_named) = (0, false);
        let mut platforms: Option<Vec<Platform>> = None;
        let (mut bytes, mut media_type) = (root.bytes, root.media_type);
        for _ in 0..MAX_NESTED_INDEXES {
            let index = Index::read(&bytes, &media_type).map_err(|error| broken("the index", &error))?;
            let Some(index) = index else { break };
            let all = platforms.get_or_insert_default();
            all.extend(index.platforms());
            unnamed += index.unnamed();
            // Go parses the digests of all entries before it selects one.
            let named = index.manifests.iter().filter(|manifest| !manifest.digest.is_empty());
            if let Some(fault) = digest_fault(store, named) {
                return Err(FetchError::Broken(fault));
            }
            let Some(child) = index.manifests.iter().find(|manifest| is_read(manifest)) else {
                let platforms = std::mem::take(all);
                return Err(FetchError::NoPlatform { index: root.digest, platforms });
            };
            if let Some(fault) = digest_fault(store, [child].into_iter()) {
                return Err(FetchError::Broken(fault));
            }
            is_named = child.platform.is_some();
            bytes = store.manifest(child).map_err(|error| FetchError::Broken(error.message))?;
            media_type.clone_from(&child.media_type);
            // The nested index names the platforms of this entry.
            if matches!(Index::read(&bytes, &media_type), Ok(Some(_))) {
                match &child.platform {
                    None => unnamed = unnamed.saturating_sub(1),
                    Some(platform) => drop(all.iter().position(|one| one == platform).map(|at| all.remove(at))),
                }
            }
        }
        let manifest = read_manifest(&bytes).map_err(FetchError::Broken)?;
        let blobs = manifest.layers.iter().chain([&manifest.config]).filter(|blob| !blob.digest.is_empty());
        if let Some(fault) = digest_fault(store, blobs) {
            return Err(FetchError::Broken(fault));
        }
        Ok(Self { store, named: root.digest, manifest, platforms, unnamed, is_named, config: OnceCell::new() })
    }

    /// All platforms; empty if the platform of an image is not known.
    pub fn all_platforms(&self) -> Vec<Platform> {
        if self.is_unknown() {
            return Vec::new();
        }
        self.platforms.iter().flatten().cloned().chain(self.own_platform()).collect()
    }

    /// True if the index names no platform of an image, and its config is not read.
    pub fn is_unknown(&self) -> bool {
        self.unnamed > usize::from(!self.is_named && self.platforms.is_some())
    }

    /// The platform from the config of an image for which no index names a platform.
    pub fn own_platform(&self) -> Option<Platform> {
        let config = self.config().ok().filter(|_| !self.is_named)?;
        let is_known = !config.os.is_empty() && !config.architecture.is_empty();
        is_known.then(|| Platform { os: config.os.clone(), architecture: config.architecture.clone() })
    }

    /// The image's config.
    ///
    /// # Errors
    /// If the config cannot be read.
    pub fn config(&self) -> Result<&ImageFile, &StoreError> {
        self.config.get_or_init(|| self.read_config()).as_ref()
    }

    /// Reads the image's config.
    fn read_config(&self) -> Result<ImageFile, StoreError> {
        let Blob { reader: blob, fault, .. } = self.store.blob(&self.manifest.config)?;
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(blob, CONFIG_LIMIT), &mut bytes)
            .map_err(|error| StoreError::permanent(error.to_string()))?;
        if let Some(fault) = fault.borrow().clone() {
            return Err(StoreError::permanent(fault));
        }
        serde_json::from_slice(&bytes).map_err(|error| StoreError::permanent(format!("the image's config: {error}")))
    }
}

/// The error for the first digest that Go rejects. Archives use file names instead of digests.
fn digest_fault<'d>(store: &dyn Store, mut all: impl Iterator<Item = &'d Descriptor>) -> Option<String> {
    if store.is_as_pushed() { all.find_map(Descriptor::digest_fault) } else { None }
}

/// Parses the manifest of an image.
///
/// # Errors
/// If the bytes are not a manifest, for example the page of a login.
fn read_manifest(bytes: &[u8]) -> Result<Manifest, String> {
    let manifest: Manifest = serde_json::from_slice(bytes).map_err(|error| format!("the manifest: {error}"))?;
    if manifest.is_empty() {
        return Err("the manifest has neither a config nor layers".to_owned());
    }
    Ok(manifest)
}

/// The digest of a store's image and its platforms: from the index, or with `reads` from the config of a single image
/// or of one in the index for which no platform is named. Empty if they are not known.
///
/// # Errors
/// If the image cannot be read.
pub fn platforms(store: &dyn Store, reads: bool) -> Result<(String, Vec<Platform>), StoreError> {
    let root = store.root()?;
    let unread = |error: serde_json::Error| StoreError::permanent(error.to_string());
    let index = Index::read(&root.bytes, &root.media_type).map_err(unread)?;
    if index.is_none() {
        read_manifest(&root.bytes)
            .map_err(|why| StoreError::permanent(format!("the answer is not an image: {why}")))?;
    }
    let platforms = match index {
        Some(index) if index.unnamed() == 0 => index.platforms(),
        _ if reads => PackageImage::fetch(store).map(|image| image.all_platforms()).unwrap_or_default(),
        _ => Vec::new(),
    };
    Ok((root.digest, platforms))
}

/// True for linux/amd64; an image without platform counts as linux/amd64.
/// Source: google/go-containerregistry@v0.21.6 `pkg/v1/remote/index.go`, `childByPlatform`.
fn is_read(descriptor: &Descriptor) -> bool {
    descriptor.platform.as_ref().is_none_or(|platform| platform.os == "linux" && platform.architecture == "amd64")
}
