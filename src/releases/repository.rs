//! All that objects for which somebody else renders manifests refer to: sources of charts, values, and folders of the repository.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::kustomization::KustomizationFile;
use super::names::{FLUX_KUSTOMIZE, K3S_HELM, group_and_kind, text};
use super::sources::{Key, SOURCES, Source};
use crate::wire::Input;
use crate::wire::files::KUSTOMIZATIONS;
use crate::yaml::NodeRef;

/// Inputs, and the repository that they are part of.
#[derive(Debug, Default)]
pub struct Repository<'i> {
    inputs: &'i [Input],
    /// The root of the repository, from which Flux and Argo CD count paths; `None` where no folder is looked at.
    root: Option<PathBuf>,
    sources: Vec<Source>,
    /// ConfigMaps: namespace, name, and the text of each key.
    config_maps: Vec<(Option<String>, String, Data)>,
    /// The values that a `HelmChartConfig` adds: namespace, name and text.
    chart_configs: Vec<(Option<String>, String, String)>,
    /// The folders that Flux builds into a namespace.
    targets: Vec<(PathBuf, String)>,
}

/// Keys with their texts.
type Data = Vec<(String, String)>;

/// Something that an object of the input may refer to.
enum Referred {
    Source(Source),
    ConfigMap(String, Data),
    ChartConfig(String, String),
}

/// What is read of the objects of inputs that hold one of these words, with the file of each.
fn objects<'i, T: Send>(
    inputs: &'i [Input],
    words: &[&str],
    read: fn(NodeRef<'_, '_>) -> Option<T>,
) -> Vec<(Option<&'i Path>, T)> {
    let mut found = Vec::new();
    for input in inputs.iter().filter(|input| words.iter().any(|word| input.text().contains(word))) {
        // A fault of the input is reported by whoever reads it whole.
        let read = input.objects(|_, object| read(object)).unwrap_or_default();
        found.extend(read.into_iter().flatten().map(|own| (input.origin().path(), own)));
    }
    found
}

impl<'i> Repository<'i> {
    /// Reads what the objects of inputs refer to. Without a `root` folders are not looked at.
    #[must_use]
    pub fn of(inputs: &'i [Input], root: Option<PathBuf>) -> Self {
        let mut found = Self { inputs, root, ..Self::default() };
        for (_, (path, namespace)) in objects(inputs, &[FLUX_KUSTOMIZE], target) {
            let folder = found.folder(&path).and_then(|folder| folder.canonicalize().ok());
            found.targets.extend(folder.map(|folder| (folder, namespace)));
        }
        let all = objects(inputs, &[SOURCES, "ConfigMap", K3S_HELM], referred);
        let mut of_file: Option<(&Path, Option<String>)> = None;
        for (file, (namespace, referred)) in all {
            if let Some(file) = file.filter(|file| of_file.as_ref().is_none_or(|(known, _)| known != file)) {
                of_file = Some((file, found.target_namespace(file).map(str::to_owned)));
            }
            let target = of_file.as_ref().filter(|(known, _)| Some(*known) == file).and_then(|(_, own)| own.clone());
            let namespace = target.or(namespace);
            match referred {
                Referred::Source(source) => found.sources.push(source.in_namespace(namespace)),
                Referred::ConfigMap(name, data) => found.config_maps.push((namespace, name, data)),
                Referred::ChartConfig(name, values) => found.chart_configs.push((namespace, name, values)),
            }
        }
        found
    }

    pub(super) fn source(&self, key: &Key) -> Option<&Source> {
        self.sources.iter().find(|source| source.key == *key)
    }

    /// The text of a key of a ConfigMap: one of the input, or one that a kustomization next to `file` generates.
    pub(super) fn config_map(
        &self,
        namespace: Option<&str>,
        name: &str,
        key: &str,
        file: Option<&Path>,
    ) -> Option<String> {
        let is_it = |(own, known, _): &&(Option<String>, String, Data)| {
            // One without a namespace gets that of the release when it is applied.
            (own.is_none() || namespace.is_none() || own.as_deref() == namespace) && known == name
        };
        let data = self.config_maps.iter().find(is_it).map(|(.., data)| data);
        let there = data.and_then(|data| data.iter().find(|(own, _)| own == key)).map(|(_, text)| text.clone());
        there.or_else(|| {
            let folder = file?.parent()?;
            let kustomization = self.kustomization(folder)?;
            let (_, files) = kustomization.config_maps.into_iter().find(|(known, _)| known == name)?;
            let (_, file) = files.into_iter().find(|(known, _)| known == key)?;
            fs::read_to_string(folder.join(below(&file)?)).ok()
        })
    }

