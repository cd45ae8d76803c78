//! Kustomizations that render charts (`helmCharts`), and the fields of kustomizations that affect other objects.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::names::text;
use super::patch::Patch;
use super::release::{Build, Rendered, Renderer};
use super::replacements::Replacement;
use krm::files::{Absent, absent, kustomizations_in};
use krm::{relative_to_working_dir, shown_path};
use lossless_yaml::{NodeRef, Tree};

/// A kustomization file.
#[derive(Debug, Clone, Default)]
pub(super) struct KustomizationFile {
    /// Names of the fields.
    pub(super) fields: Vec<String>,
    /// True for a `Component`.
    pub(super) is_component: bool,
    /// True if the kustomization renders charts.
    pub(super) has_charts: bool,
    /// True if the kustomization lists a URL.
    pub(super) has_remote: bool,
    /// Entries of `resources`, and of its former name `bases`.
    pub(super) resources: Vec<String>,
    /// Entries of `components`.
    pub(super) components: Vec<String>,
    /// Namespace that the kustomization sets.
    pub(super) namespace: Option<String>,
    /// `namePrefix`
    pub(super) prefix: Option<String>,
    /// `nameSuffix`
    pub(super) suffix: Option<String>,
    /// Patches, without the patches of `hostnet patch`.
    pub(super) patches: Vec<Arc<Patch>>,
    /// Fields that get the values of other objects.
    pub(super) replacements: Vec<Arc<Replacement>>,
    /// Generated ConfigMaps.
    pub(super) config_maps: Vec<GeneratedConfigMap>,
}

/// A ConfigMap that a kustomization generates.
#[derive(Debug, Clone)]
pub(super) struct GeneratedConfigMap {
    pub(super) name: String,
    pub(super) behavior: Behavior,
    /// Keys and their contents.
    pub(super) data: Vec<(String, Content)>,
}

/// Effect of a generator on a ConfigMap of the same name in the resources of its kustomization.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behavior {
    /// `merge`: other keys stay.
    Merge,
    /// `create`, the default, and `replace`.
    Replace,
}

/// Content of a generated key.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Text(String),
    /// Path relative to the kustomization's folder.
    File(String),
}

impl GeneratedConfigMap {
    /// Reads an entry of `configMapGenerator`; keys in files of `envs` are left out.
    fn read(generator: NodeRef<'_, '_>) -> Option<Self> {
        let items = |key: &str| generator.get(key).into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
        let file = |entry: &str| match entry.split_once('=') {
            Some((key, file)) => (key.to_owned(), Content::File(file.to_owned())),
            None => (entry.rsplit('/').next().unwrap_or(entry).to_owned(), Content::File(entry.to_owned())),
        };
        let literal = |entry: &str| {
            let (key, value) = entry.split_once('=')?;
            let unquoted = ['\'', '"'].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
            Some((key.to_owned(), Content::Text(unquoted.unwrap_or(value).to_owned())))
        };
        let merges = text(generator, "behavior") == Some("merge");
        Some(Self {
            name: text(generator, "name")?.to_owned(),
            behavior: if merges { Behavior::Merge } else { Behavior::Replace },
            data: items("files").map(file).chain(items("literals").filter_map(literal)).collect(),
        })
    }
}

impl KustomizationFile {
    /// Reads the kustomization of a folder; `None` for a folder without kustomization. Syntax errors are left to
    /// kustomize.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let (written, file) =
            kustomizations_in(folder).find_map(|file| Some((fs::read_to_string(&file).ok()?, file)))?;
        Some(Self::parse(&written, folder, &shown_path(&relative_to_working_dir(&file))))
    }

    /// Reads a kustomization; an unreadable one is empty. `by` names its file in messages.
    fn parse(written: &str, folder: &Path, by: &str) -> Self {
        let Ok(tree) = Tree::parse(written) else { return Self::default() };
        let Some(root) = tree.root(0) else { return Self::default() };
        let items = |key: &str| root.get(key).into_iter().flat_map(NodeRef::items);
        let absent = absent(root, folder);
        let merged = items("patchesStrategicMerge").filter_map(NodeRef::text);
        let merged = merged.flat_map(|entry| Patch::strategic(entry, folder, by));
        let entries = items("patches").chain(items("patchesJson6902"));
        let patches = merged.chain(entries.flat_map(|entry| Patch::entry(entry, Some(folder), by)));
        let texts = |key: &str| items(key).filter_map(NodeRef::text).map(str::to_owned).collect::<Vec<_>>();
        Self {
            is_component: text(root, "kind") == Some("Component"),
            fields: root.entries().filter_map(|(key, _)| key.text().map(str::to_owned)).collect(),
            resources: [texts("resources"), texts("bases")].concat(),
            components: texts("components"),
            namespace: text(root, "namespace").map(str::to_owned),
            prefix: text(root, "namePrefix").map(str::to_owned),
            suffix: text(root, "nameSuffix").map(str::to_owned),
            patches: patches.collect(),
            replacements: items("replacements").flat_map(|entry| Replacement::entry(entry, folder, by)).collect(),
            has_charts: absent.iter().any(|one| matches!(one, Absent::Chart(_))),
            has_remote: absent.iter().any(|one| matches!(one, Absent::Remote(_))),
            config_maps: items("configMapGenerator").filter_map(GeneratedConfigMap::read).collect(),
        }
    }
}

/// The kustomization of a folder that no object builds.
pub fn kustomization_of(folder: &Path) -> Rendered {
    let has_charts = KustomizationFile::read(folder).is_some_and(|file| file.has_charts);
    let by = Renderer::Kustomize(Build { folder: folder.to_owned(), has_charts, ..Build::default() });
    Rendered::without_file("Kustomization", None, folder.display().to_string(), by)
}
