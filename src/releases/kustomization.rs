//! Kustomizations that render charts (`helmCharts`), and the fields of kustomizations that affect other objects.

use super::names::text;
use lossless_yaml::{NodeRef, Tree};

/// A kustomization file.
#[derive(Debug, Clone, Default)]
pub(super) struct KustomizationFile {
    /// Names of the fields.
    pub(super) fields: Vec<String>,
    /// True if the kustomization renders charts.
    pub(super) has_charts: bool,
    /// Files and folders of `resources` and similar lists.
    pub(super) listed: Vec<String>,
    /// Namespace that the kustomization sets.
    pub(super) namespace: Option<String>,
    /// Generated ConfigMaps: name, and the file of each key, relative to the kustomization's folder.
    pub(super) config_maps: Vec<(String, Vec<(String, String)>)>,
}

impl KustomizationFile {
    /// Parses a kustomization; syntax errors are left to kustomize.
    pub(super) fn parse(written: &str) -> Self {
        let Ok(tree) = Tree::parse(written) else { return Self::default() };
        let Some(root) = tree.root(0) else { return Self::default() };
        let items = |key: &str| root.get(key).into_iter().flat_map(NodeRef::items);
        let files = |generator: NodeRef<'_, '_>| {
            let files = generator.get("files").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
            let file = |entry: &str| match entry.split_once('=') {
                Some((key, file)) => (key.to_owned(), file.to_owned()),
                None => (entry.rsplit('/').next().unwrap_or(entry).to_owned(), entry.to_owned()),
            };
            Some((text(generator, "name")?.to_owned(), files.map(file).collect()))
        };
        let texts = |key: &str| items(key).filter_map(NodeRef::text).map(str::to_owned).collect::<Vec<_>>();
        Self {
            fields: root.entries().filter_map(|(key, _)| key.text().map(str::to_owned)).collect(),
            listed: [texts("resources"), texts("components")].concat(),
            namespace: text(root, "namespace").map(str::to_owned),
            has_charts: items("helmCharts").any(|chart| text(chart, "name").is_some()),
            config_maps: items("configMapGenerator").filter_map(files).collect(),
        }
    }
}
