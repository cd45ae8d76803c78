//! What containers of Crossplane dial, and what its core compares `NO_PROXY` with when it calls a function.

use super::data;
use super::fits::shared_segments;

/// What a container dials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dials {
    /// The API server, functions, registries and clouds.
    Everything,
    /// The API server alone.
    ApiServer,
}

/// A container whose connections are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialer {
    /// What it is, for a person.
    pub name: &'static str,
    /// The ends of its images' paths.
    pub images: &'static [&'static str],
    /// Words of command and args that are there in this order.
    pub command: &'static [&'static str],
    /// What it dials.
    pub dials: Dials,
}

/// What grpc-go compares `NO_PROXY` with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compares {
    /// The address that a name resolves to: up to grpc-go v1.70.
    Addresses,
    /// The name as it is dialled: since grpc-go v1.71.0.
    Names,
}

/// A version of grpc-go, and the releases of Crossplane that are built with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrpcVersion {
    /// Its tag.
    pub grpc: &'static str,
    /// What it compares `NO_PROXY` with.
    pub compares: Compares,
    /// Tags of Crossplane.
    pub crossplane: &'static [&'static str],
}

/// A version of Go, and the releases of Crossplane that are built with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoVersion {
    /// Its number, as `v1.23.7`.
    pub go: &'static str,
    /// Tags of Crossplane.
    pub crossplane: &'static [&'static str],
}

/// The first Crossplane whose grpc-go compares names; each release behind it does.
pub const COMPARES_NAMES_SINCE: &str = "v1.20.0";

/// The container of this image (a path without its tag) with these words of command and args, if what it dials is known.
pub fn dialer<'w>(image: &str, words: impl Iterator<Item = &'w str>) -> Option<&'static Dialer> {
    let words: Vec<&str> = words.collect();
    data::DIALERS.iter().find(|dialer| {
        let mut given = words.iter();
        let mut has_words = || dialer.command.iter().all(|word| given.any(|other| other == word));
        dialer.images.iter().any(|known| shared_segments(&[(*known).to_owned()], image).is_some()) && has_words()
    })
}

/// The versions of grpc-go that Crossplane was built with, by version.
#[must_use]
pub fn grpc_versions() -> &'static [GrpcVersion] {
    data::GRPC_VERSIONS
}

/// The grpc-go that a release of Crossplane is built with, by its tag; none for one that is not known.
///
/// ```
/// assert_eq!(hostnet::catalog::grpc_of_crossplane("v1.19.3").unwrap().grpc, "v1.68.0");
/// ```
#[must_use]
pub fn grpc_of_crossplane(tag: &str) -> Option<&'static GrpcVersion> {
    data::GRPC_VERSIONS.iter().find(|row| row.crossplane.contains(&tag))
}

/// The versions of Go that Crossplane was built with, by version.
#[must_use]
pub fn go_versions() -> &'static [GoVersion] {
    data::GO_VERSIONS
}

/// The Go that a release of Crossplane is built with, by its tag; none for one that is not known.
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
