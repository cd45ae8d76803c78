//! What Crossplane's releases do with the registries of packages.

use super::data;

/// From which release on a name without registry means which one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefaultRegistry {
    /// The first release.
    pub since: &'static str,
    /// The registry; empty: such names are refused.
    pub registry: &'static str,
}

/// The registries of names without one, the oldest release first.
#[must_use]
pub fn default_registries() -> &'static [DefaultRegistry] {
    data::DEFAULT_REGISTRIES
}

/// The first release whose CRDs take no name of a package without registry, host with a dot, and tag or digest.
#[must_use]
pub fn whole_names_since() -> Option<&'static str> {
    default_registries().iter().find(|row| row.registry.is_empty()).map(|row| row.since)
}

/// The first release whose ImageConfigs rewrite images.
#[must_use]
pub fn image_rewrites_since() -> &'static str {
    data::IMAGE_REWRITES
}

/// The first release whose core takes certificates besides the system's.
#[must_use]
pub fn ca_bundle_since() -> &'static str {
    data::CA_BUNDLE
}

/// The first release that runs the own image of each package, whatever its metadata names.
#[must_use]
pub fn own_image_since() -> &'static str {
    data::OWN_IMAGE
}

/// The first releases of their lines that reach hosts below `.local` by HTTPS alone, the oldest line first.
#[must_use]
pub fn local_is_https_since() -> &'static [&'static str] {
    data::LOCAL_IS_HTTPS
}

/// The first release that asks for the digest of a tag each time, and whose cache knows packages by digest.
#[must_use]
pub fn cache_by_digest_since() -> &'static str {
    data::CACHE_BY_DIGEST
}

/// The first release whose cache of packages is in `/cache/xpkg`; before it was in `/cache`.
#[must_use]
pub fn cache_folder_since() -> &'static str {
    data::CACHE_FOLDER
}

/// Whether the value of an argument (`--NAME`) or of a variable is an image that the program runs, by its name.
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

/// Whether a registry is one of the internet, by its host.
///
/// ```
/// assert!(hostnet::catalog::is_public_registry("xpkg.crossplane.io"));
/// assert!(!hostnet::catalog::is_public_registry("registry.example.com"));
/// ```
#[must_use]
pub fn is_public_registry(host: &str) -> bool {
    data::PUBLIC_REGISTRIES.iter().any(|known| known.eq_ignore_ascii_case(host))
}
