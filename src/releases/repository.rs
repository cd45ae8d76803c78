//! Data to which rendered objects refer: chart sources, values, and folders of the repository.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::artifact::{ARTIFACTS, Artifact};
use super::builds::{Builds, Built, FluxBuild};
use super::git;
use super::kustomization::KustomizationFile;
use super::names::{FLUX_KUSTOMIZE, K3S_HELM, RENDERED_FILE_HEADER, below, group_and_kind, text};
use super::objects::{RepositoryObject, objects};
use super::sources::{Key, SOURCES, Source, Sources, key};
use krm::files::is_kustomization;
use krm::{Input, relative_to_working_dir};
use lossless_yaml::NodeRef;

/// Git repository that contains the inputs, with data about its objects.
#[derive(Debug, Default)]
pub struct Repository<'i> {
    /// Root of the repository, to which Flux and Argo CD paths are relative; `None` if folders are not read.
    pub(super) root: Option<PathBuf>,
    /// URLs of the repository from its Git configuration; empty if they are not known.
    pub(super) urls: Vec<String>,
    pub(super) sources: Sources<'i>,
    /// ConfigMaps by name.
    pub(super) config_maps: HashMap<String, Vec<(Option<&'i Path>, ConfigMapText)>>,
    /// Values that `HelmChartConfig` objects add: namespace, name and text.
    pub(super) chart_configs: Vec<(Option<String>, String, String)>,
    /// Namespaces and names of `HelmChart` objects.
    pub(super) helm_charts: BTreeSet<(Option<String>, String)>,
    /// Artifacts that `ArtifactGenerator` objects create from sources.
    pub(super) artifacts: Vec<(Option<&'i Path>, Artifact)>,
    inputs: &'i [Input],
    /// Builds of the repository's files, read when they are needed.
    builds: OnceLock<Builds>,
    /// Kustomizations by folder.
    kustomizations: Mutex<HashMap<PathBuf, Option<Arc<KustomizationFile>>>>,
    /// Builds of each file. Cached, because a file may contain very many objects.
    built: Mutex<HashMap<PathBuf, Arc<[Built]>>>,
}

/// Data of a ConfigMap.
#[derive(Debug)]
pub(super) struct ConfigMapText {
    pub(super) namespace: Option<String>,
    pub(super) data: Arc<Vec<(String, String)>>,
}

/// Object to which other objects may refer.
enum Referred {
    Source(Box<Source>),
    ConfigMap(String, Vec<(String, String)>),
    ChartConfig(String, String),
    HelmChart(String),
}

impl<'i> Repository<'i> {
    /// Collects the data to which the inputs' objects refer. Without `root`, folders are not read.
    pub fn new(inputs: &'i [Input], root: Option<PathBuf>) -> Self {
        Self::collect(inputs, root, &[SOURCES, K3S_HELM, "ConfigMap"])
    }

    /// Collects the same data without values of ConfigMaps, which every large input has.
    pub fn collect_without_values(inputs: &'i [Input], root: Option<PathBuf>) -> Self {
        Self::collect(inputs, root, &[SOURCES, K3S_HELM])
    }

    /// Collects the sources and builds of the inputs.
    fn collect(inputs: &'i [Input], root: Option<PathBuf>, words: &[&str]) -> Self {
        let urls = root.as_deref().map(git::remotes).unwrap_or_default();
        let mut found = Self { root, urls, inputs, ..Self::default() };
        let all = objects(inputs, words, referred);
        // The names of sources suffice to determine the folders that Flux builds here.
        for RepositoryObject { file, data: (namespace, referred), .. } in &all {
            if let Referred::Source(source) = referred {
                found.sources.add(*file, source.clone().in_namespace(namespace.clone()));
            }
        }
        for RepositoryObject { file, data, .. } in objects(inputs, &[ARTIFACTS], artifacts) {
            found.artifacts.extend(data.into_iter().map(|artifact| (file, artifact)));
        }
        let mut sources = Sources::default();
        for RepositoryObject { file, is_embedded, data: (namespace, referred) } in all {
            let all = if is_embedded { BTreeSet::from([namespace]) } else { found.namespaces_of(namespace, file) };
            match referred {
                Referred::Source(source) => {
                    for namespace in all {
                        sources.add(file, source.clone().in_namespace(namespace));
                    }
                }
                Referred::ConfigMap(name, data) => {
                    let named = found.config_maps.entry(name).or_default();
                    let data = Arc::new(data);
                    let texts = all.into_iter().map(|namespace| ConfigMapText { namespace, data: Arc::clone(&data) });
                    named.extend(texts.map(|text| (file, text)));
                }
                Referred::ChartConfig(name, values) => found
                    .chart_configs
                    .extend(all.into_iter().map(|namespace| (namespace, name.clone(), values.clone()))),
                Referred::HelmChart(name) => {
                    found.helm_charts.extend(all.into_iter().map(|namespace| (namespace, name.clone())));
                }
            }
        }
        found.sources = sources;
        found
    }

    /// Namespaces of an applied object: one for each namespace of the builds that contain its file. If they differ,
    /// also the namespace in the object, for objects that are rendered as they are in their files.
    fn namespaces_of(&self, own_namespace: Option<String>, file: Option<&Path>) -> BTreeSet<Option<String>> {
        let built = self.built(file);
        let namespace = |built: &Built| built.namespace.clone().or_else(|| own_namespace.clone());
        let mut all: BTreeSet<Option<String>> = built.iter().map(namespace).collect();
        if all.len() != 1 {
            all.insert(own_namespace);
        }
        all
    }

    /// Builds that contain a file; empty for a file without builds.
    pub(super) fn built(&self, file: Option<&Path>) -> Arc<[Built]> {
        let (Some(file), Some(root)) = (file, &self.root) else { return Arc::new([]) };
        if let Some(known) = self.built.lock().ok().and_then(|known| known.get(file).cloned()) {
            return known;
        }
        let builds = || Builds::new(root, self.folders(root), self.flux_builds(), |folder| self.kustomization(folder));
        let builds = self.builds.get_or_init(builds);
        let mut built = builds.containing(file);
        if built.is_empty() {
            built.extend(self.source_of_render(file).and_then(|source| builds.build_of_render(source, file)));
        }
        let built: Arc<[Built]> = built.into();
        if let Ok(mut known) = self.built.lock() {
            known.insert(file.to_owned(), Arc::clone(&built));
        }
        built
    }

    /// File of the object from which `hostnet charts` wrote a render.
    fn source_of_render(&self, file: &Path) -> Option<&Path> {
        let render = self.inputs.iter().find(|input| input.origin().path() == Some(file))?;
        let place = render.text().strip_prefix(RENDERED_FILE_HEADER)?.lines().next()?;
        place.rsplit_once('#').map(|(source, _)| Path::new(source))
    }

    /// Folders that may have a kustomization: those above the inputs' files, and all of a Git repository.
    fn folders(&self, root: &Path) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        // The working directory may be deep in the repository.
        for file in self.inputs.iter().filter_map(|input| input.origin().path()?.canonicalize().ok()) {
            found.extend(file.ancestors().skip(1).map(Path::to_owned));
        }
        if root.join(".git").exists() {
            let files = self.files(&[""]);
            let kustomizations = files.into_iter().map(|(_, file)| file).filter(|file| is_kustomization(file));
            found.extend(kustomizations.filter_map(|file| file.parent().map(Path::to_owned)));
        }
        found
    }

    /// Kustomizations of Flux in the inputs that build a folder of this repository.
    fn flux_builds(&self) -> Vec<FluxBuild> {
        let mut found = Vec::new();
        for RepositoryObject { file, data: (path, source, build), .. } in
            objects(self.inputs, &[FLUX_KUSTOMIZE], flux_build)
        {
            if self.is_foreign(&source) {
                continue;
            }
            let copied = self.artifact(&source, file).and_then(|artifact| self.copied(artifact, &path));
            let folder = copied.or_else(|| self.folder(&path)).and_then(|folder| folder.canonicalize().ok());
            found.extend(folder.map(|folder| build.with_folder(folder, file)));
        }
        found
    }

    /// True if the root is that of a Git repository, not a guess.
    pub fn has_known_root(&self) -> bool {
        self.root.as_ref().is_some_and(|root| root.join(".git").exists())
    }

    /// Folder at a path relative to the repository's root.
    pub fn folder(&self, path: &str) -> Option<PathBuf> {
        let folder = self.root.as_ref()?.join(below(path)?);
        let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        folder.is_dir().then_some(folder)
    }

    /// Folder of the repository at a path relative to one of its folders.
    pub(super) fn relative_folder(&self, folder: &Path, path: &str) -> Option<PathBuf> {
        let folder = folder.strip_prefix(self.root.as_ref()?).ok()?;
        self.folder(&folder.join(path).to_string_lossy())
    }

    /// File at a path relative to the repository's root.
    pub(super) fn file(&self, path: &str) -> Option<PathBuf> {
        let file = self.root.as_ref()?.join(below(path)?);
        file.is_file().then_some(file)
    }

    /// The kustomization of a folder; each is read once.
    pub(super) fn kustomization(&self, folder: &Path) -> Option<Arc<KustomizationFile>> {
        self.root.as_ref()?;
        if let Some(known) = self.kustomizations.lock().ok().and_then(|known| known.get(folder).cloned()) {
            return known;
        }
        let read = KustomizationFile::read(folder).map(Arc::new);
        if let Ok(mut known) = self.kustomizations.lock() {
            known.insert(folder.to_owned(), read.clone());
        }
        read
    }

    pub(super) fn has_kustomization(&self, folder: &Path) -> bool {
        self.kustomization(folder).is_some()
    }

    /// True if the folder's kustomization renders charts.
    pub fn has_charts(&self, folder: &Path) -> bool {
        self.kustomization(folder).is_some_and(|kustomization| kustomization.has_charts)
    }

    /// True if the folder's kustomization renders charts or lists a URL.
    pub fn has_absent(&self, folder: &Path) -> bool {
        self.kustomization(folder).is_some_and(|kustomization| kustomization.has_charts || kustomization.has_remote)
    }

    /// Resolved folders of a kustomization and of all kustomizations that it lists, directly or through other
    /// kustomizations.
    pub fn listed(&self, folder: &Path) -> BTreeSet<PathBuf> {
        let (mut known, mut open) = (BTreeSet::new(), vec![folder.to_owned()]);
        while let Some(folder) = open.pop().and_then(|folder| folder.canonicalize().ok()) {
            let Some(kustomization) = self.kustomization(&folder).filter(|_| known.insert(folder.clone())) else {
                continue;
            };
            open.extend(
                kustomization.resources.iter().chain(&kustomization.components).map(|entry| folder.join(entry)),
            );
        }
        known
    }

    /// Files that a kustomization and all kustomizations that it lists have among their resources, resolved.
    pub fn listed_files(&self, folder: &Path) -> BTreeSet<PathBuf> {
        let files = |folder: PathBuf| {
            let kustomization = self.kustomization(&folder);
            let entries = kustomization.iter().flat_map(|kustomization| kustomization.resources.clone());
            entries.map(|entry| folder.join(entry)).filter(|file| file.is_file()).collect::<Vec<_>>()
        };
        self.listed(folder).into_iter().flat_map(files).filter_map(|file| file.canonicalize().ok()).collect()
    }

    /// True if the folder's kustomization, or one that it lists, renders charts.
    pub(super) fn renders_charts(&self, folder: &Path) -> bool {
        self.listed(folder).iter().any(|folder| self.has_charts(folder))
    }

    /// Chart folder at a path relative to the repository's root.
    pub(super) fn chart(&self, path: &str) -> Option<PathBuf> {
        self.folder(path).filter(|folder| folder.join("Chart.yaml").is_file())
    }

    /// Files of the repository below the folders with which these patterns begin, also files that are not part of the
    /// input: path relative to the root, and path.
    pub(super) fn files<T: AsRef<str>>(&self, patterns: &[T]) -> BTreeSet<(PathBuf, PathBuf)> {
        let Some(root) = &self.root else { return BTreeSet::new() };
        let folder = |pattern: &T| {
            let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{', '\\']);
            let parts: Vec<&str> = pattern.as_ref().split('/').collect();
            let folders = parts.split_last().map(|(_, folders)| folders).unwrap_or_default();
            below(&folders.iter().copied().take_while(is_plain).collect::<Vec<_>>().join("/"))
        };
        let mut left: Vec<PathBuf> = patterns.iter().filter_map(folder).collect();
        let mut found = BTreeSet::new();
        while let Some(below) = left.pop() {
            let folder = root.join(&below);
            let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = below.join(entry.file_name());
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => left.push(path),
                    Ok(kind) if kind.is_file() => _ = found.insert((path.clone(), root.join(path))),
                    _ => {}
                }
            }
        }
        found
    }
}

