//! Behaviour of Crossplane releases with package registries.

use super::data;

/// Default registry of package names without a registry, from a release on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefaultRegistry {
    /// First release with this default.
    pub since: &'static str,
    /// Registry; empty if the release refuses names without a registry.
    pub registry: &'static str,
}

/// Default registries, oldest release first.
#[must_use]
pub fn default_registries() -> &'static [DefaultRegistry] {
    data::DEFAULT_REGISTRIES
}

/// First release whose CRDs require package names with a registry, a host with a dot, and a tag or digest.
#[must_use]
pub fn whole_names_since() -> Option<&'static str> {
    default_registries().iter().find(|row| row.registry.is_empty()).map(|row| row.since)
}

/// First release whose ImageConfigs rewrite images.
#[must_use]
pub fn image_rewrites_since() -> &'static str {
    data::IMAGE_REWRITES
}

/// First release whose core accepts additional CA certificates.
#[must_use]
pub fn ca_bundle_since() -> &'static str {
    data::CA_BUNDLE
}

/// First release that always runs the image of the package itself, regardless of the image in its metadata.
#[must_use]
pub fn own_image_since() -> &'static str {
    data::OWN_IMAGE
}

/// First patch releases, oldest minor version first, that use only HTTPS for hosts below `.local`.
#[must_use]
pub fn local_is_https_since() -> &'static [&'static str] {
    data::LOCAL_IS_HTTPS
}

/// First release that resolves the digest of a tag each time, and caches packages by digest.
#[must_use]
pub fn cache_by_digest_since() -> &'static str {
    data::CACHE_BY_DIGEST
}

/// First release with its package cache in `/cache/xpkg`; before, the cache is in `/cache`.
#[must_use]
pub fn cache_folder_since() -> &'static str {
    data::CACHE_FOLDER
}

/// True if the value of a flag (`--NAME`) or variable with this name is an image that the program runs.
///
/// ```
/// use hostnet::catalog::names_image;
/// assert!(names_image("--acme-http01-solver-image") && names_image("RELATED_IMAGE_SERVER") && !names_image("--images"));
/// ```
#[must_use]
pub fn names_image(name: &str) -> bool {
    let known = if name.starts_with('-') { data::IMAGE_FLAGS } else { data::IMAGE_VARIABLES };
    known.iter().any(|known| match (known.strip_prefix('*'), known.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(start)) => name.starts_with(start),
        (None, None) => name == *known,
    })
}

/// True if a host is a registry on the internet.
///
/// ```
/// assert!(hostnet::catalog::is_public_registry("xpkg.crossplane.io"));
/// assert!(!hostnet::catalog::is_public_registry("registry.example.com"));
/// ```
#[must_use]
pub fn is_public_registry(host: &str) -> bool {
    data::PUBLIC_REGISTRIES.iter().any(|known| known.eq_ignore_ascii_case(host))
}
