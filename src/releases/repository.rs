//! Data to which rendered objects refer: chart sources, values, and folders of the repository.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use super::artifact::{ARTIFACTS, Artifact};
use super::builds::{Builds, Built, FluxBuild};
use super::git;
use super::kustomization::KustomizationFile;
use super::names::{FLUX_KUSTOMIZE, K3S_HELM, below, group_and_kind, text};
use super::resource_set::{documents, embedded, is_template};
use super::sources::{Key, SOURCES, Source, key};
use krm::files::is_kustomization;
use krm::{Input, from_here};
use lossless_yaml::{NodeRef, Tree};

/// Registries in which the first part of a path is an owner of a Git host: the registry and its Git host.
///
/// Sources: docs.github.com "Working with the Container registry", docs.gitlab.com "GitLab container registry".
const REGISTRIES: [(&str, &str); 2] = [("ghcr.io", "github.com"), ("registry.gitlab.com", "gitlab.com")];

/// Data of the inputs, and the repository that contains them.
#[derive(Debug, Default)]
pub struct Repository<'i> {
    /// Root of the repository, to which Flux and Argo CD paths are relative; `None` if folders are not read.
    root: Option<PathBuf>,
    /// URLs of the repository from its Git configuration; empty if they are not known.
    urls: Vec<String>,
    sources: Vec<(Option<&'i Path>, Source)>,
    /// Positions in `sources` by key.
    by_key: HashMap<Key, Vec<usize>>,
    config_maps: Vec<(Option<&'i Path>, ConfigMapText)>,
    /// Values that `HelmChartConfig` objects add: namespace, name and text.
    chart_configs: Vec<(Option<String>, String, String)>,
    /// Namespaces and names of `HelmChart` objects.
    helm_charts: BTreeSet<(Option<String>, String)>,
    /// Artifacts that `ArtifactGenerator` objects create from sources.
    artifacts: Vec<(Option<&'i Path>, Artifact)>,
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
struct ConfigMapText {
    namespace: Option<String>,
    name: String,
    data: Vec<(String, String)>,
}

/// Object to which other objects may refer.
enum Referred {
    Source(Box<Source>),
    ConfigMap(String, Vec<(String, String)>),
    ChartConfig(String, String),
    HelmChart(String),
}

/// Data of an object.
struct Found<'i, T> {
    file: Option<&'i Path>,
    /// True for an object in the templates of a `ResourceSet`.
    is_embedded: bool,
    data: T,
}

/// Reads objects of inputs that contain one of these words, also those in the templates of a `ResourceSet`.
fn objects<'i, T: Send>(
    inputs: &'i [Input],
    words: &[&str],
    read: fn(NodeRef<'_, '_>) -> Option<T>,
) -> Vec<Found<'i, T>> {
    let mut found = Vec::new();
    for input in inputs.iter().filter(|input| words.iter().any(|word| input.text().contains(word))) {
        let all = |object: NodeRef<'_, '_>| {
            let inner = embedded(object).into_iter().filter(|(_, inner)| !is_template(*inner));
            let inner = inner.map(|(_, inner)| (true, inner));
            let all = [(false, object)].into_iter().chain(inner);
            let all = all.filter_map(|(is_embedded, object)| Some((is_embedded, read(object)?)));
            let of_text = documents(object).into_iter().filter(|document| !document.is_template);
            let of_text =
                of_text.filter_map(|document| Some((true, read(Tree::parse(&document.text).ok()?.root(0)?)?)));
            all.chain(of_text).collect::<Vec<_>>()
        };
        // Invalid inputs are reported by the caller.
        let read = input.objects(|_, object| all(object)).unwrap_or_default().into_iter().flatten();
        found.extend(read.map(|(is_embedded, data)| Found { file: input.origin().path(), is_embedded, data }));
    }
    found
}