    /// The values that a `HelmChartConfig` adds to the `HelmChart` of its name.
    pub(super) fn chart_config(&self, namespace: Option<&str>, name: &str) -> Option<String> {
        let is_it = |(own, known, _): &&(Option<String>, String, String)| own.as_deref() == namespace && known == name;
        self.chart_configs.iter().find(is_it).map(|(.., text)| text.clone())
    }

    /// A folder of the repository, by its path from the root.
    pub(super) fn folder(&self, path: &str) -> Option<PathBuf> {
        let folder = self.root.as_ref()?.join(below(path)?);
        let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        folder.is_dir().then_some(folder)
    }

    /// A file of the repository, by its path from the root.
    pub(super) fn file(&self, path: &str) -> Option<PathBuf> {
        let file = self.root.as_ref()?.join(below(path)?);
        file.is_file().then_some(file)
    }

    fn kustomization(&self, folder: &Path) -> Option<KustomizationFile> {
        self.root.as_ref()?;
        let text = KUSTOMIZATIONS.iter().find_map(|name| fs::read_to_string(folder.join(name)).ok())?;
        Some(KustomizationFile::of(&text))
    }

    pub(super) fn has_kustomization(&self, folder: &Path) -> bool {
        self.kustomization(folder).is_some()
    }

    /// True if the kustomization of a folder renders charts.
    #[must_use]
    pub fn has_charts(&self, folder: &Path) -> bool {
        self.kustomization(folder).is_some_and(|kustomization| !kustomization.charts.is_empty())
    }

    /// The folder of a chart of the repository, by its path from the root.
    pub(super) fn chart(&self, path: &str) -> Option<PathBuf> {
        self.folder(path).filter(|folder| folder.join("Chart.yaml").is_file())
    }

    /// The namespace into which Flux builds the folder of a file; the innermost folder counts.
    pub(super) fn target_namespace(&self, file: &Path) -> Option<&str> {
        let file = file.canonicalize().ok()?;
        let around = self.targets.iter().filter(|(folder, _)| file.starts_with(folder));
        around.max_by_key(|(folder, _)| folder.components().count()).map(|(_, namespace)| namespace.as_str())
    }

    /// The files of the input that lie in the repository: their paths from the root, and their texts.
    pub(super) fn files(&self) -> impl Iterator<Item = (PathBuf, &'i str)> {
        let root = self.root.as_deref().map(|root| if root.as_os_str().is_empty() { Path::new(".") } else { root });
        let root = root.and_then(|root| root.canonicalize().ok());
        self.inputs.iter().filter_map(move |input| {
            let path = input.origin().path()?.canonicalize().ok()?;
            Some((path.strip_prefix(root.as_ref()?).ok()?.to_owned(), input.text()))
        })
    }
}

/// A path from the root of a repository, without what leads out of it.
fn below(path: &str) -> Option<PathBuf> {
    let mut below = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(part) => below.push(part),
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir => below.pop().then_some(())?,
            Component::Prefix(_) => return None,
        }
    }
    Some(below)
}

/// The path and the target namespace of Flux's Kustomization.
fn target(object: NodeRef<'_, '_>) -> Option<(String, String)> {
    let (group, kind) = group_and_kind(object)?;
    let own = |key: &str| text(object, key).map(str::to_owned);
    let is_it = group == FLUX_KUSTOMIZE && kind == "Kustomization";
    is_it.then(|| own("spec.targetNamespace")).flatten().map(|target| (own("spec.path").unwrap_or_default(), target))
}

/// An object that others may refer to, with its namespace.
fn referred(object: NodeRef<'_, '_>) -> Option<(Option<String>, Referred)> {
    let (group, kind) = group_and_kind(object)?;
    let own = |key: &str| text(object, key).map(str::to_owned);
    let name = || own("metadata.name");
    let referred = match (group, kind) {
        (SOURCES, _) => Referred::Source(Source::of(object)?),
        ("", "ConfigMap") => {
            let data = object.get("data").into_iter().flat_map(NodeRef::entries);
            let data = data.filter_map(|(key, value)| Some((key.text()?.to_owned(), value.text()?.to_owned())));
            Referred::ConfigMap(name()?, data.collect())
        }
        (K3S_HELM, "HelmChartConfig") => Referred::ChartConfig(name()?, own("spec.valuesContent")?),
        _ => return None,
    };
    Some((own("metadata.namespace"), referred))
}
