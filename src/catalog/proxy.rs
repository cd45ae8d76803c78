//! Connections of Crossplane containers, and the comparison with `NO_PROXY` when the core calls a function.

use super::data;
use super::matching::best_match;

/// Destinations that a container dials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialScope {
    /// API server, functions, registries and clouds.
    Everything,
    /// The container connects to the API server only.
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
    pub dials: DialScope,
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

/// First Crossplane release whose grpc-go compares names, as all later releases do.
pub const COMPARES_NAMES_SINCE: &str = "v1.20.0";

/// Container with this image path (without tag) and these words of command and args; `None` if its connections are
/// unknown. With `is_crossplane` the image may have any path: [`is_crossplane_like`] found other evidence.
pub fn dialer<'w>(image: &str, is_crossplane: bool, words: impl Iterator<Item = &'w str>) -> Option<&'static Dialer> {
    let words: Vec<&str> = words.collect();
    data::DIALERS.iter().find(|dialer| {
        let mut given = words.iter();
        let mut has_words = || dialer.command.iter().all(|word| given.any(|other| other == word));
        let has_image = || dialer.images.iter().any(|known| best_match(&[(*known).to_owned()], image).is_some());
        (is_crossplane || has_image()) && has_words()
    })
}

/// True if command and args have the words of Crossplane's core, one directly after the other. Other programs may have
/// such words too.
pub fn has_core_command<'w>(words: impl Iterator<Item = &'w str>) -> bool {
    let words: Vec<&str> = words.collect();
    let mut cores = data::DIALERS.iter().filter(|dialer| dialer.dials == DialScope::Everything);
    cores.any(|core| words.windows(core.command.len()).any(|window| window == core.command))
}

/// True if the image path (without tag), the container's name or a label of its pods has a name of Crossplane.
pub fn is_crossplane_like<'l>(image: &str, container: &str, label: impl Fn(&str) -> Option<&'l str>) -> bool {
    let last = image.rsplit_once('/').map_or(image, |(_, last)| last);
    let mut words = last.split(['-', '_', '.']);
    words.any(|word| data::CROSSPLANE_IMAGE_WORDS.contains(&word))
        || data::CROSSPLANE_CONTAINER_NAMES.contains(&container)
        || data::CROSSPLANE_POD_LABELS.iter().any(|(key, value)| label(key) == Some(value))
}

/// Hosts that the program of this image path (without tag) dials by default, as texts; empty for other images.
pub fn built_in_hosts(image: &str) -> &'static [&'static str] {
    let row = data::BUILT_IN_HOSTS.iter().find(|(images, _)| best_match(images, image).is_some());
    row.map_or(&[], |(_, hosts)| hosts)
}

/// True for the usual port of a protocol whose clients read no proxy variables.
pub fn has_other_protocol(port: u16) -> bool {
    data::OTHER_PORTS.contains(&port)
}

/// Versions of grpc-go that Crossplane releases use, sorted.
pub static GRPC_VERSIONS: &[GrpcVersion] = data::GRPC_VERSIONS;

/// Version of grpc-go in a Crossplane release, by tag; `None` for an unknown release.
///
/// ```
/// assert_eq!(hostnet::catalog::grpc_of_crossplane("v1.19.3").unwrap().grpc, "v1.68.0");
/// ```
pub fn grpc_of_crossplane(tag: &str) -> Option<&'static GrpcVersion> {
    data::GRPC_VERSIONS.iter().find(|row| row.crossplane.contains(&tag))
}

/// Versions of Go that Crossplane releases use, sorted.
pub static GO_VERSIONS: &[GoVersion] = data::GO_VERSIONS;

/// Version of Go in a Crossplane release, by tag; `None` for an unknown release.
///
/// ```
/// assert_eq!(hostnet::catalog::go_of_crossplane("v1.19.0"), Some("v1.23.4"));
/// ```
pub fn go_of_crossplane(tag: &str) -> Option<&'static str> {
    data::GO_VERSIONS.iter().find(|row| row.crossplane.contains(&tag)).map(|row| row.go)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_known_by_image_and_command() {
        let known =
            |words: &str| dialer("xpkg.crossplane.io/crossplane/crossplane", false, words.split(' ')).map(|d| d.dials);
        assert_eq!(known("core start --debug"), Some(DialScope::Everything));
        assert_eq!(known("core init"), Some(DialScope::ApiServer));
        assert_eq!(known("rbac start"), Some(DialScope::ApiServer));
        assert_eq!(known("beta"), None);
        assert_eq!(dialer("example.com/web", false, ["core", "init"].into_iter()), None);
        assert!(dialer("example.com/web", true, ["core", "init"].into_iter()).is_some());
    }

    #[test]
    fn a_command_counts_only_as_a_whole() {
        let has = |words: &str| has_core_command(words.split(' '));
        assert!(has("/usr/local/bin/crossplane core start --debug"));
        assert!(!has("core --debug start") && !has("rbac start") && !has("core"));
    }

    #[test]
    fn mirrors_rename_the_image() {
        let is_like = |image: &str, name: &str| is_crossplane_like(image, name, |_| None);
        for image in ["m.example.com/crossplane-core", "m.example.com/crossplane_crossplane", "uxp"] {
            assert!(is_like(image, "main"), "{image}");
        }
        for image in ["crossplane/provider-aws", "example.com/crossplaneless", "web"] {
            assert!(!is_like(image, "main"), "{image}");
        }
        assert!(is_like("example.com/base", "crossplane") && !is_like("example.com/base", "crossplane-exporter"));
        assert!(is_crossplane_like("base", "main", |key| (key == "app").then_some("crossplane")));
    }
}