/// The candidate nearest to a file; `None` if several different candidates are equally near.
fn nearest<'c, T: PartialEq>(
    candidates: impl Iterator<Item = (Option<&'c Path>, T)>,
    file: Option<&Path>,
) -> Option<T> {
    let shared = |candidate: Option<&Path>| {
        let pairs = candidate.zip(file).map(|(candidate, file)| candidate.components().zip(file.components()));
        pairs.map_or(0, |pairs| pairs.take_while(|(step, file)| step == file).count())
    };
    let mut best: Option<(usize, T, bool)> = None;
    for (candidate, value) in candidates {
        let near = shared(candidate);
        match &mut best {
            Some((known, _, _)) if near < *known => {}
            Some((known, first, is_one)) if near == *known => *is_one &= *first == value,
            _ => best = Some((near, value, true)),
        }
    }
    best.filter(|(.., is_one)| *is_one).map(|(_, value, _)| value)
}

impl<'i> Repository<'i> {
    /// Collects the data to which the inputs' objects refer. Without `root`, folders are not read.
    pub fn new(inputs: &'i [Input], root: Option<PathBuf>) -> Self {
        Self::collect(inputs, root, &[SOURCES, K3S_HELM, "ConfigMap"])
    }

    /// Collects the same data without values of ConfigMaps, which every large input has.
    pub fn without_values(inputs: &'i [Input], root: Option<PathBuf>) -> Self {
        Self::collect(inputs, root, &[SOURCES, K3S_HELM])
    }

    fn collect(inputs: &'i [Input], root: Option<PathBuf>, words: &[&str]) -> Self {
        let urls = root.as_deref().map(git::remotes).unwrap_or_default();
        let mut found = Self { root, urls, inputs, ..Self::default() };
        let all = objects(inputs, words, referred);
        // The names of sources suffice to determine the folders that Flux builds here.
        found.sources = all
            .iter()
            .filter_map(|Found { file, data: (namespace, referred), .. }| match referred {
                Referred::Source(source) => Some((*file, source.clone().in_namespace(namespace.clone()))),
                _ => None,
            })
            .collect();
        for Found { file, data, .. } in objects(inputs, &[ARTIFACTS], artifacts) {
            found.artifacts.extend(data.into_iter().map(|artifact| (file, artifact)));
        }
        let mut sources = Vec::new();
        for Found { file, is_embedded, data: (namespace, referred) } in all {
            let namespace = if is_embedded { namespace } else { found.namespace_of(namespace.as_deref(), file) };
            match referred {
                Referred::Source(source) => sources.push((file, source.in_namespace(namespace))),
                Referred::ConfigMap(name, data) => {
                    found.config_maps.push((file, ConfigMapText { namespace, name, data }));
                }
                Referred::ChartConfig(name, values) => found.chart_configs.push((namespace, name, values)),
                Referred::HelmChart(name) => _ = found.helm_charts.insert((namespace, name)),
            }
        }
        for (position, (_, source)) in sources.iter().enumerate() {
            found.by_key.entry(source.key.clone()).or_default().push(position);
        }
        found.sources = sources;
        found
    }

    /// The source with this key that is nearest to a file.
    pub(super) fn source(&self, key: &Key, file: Option<&Path>) -> Option<&Source> {
        let positions = self.by_key.get(key).into_iter().flatten();
        let named = positions.filter_map(|position| self.sources.get(*position));
        nearest(named.map(|(path, source)| (*path, source)), file)
    }

    /// The artifact of a source reference that is nearest to a file.
    pub(super) fn artifact(&self, (kind, namespace, name): &Key, file: Option<&Path>) -> Option<&Artifact> {
        let is_match = |artifact: &Artifact| {
            artifact.name == *name
                && (namespace.is_empty() || artifact.namespace.as_ref().is_none_or(|known| known == namespace))
        };
        let named = self.artifacts.iter().filter(|(_, artifact)| kind == "ExternalArtifact" && is_match(artifact));
        nearest(named.map(|(path, artifact)| (*path, artifact)), file)
    }

