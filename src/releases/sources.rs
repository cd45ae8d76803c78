//! Flux's chart sources: `HelmRepository`, `OCIRepository`, `GitRepository`, `Bucket`, and `HelmChart`, which refers to
//! another source.
//!
//! Source: fluxcd/source-controller@316edc33e `api/v1/ocirepository_types.go` (an `OCIRepository` takes a digest before a range before a tag).

use super::names::{group_and_kind, text};
use lossless_yaml::NodeRef;

/// API group of Flux's sources.
pub(super) const SOURCES: &str = "source.toolkit.fluxcd.io";

/// Kind, namespace and name of a source.
pub(super) type Key = (String, String, String);

/// A source of charts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) key: Key,
    pub(super) url: String,
    pub(super) version: Option<String>,
    pub(super) digest: Option<String>,
    /// True with `spec.ignore`, which removes files from the source.
    pub(super) ignores: bool,
    /// For a `HelmChart`: chart name and source key.
    pub(super) chart: Option<(String, Key)>,
}

impl Source {
    /// Reads a source; [`Source::in_namespace`] sets its namespace.
    pub(super) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let (group, kind) = group_and_kind(object)?;
        if group != SOURCES {
            return None;
        }
        let own = |key: &str| text(object, key).unwrap_or_default().to_owned();
        let reference = object.get("spec")?.get("sourceRef");
        let chart =
            text(object, "spec.chart").map(|chart| (chart.to_owned(), key(reference, &own("metadata.namespace"))));
        let version = ["spec.ref.semver", "spec.ref.tag"].into_iter().find_map(|key| text(object, key));
        Some(Self {
            key: (kind.to_owned(), String::new(), own("metadata.name")),
            url: own("spec.url"),
            version: version.or_else(|| text(object, "spec.version")).map(str::to_owned),
            digest: text(object, "spec.ref.digest").map(str::to_owned),
            ignores: text(object, "spec.ignore").is_some(),
            chart,
        })
    }

    /// Sets the namespace of the source.
    pub(super) fn in_namespace(mut self, namespace: Option<String>) -> Self {
        let namespace = namespace.unwrap_or_default();
        let of_chart = self.chart.iter_mut().map(|(_, key)| key).filter(|key| key.1.is_empty());
        of_chart.for_each(|key| key.1.clone_from(&namespace));
        self.key.1 = namespace;
        self
    }
}

/// Key of a source reference; the default namespace is that of the referring object.
pub(super) fn key(reference: Option<NodeRef<'_, '_>>, namespace: &str) -> Key {
    let own = |key: &str| reference.and_then(|node| text(node, key));
    let named = own("namespace").unwrap_or(namespace).to_owned();
    (own("kind").unwrap_or_default().to_owned(), named, own("name").unwrap_or_default().to_owned())
}
