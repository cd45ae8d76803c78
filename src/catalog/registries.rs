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
pub static DEFAULT_REGISTRIES: &[DefaultRegistry] = data::DEFAULT_REGISTRIES;

/// First release whose CRDs require package names with a registry, a host with a dot, and a tag or digest.
pub fn full_names_required_since() -> Option<&'static str> {
    DEFAULT_REGISTRIES.iter().find(|row| row.registry.is_empty()).map(|row| row.since)
}

/// First release whose ImageConfigs rewrite images.
pub static IMAGE_REWRITES_SINCE: &str = data::IMAGE_REWRITES;

/// First release whose core accepts additional CA certificates.
pub static CA_BUNDLE_SINCE: &str = data::CA_BUNDLE;

/// First release that always runs the image of the package itself, regardless of the image in its metadata.
pub static OWN_IMAGE_SINCE: &str = data::OWN_IMAGE;

/// First patch releases, oldest minor version first, that use only HTTPS for hosts below `.local`.
pub static LOCAL_IS_HTTPS_SINCE: &[&str] = data::LOCAL_IS_HTTPS;

/// First release that resolves the digest of a tag each time, and caches packages by digest.
pub static CACHE_BY_DIGEST_SINCE: &str = data::CACHE_BY_DIGEST;

/// First release with its package cache in `/cache/xpkg`; before, the cache is in `/cache`.
pub static CACHE_FOLDER_SINCE: &str = data::CACHE_FOLDER;

/// True if the value of a flag (`--NAME`) or variable with this name is an image that the program runs.
///
/// ```
/// use hostnet::catalog::names_image;
/// assert!(names_image("--acme-http01-solver-image") && names_image("RELATED_IMAGE_SERVER") && !names_image("--images"));
/// ```
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
pub fn is_public_registry(host: &str) -> bool {
    data::PUBLIC_REGISTRIES.iter().any(|known| known.eq_ignore_ascii_case(host))
}