    /// Folder of this repository that is copied to a path of an artifact.
    pub(super) fn copied(&self, artifact: &Artifact, path: &str) -> Option<PathBuf> {
        let (source, folder) = artifact.origin(&below(path)?)?;
        let is_here = source.0 == "GitRepository" && !self.is_foreign(source);
        self.folder(&folder.to_string_lossy()).filter(|_| is_here)
    }

    /// True if a Flux source is a bucket or another Git repository.
    pub(super) fn is_foreign(&self, key: &Key) -> bool {
        match self.git_source(key) {
            Some(source) => self.is_other_url(&source.url),
            None => key.0 == "Bucket",
        }
    }

    /// True for the path of the repository's own folder, which any artifact has.
    pub(super) fn is_root(path: &str) -> bool {
        below(path).is_some_and(|path| path.as_os_str().is_empty())
    }

    /// True if an artifact may contain this repository: its URL has the name of the repository, or it is the source that
    /// `flux bootstrap` and the Flux operator name `flux-system`.
    pub(super) fn may_be_packed(&self, key: &Key, file: Option<&Path>) -> bool {
        let url = self.source(key, file).map(|source| git::plain(&source.url)).unwrap_or_default();
        let names = self.urls.iter().filter_map(|url| url.rsplit('/').next());
        let is_named = |name: &str| {
            let rest = url.split('/').skip(1).filter_map(|part| part.strip_prefix(name));
            rest.into_iter().any(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        key.2 == "flux-system" || names.into_iter().any(is_named)
    }

    /// True if an artifact belongs to another owner on the registry of the host of this repository: `ghcr.io/stefanprodan/…`
    /// for `github.com/acme/fleet`.
    pub(super) fn is_of_other_owner(&self, key: &Key, file: Option<&Path>) -> bool {
        let Some(source) = self.source(key, file) else { return false };
        let url = git::plain(&source.url);
        let Some((registry, path)) = url.split_once('/') else { return false };
        let Some((_, host)) = REGISTRIES.into_iter().find(|(known, _)| *known == registry) else { return false };
        let own = self.urls.iter().filter_map(|url| url.strip_prefix(host)?.strip_prefix('/')?.split('/').next());
        let mut own = own.peekable();
        own.peek().is_some() && own.all(|owner| path.split('/').next() != Some(owner))
    }

    /// Remark about a Git source that is assumed to be this repository, because the URL of this
    /// repository is not known; `None` for the name that `flux bootstrap` gives to its own
    /// repository.
    pub(super) fn unknown_source(&self, key: &Key) -> Option<String> {
        let is_unknown = self.urls.is_empty() && key.2 != "flux-system" && self.git_source(key).is_some();
        is_unknown.then(|| format!("its {} {} is taken for this repository, which has no remote", key.0, key.2))
    }

    /// Remark about a Git repository from which Flux reads a tag, a range of tags or a commit instead of these files.
    pub(super) fn revision(&self, key: &Key) -> Option<String> {
        let revision = self.git_source(key)?.revision.as_ref()?;
        Some(format!("its {} {} is at {revision}: the local files are rendered, which may differ", key.0, key.2))
    }

    fn git_source(&self, key: &Key) -> Option<&Source> {
        let is_match = |source: &Source| {
            source.key.0 == key.0 && source.key.2 == key.2 && (source.key.1 == key.1 || key.1.is_empty())
        };
        let all = self.sources.iter().map(|(_, source)| source);
        all.filter(|_| key.0 == "GitRepository").find(|source| is_match(source))
    }

    /// True if the URL belongs to another Git repository, or to an artifact in a registry.
    pub(super) fn is_other_url(&self, url: &str) -> bool {
        url.starts_with("oci://") || !self.urls.is_empty() && !self.urls.contains(&git::plain(url))
    }

    /// Value of a ConfigMap key: from a ConfigMap generated by a kustomization next to `file`, else from the nearest
    /// ConfigMap of the input.
    pub(super) fn config_map(
        &self,
        namespace: Option<&str>,
        name: &str,
        key: &str,
        file: Option<&Path>,
    ) -> Option<String> {
        let generated = || {
            let folder = file?.parent()?;
            let kustomization = self.kustomization(folder)?;
            let (_, files) = kustomization.config_maps.iter().find(|(known, _)| known == name)?;
            let (_, file) = files.iter().find(|(known, _)| known == key)?;
            fs::read_to_string(folder.join(below(file)?)).ok()
        };
        generated().or_else(|| {
            let is_match = |config_map: &ConfigMapText| {
                // A ConfigMap without a namespace is applied in the release's namespace.
                (config_map.namespace.is_none() || namespace.is_none() || config_map.namespace.as_deref() == namespace)
                    && config_map.name == name
            };
            let named = self.config_maps.iter().filter(|(_, config_map)| is_match(config_map));
            let data = nearest(named.map(|(file, config_map)| (*file, &config_map.data)), file)?;
            data.iter().find(|(known, _)| known == key).map(|(_, text)| text.clone())
        })
    }

    /// Values that a `HelmChartConfig` adds to the `HelmChart` with this name.
    pub(super) fn chart_config(&self, namespace: Option<&str>, name: &str) -> Option<String> {
        let is_match = |(known_namespace, known, _): &&(Option<String>, String, String)| {
            known_namespace.as_deref() == namespace && known == name
        };
        self.chart_configs.iter().find(is_match).map(|(.., text)| text.clone())
    }

    /// True if the input has the `HelmChart` with this name.
    pub(super) fn has_helm_chart(&self, namespace: Option<&str>, name: &str) -> bool {
        self.helm_charts.iter().any(|(known_namespace, known)| known_namespace.as_deref() == namespace && known == name)
    }

    /// Namespace of an applied object if all builds that contain its file agree, else the namespace in the object.
    fn namespace_of(&self, own_namespace: Option<&str>, file: Option<&Path>) -> Option<String> {
        let built = self.built(file);
        let mut all = built.iter().map(|built| built.namespace.as_deref().or(own_namespace));
        let first = all.next().unwrap_or(own_namespace);
        if all.all(|other| other == first) { first } else { own_namespace }.map(str::to_owned)
    }

    /// Builds that contain a file; empty for a file without builds.
    pub(super) fn built(&self, file: Option<&Path>) -> Arc<[Built]> {
        let (Some(file), Some(root)) = (file, &self.root) else { return Arc::new([]) };
        if let Some(known) = self.built.lock().ok().and_then(|known| known.get(file).cloned()) {
            return known;
        }
        let builds = || Builds::new(self.folders(root), self.flux_builds(), |folder| self.kustomization(folder));
        let built: Arc<[Built]> = self.builds.get_or_init(builds).containing(file).into();
        if let Ok(mut known) = self.built.lock() {
            known.insert(file.to_owned(), Arc::clone(&built));
        }
        built
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
        for Found { file, data: (path, source, build), .. } in objects(self.inputs, &[FLUX_KUSTOMIZE], flux_build) {
            if self.is_foreign(&source) {
                continue;
            }
            let copied = self.artifact(&source, file).and_then(|artifact| self.copied(artifact, &path));
            let folder = copied.or_else(|| self.folder(&path)).and_then(|folder| folder.canonicalize().ok());
            found.extend(folder.map(|folder| build.with_folder(folder, file)));
        }
        found
    }

    /// Folder at a path relative to the repository's root.
    pub(super) fn folder(&self, path: &str) -> Option<PathBuf> {
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

    /// Resolved folders of a kustomization and of all kustomizations that it lists, also through others.
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
    let found = path.canonicalize().ok().and_then(|path| {
        let root = path.ancestors().find(|folder| folder.join(".git").exists())?;
        Some(from_here(root))
    });
    found.unwrap_or_default()
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
