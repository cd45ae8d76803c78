//! Kustomizations that render charts (`helmCharts`), and what other objects need to know of kustomizations.

use super::names::text;
use lossless_yaml::{NodeRef, Tree};

/// A kustomization file.
#[derive(Debug, Clone, Default)]
pub(super) struct KustomizationFile {
    /// True if it renders charts.
    pub(super) has_charts: bool,
    /// The files and folders that it lists.
    pub(super) listed: Vec<String>,
    /// The namespace that it sets.
    pub(super) namespace: Option<String>,
    /// ConfigMaps that it generates: name, and the files of its keys as seen from its folder.
    pub(super) config_maps: Vec<(String, Vec<(String, String)>)>,
}

impl KustomizationFile {
    /// Reads the text of one; what cannot be read is said by kustomize.
    pub(super) fn of(written: &str) -> Self {
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
            listed: [texts("resources"), texts("components")].concat(),
            namespace: text(root, "namespace").map(str::to_owned),
            has_charts: items("helmCharts").any(|chart| text(chart, "name").is_some()),
            config_maps: items("configMapGenerator").filter_map(files).collect(),
        }
    }
}
