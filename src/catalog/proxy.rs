//! Connections of Crossplane containers, and the comparison with `NO_PROXY` when the core calls a function.

use super::data;
use super::matching::best_match;

/// Destinations that a container dials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dials {
    /// API server, functions, registries and clouds.
    Everything,
    /// Only the API server.
    ApiServer,
}

/// Container with known connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialer {
    /// Name of the container, for messages.
    pub name: &'static str,
    /// Suffixes of the image paths.
    pub images: &'static [&'static str],
    /// Words that command and args contain, in this order.
    pub command: &'static [&'static str],
    /// Destinations of the container.
    pub dials: Dials,
}

/// Value that grpc-go compares with `NO_PROXY`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compares {
    /// Resolved address: up to grpc-go v1.70.
    Addresses,
    /// Dialled name: since grpc-go v1.71.0.
    Names,
}

/// Version of grpc-go, with the Crossplane releases that use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrpcVersion {
    /// Tag of grpc-go.
    pub grpc: &'static str,
    /// Value that this version compares with `NO_PROXY`.
    pub compares: Compares,
    /// Tags of Crossplane.
    pub crossplane: &'static [&'static str],
}

/// Version of Go, with the Crossplane releases that use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoVersion {
    /// Version, such as `v1.23.7`.
    pub go: &'static str,
    /// Tags of Crossplane.
    pub crossplane: &'static [&'static str],
}

/// First Crossplane release whose grpc-go compares names; all later ones do.
pub const COMPARES_NAMES_SINCE: &str = "v1.20.0";

/// Container with this image path (without tag) and these words of command and args; `None` if its connections are
/// unknown.
pub fn dialer<'w>(image: &str, words: impl Iterator<Item = &'w str>) -> Option<&'static Dialer> {
    let words: Vec<&str> = words.collect();
    data::DIALERS.iter().find(|dialer| {
        let mut given = words.iter();
        let mut has_words = || dialer.command.iter().all(|word| given.any(|other| other == word));
        dialer.images.iter().any(|known| best_match(&[(*known).to_owned()], image).is_some()) && has_words()
    })
}

/// Versions of grpc-go that Crossplane releases use, sorted.
#[must_use]
pub fn grpc_versions() -> &'static [GrpcVersion] {
    data::GRPC_VERSIONS
}

/// Version of grpc-go in a Crossplane release, by tag; `None` for an unknown release.
///
/// ```
/// assert_eq!(hostnet::catalog::grpc_of_crossplane("v1.19.3").unwrap().grpc, "v1.68.0");
/// ```
#[must_use]
pub fn grpc_of_crossplane(tag: &str) -> Option<&'static GrpcVersion> {
    data::GRPC_VERSIONS.iter().find(|row| row.crossplane.contains(&tag))
}

/// Versions of Go that Crossplane releases use, sorted.
#[must_use]
pub fn go_versions() -> &'static [GoVersion] {
    data::GO_VERSIONS
}

/// Version of Go in a Crossplane release, by tag; `None` for an unknown release.
///
/// ```
/// assert_eq!(hostnet::catalog::go_of_crossplane("v1.19.0"), Some("v1.23.4"));
/// ```
#[must_use]
pub fn go_of_crossplane(tag: &str) -> Option<&'static str> {
    data::GO_VERSIONS.iter().find(|row| row.crossplane.contains(&tag)).map(|row| row.go)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_known_by_image_and_command() {
        let known = |words: &str| dialer("xpkg.crossplane.io/crossplane/crossplane", words.split(' ')).map(|d| d.dials);
        assert_eq!(known("core start --debug"), Some(Dials::Everything));
        assert_eq!(known("core init"), Some(Dials::ApiServer));
        assert_eq!(known("rbac start"), Some(Dials::ApiServer));
        assert_eq!(known("beta"), None);
        assert_eq!(dialer("example.com/web", ["core", "init"].into_iter()), None);
    }
}