/// Root of the repository that contains a path: the nearest folder with `.git`, else the working folder.
pub fn root_of(path: &Path) -> PathBuf {
    git_root(path).map(|root| relative_to_working_dir(&root)).unwrap_or_default()
}

/// The nearest folder with `.git` around a path, resolved.
pub fn git_root(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    path.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned)
}

/// Path, source and changes of a folder that Flux builds.
fn flux_build(object: NodeRef<'_, '_>) -> Option<(String, Key, FluxBuild)> {
    let (group, kind) = group_and_kind(object)?;
    (group == FLUX_KUSTOMIZE && kind == "Kustomization").then(|| {
        let path = text(object, "spec.path").unwrap_or_default().to_owned();
        let source = key(object.get("spec").and_then(|spec| spec.get("sourceRef")), "");
        (path, source, FluxBuild::read(object))
    })
}

/// Reads the artifacts of an object.
fn artifacts(object: NodeRef<'_, '_>) -> Option<Vec<Artifact>> {
    (group_and_kind(object)? == (ARTIFACTS, "ArtifactGenerator")).then(|| Artifact::all(object))
}

/// An object to which others may refer, with its namespace.
fn referred(object: NodeRef<'_, '_>) -> Option<(Option<String>, Referred)> {
    let (group, kind) = group_and_kind(object)?;
    let field = |key: &str| text(object, key).map(str::to_owned);
    let name = || field("metadata.name");
    let referred = match (group, kind) {
        (SOURCES, _) => Referred::Source(Box::new(Source::read(object)?)),
        ("", "ConfigMap") => {
            let data = object.get("data").into_iter().flat_map(NodeRef::entries);
            let data = data.filter_map(|(key, value)| Some((key.text()?.to_owned(), value.text()?.to_owned())));
            Referred::ConfigMap(name()?, data.collect())
        }
        (K3S_HELM, "HelmChart") => Referred::HelmChart(name()?),
        (K3S_HELM, "HelmChartConfig") => Referred::ChartConfig(name()?, field("spec.valuesContent")?),
        _ => return None,
    };
    Some((field("metadata.namespace"), referred))
}
