//! Flux's chart sources: `HelmRepository`, `OCIRepository`, `GitRepository`, `Bucket`, and `HelmChart`, which refers to
//! another source.
//!
//! Source: fluxcd/source-controller@316edc33e `api/v1/ocirepository_types.go` (an `OCIRepository` takes a digest before
//! a range before a tag).

use std::collections::HashMap;
use std::path::Path;

use super::names::{group_and_kind, text};
use super::objects::nearest;
use crate::model::facts::VALUES_KEY;
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
    /// Chart name and source key of a `HelmChart`.
    pub(super) chart: Option<(String, Key)>,
    /// Values files of a `HelmChart`.
    pub(super) values_files: Vec<String>,
    /// Tag, range of tags or commit of a `GitRepository`.
    pub(super) revision: Option<String>,
}

impl Source {
    /// Reads a source; [`Source::in_namespace`] sets its namespace.
    pub(super) fn read(object: NodeRef<'_, '_>) -> Option<Self> {
        let (group, kind) = group_and_kind(object)?;
        if group != SOURCES {
            return None;
        }
        let field = |key: &str| text(object, key).unwrap_or_default().to_owned();
        let reference = object.get("spec")?.get("sourceRef");
        let chart =
            text(object, "spec.chart").map(|chart| (chart.to_owned(), key(reference, &field("metadata.namespace"))));
        let version = ["spec.ref.semver", "spec.ref.tag"].into_iter().find_map(|key| text(object, key));
        let revision = ["spec.ref.commit", "spec.ref.name", "spec.ref.semver", "spec.ref.tag"];
        let revision = revision.into_iter().find_map(|key| text(object, key)).filter(|_| kind == "GitRepository");
        Some(Self {
            key: (kind.to_owned(), String::new(), field("metadata.name")),
            url: field("spec.url"),
            version: version.or_else(|| text(object, "spec.version")).map(str::to_owned),
            digest: text(object, "spec.ref.digest").map(str::to_owned),
            ignores: text(object, "spec.ignore").is_some(),
            chart,
            values_files: values_files(object.get("spec")?),
            revision: revision.filter(|name| !name.starts_with("refs/heads/")).map(str::to_owned),
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

/// A source, with its file.
type SourceInFile<'i> = (Option<&'i Path>, Source);

/// Sources of the inputs, by kind and name.
#[derive(Debug, Default)]
pub(super) struct Sources<'i>(HashMap<(String, String), Vec<SourceInFile<'i>>>);

impl<'i> Sources<'i> {
    /// Adds a source of a file.
    pub(super) fn add(&mut self, file: Option<&'i Path>, source: Source) {
        let (kind, _, name) = &source.key;
        self.0.entry((kind.clone(), name.clone())).or_default().push((file, source));
    }

    /// Sources with the kind and name of a key, in any namespace.
    pub(super) fn named(&self, (kind, _, name): &Key) -> impl Iterator<Item = &SourceInFile<'i>> {
        self.0.get(&(kind.clone(), name.clone())).into_iter().flatten()
    }

    /// The source with this key that is nearest to a file.
    pub(super) fn nearest(&self, key: &Key, file: Option<&Path>) -> Option<&Source> {
        let named = self.named(key).filter(|(_, source)| source.key == *key);
        nearest(named.map(|(path, source)| (*path, source)), file)
    }
}

/// `valuesFiles` and the former `valuesFile` of a chart, without the default.
pub(super) fn values_files(chart: NodeRef<'_, '_>) -> Vec<String> {
    let several = chart.get("valuesFiles").into_iter().flat_map(NodeRef::items);
    let all = several.chain(chart.get("valuesFile")).filter_map(NodeRef::non_null_text);
    all.filter(|file| *file != VALUES_KEY).map(str::to_owned).collect()
}

/// Key of a source reference. `namespace` is the namespace of the referring object, which is the default.
pub(super) fn key(reference: Option<NodeRef<'_, '_>>, namespace: &str) -> Key {
    let field = |key: &str| reference.and_then(|node| text(node, key));
    let named = field("namespace").unwrap_or(namespace).to_owned();
    (field("kind").unwrap_or_default().to_owned(), named, field("name").unwrap_or_default().to_owned())
}
