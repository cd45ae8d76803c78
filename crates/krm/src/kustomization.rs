//! Kustomization files, with the files that they list and the fields that change their resources.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::escape::{escape_line, shown_path};
use super::functions::{ListedConfig, kustomizations_in, listed};
use super::renaming::{Layer, RENAMING};
use lossless_yaml::{NodeRef, Tree};

/// Fields of a kustomization whose values contain no paths, URLs or charts.
///
/// Source: kubernetes-sigs/kustomize@v5.8.1 `api/types/kustomization.go`.
pub const PLAIN_FIELDS: [&str; 12] = [
    "buildMetadata",
    "commonAnnotations",
    "commonLabels",
    "generatorOptions",
    "images",
    "labels",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "replicas",
    "sortOptions",
    "vars",
];

/// Fields whose files are manifests that reach the cluster.
pub const RESOURCES: [&str; 3] = ["resources", "bases", "components"];

/// Fields that change the content of resources.
const CHANGES: [&str; 6] =
    ["patches", "patchesStrategicMerge", "patchesJson6902", "replacements", "replicas", COMMON_LABELS];

/// Fields of a kustomization that leave the manifests of its files as they are.
const UNCHANGING: [&str; 12] = [
    "apiVersion",
    "bases",
    "buildMetadata",
    "components",
    "configurations",
    "crds",
    "kind",
    "metadata",
    "openapi",
    "resources",
    "sortOptions",
    "validators",
];

/// Field that adds labels to pods and selectors.
const COMMON_LABELS: &str = "commonLabels";

/// Field that adds labels, to pods and selectors only with `includeTemplates` and `includeSelectors`.
const LABELS: &str = "labels";

/// Fields that rename resources or set their namespace.
pub const NAMES: [&str; 3] = ["namespace", "namePrefix", "nameSuffix"];

/// API group of hostnet's configs; functions of this group do not count as changes.
const OWN_GROUP: &str = "hostnet.dev/";

/// A kustomization whose build has other names or values than its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Folder of the kustomization.
    pub folder: PathBuf,
    /// Fields that change names or values.
    pub fields: Vec<&'static str>,
    /// True if `fields` contains more than name fields, or if another kustomization of the run sets another namespace.
    pub patches: bool,
    /// The namespace that the kustomization sets, if it lists files itself: their objects may have no namespace.
    pub namespace: Option<String>,
}

impl Changed {
    /// The field that adds labels to pods or selectors; `None` without such a field.
    pub fn labels(&self) -> Option<&'static str> {
        self.fields.iter().copied().find(|field| [COMMON_LABELS, LABELS].contains(field))
    }
}

/// Way in which a kustomization lists a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed {
    /// The file is a resource that reaches the cluster.
    Resource,
    /// The file is an input of this other field.
    Field(String),
}

/// A kustomization file and the files that it lists.
#[derive(Debug)]
pub struct Kustomization {
    path: PathBuf,
    /// Folder of the kustomization, canonicalized.
    folder: PathBuf,
    /// Listed files by canonical path.
    files: BTreeMap<PathBuf, Listed>,
    /// Files and folders among the resources, each with the text of its entry.
    resources: Vec<(String, PathBuf)>,
    /// Fields that change names or values of the resources.
    changes: Vec<&'static str>,
    /// True if `changes` contains a field of [`CHANGES`] or `transformers`.
    patches: bool,
    /// Folders under `components`.
    components: Vec<PathBuf>,
    /// Parts of the build that are not in its files.
    absent: Vec<Absent>,
    /// Names of the images whose name, tag or digest the kustomization changes.
    image_names: Vec<String>,
    /// Kinds with `nameReference` rows in the files of `configurations`.
    corrected_kinds: BTreeSet<String>,
    /// Message about the first local resource that does not exist.
    missing: Option<String>,
    /// The namespace that the kustomization sets.
    namespace: Option<String>,
    /// True for a `Component`, which has no build of its own.
    is_component: bool,
    /// First field by which the build differs from the listed files.
    difference: Option<String>,
}

/// A part of a build that is not in the files of its kustomization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absent {
    /// A chart, by name.
    Chart(String),
    /// A resource or component at a URL.
    Remote(String),
    /// Objects of a generator that is a plugin, by kind.
    Generator(String),
}

/// Generators of kustomize whose objects have no ports.
const HARMLESS: [&str; 3] = ["ConfigMapGenerator", "IAMPolicyGenerator", "SecretGenerator"];

/// Finds the parts of a build that are not in the files of its kustomization.
pub fn absent(root: NodeRef<'_, '_>, folder: &Path) -> Vec<Absent> {
    let items = |field: &str| root.get(field).into_iter().flat_map(NodeRef::items);
    let name = |chart: NodeRef<'_, '_>, key: &str| chart.get(key)?.non_null_text().map(str::to_owned);
    let charts = items("helmCharts").filter_map(|chart| name(chart, "name"));
    let former = items("helmChartInflationGenerator").filter_map(|chart| name(chart, "chartName"));
    let mut found: Vec<Absent> = charts.chain(former).map(Absent::Chart).collect();
    for generator in listed(folder, "generators") {
        match generator.kind.as_str() {
            "HelmChartInflationGenerator" => found.push(Absent::Chart(generator.name)),
            kind if HARMLESS.contains(&kind) && generator.api_version == "builtin" => {}
            _ => found.push(Absent::Generator(generator.kind)),
        }
    }
    let entries = RESOURCES.into_iter().flat_map(items).filter_map(NodeRef::non_null_text);
    let remote: BTreeSet<&str> = entries.filter(|entry| is_remote(entry) && !folder.join(entry).exists()).collect();
    found.extend(remote.into_iter().map(|url| Absent::Remote(url.to_owned())));
    found
}

/// Returns the canonical paths of files that kustomizations list under fields such as `patches`, and none under
/// `resources`: they hold parts of other objects. Kustomizations that cannot be read are left out.
pub fn files_without_objects<'p>(kustomizations: impl Iterator<Item = &'p Path>) -> BTreeSet<PathBuf> {
    let all: Vec<Kustomization> = kustomizations.filter_map(|path| Kustomization::read_incomplete(path).ok()).collect();
    let files = |is_resource: bool| {
        let files = all.iter().flat_map(Kustomization::files);
        files.filter(move |(_, listed)| (**listed == Listed::Resource) == is_resource).map(|(file, _)| file)
    };
    let resources: BTreeSet<&PathBuf> = files(true).collect();
    files(false).filter(|file| !resources.contains(file)).cloned().collect()
}

impl Kustomization {
    /// Reads a kustomization file; the error is a message with the path. A missing resource is an error.
    pub fn read(path: &Path) -> Result<Self, String> {
        let this = Self::read_incomplete(path)?;
        match this.missing() {
            Some(missing) => Err(missing.to_owned()),
            None => Ok(this),
        }
    }

    /// Reads a kustomization file whose resources may be missing; the error is a message with the path.
    pub fn read_incomplete(path: &Path) -> Result<Self, String> {
        let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", shown_path(path));
        let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
        let tree = Tree::parse(&text).map_err(|error| failed(&error))?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let folder = parent.canonicalize().map_err(|error| failed(&error))?;
        let holds = |field: &&str| tree.root(0)?.get(field)?.children().next();
        let changing = CHANGES.into_iter().filter(|field| holds(field).is_some());
        let labels = tree.root(0).and_then(|root| root.get("labels")).into_iter().flat_map(NodeRef::items);
        let selects = |labels: NodeRef<'_, '_>| {
            let is_set = |key: &str| labels.get(key).and_then(NodeRef::as_bool) == Some(true);
            is_set("includeSelectors") || is_set("includeTemplates")
        };
        let patching: Vec<&str> = changing.chain(labels.filter(|one| selects(*one)).map(|_| LABELS).take(1)).collect();
        let images = tree.root(0).and_then(|root| root.get("images")).into_iter().flat_map(NodeRef::items);
        let image_names = images.filter_map(|image| Some(image.get("name")?.text()?.to_owned())).collect();
        let text_of = |field: &&str| tree.root(0)?.get(field)?.non_empty_text();
        let is_foreign = |config: &ListedConfig| !config.api_version.starts_with(OWN_GROUP);
        let transforms = holds(&"transformers").is_some() && listed(&folder, "transformers").iter().any(is_foreign);
        let patches = !patching.is_empty() || transforms;
        let names = NAMES.into_iter().filter(|field| text_of(field).is_some());
        let changes = names.chain(patching).chain(transforms.then_some("transformers")).collect();
        let components = tree.root(0).and_then(|root| root.get("components")).into_iter().flat_map(NodeRef::items);
        let components = components.filter_map(NodeRef::text).filter(|entry| is_local(entry));
        let components = components.filter_map(|entry| folder.join(entry).canonicalize().ok()).collect();
        let absent = tree.root(0).map(|root| absent(root, &folder)).unwrap_or_default();
        let (path, files, resources) = (path.to_owned(), BTreeMap::new(), Vec::new());
        let configurations = tree.root(0).and_then(|root| root.get("configurations"));
        let configurations = configurations.into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
        let corrected_kinds = configurations.flat_map(|file| corrected_kinds_of(&folder.join(file))).collect();
        let mut this = Self {
            path,
            folder,
            files,
            resources,
            changes,
            patches,
            components,
            absent,
            image_names,
            corrected_kinds,
            missing: None,
            namespace: text_of(&"namespace").map(str::to_owned),
            is_component: text_of(&"kind") == Some("Component"),
            difference: None,
        };
        let is_different = |key: &&str| match *key {
            "transformers" => transforms,
            "generatorOptions" => false,
            key => !UNCHANGING.contains(&key) && (holds(&key).is_some() || text_of(&key).is_some()),
        };
        let keys = tree.root(0).into_iter().flat_map(NodeRef::entries).filter_map(|(key, _)| key.text());
        this.difference = keys.into_iter().find(is_different).map(str::to_owned);
        for (key, value) in tree.root(0).into_iter().flat_map(NodeRef::entries) {
            this.field(key.text().unwrap_or_default(), value);
        }
        let entries = tree.root(0).into_iter().flat_map(|root| RESOURCES.map(|field| root.get(field)));
        let mut entries = entries.flatten().flat_map(NodeRef::items).filter_map(NodeRef::non_null_text);
        // A dangling symlink counts as missing.
        let missing = entries.find(|entry| is_local(entry) && !this.folder.join(entry).exists());
        let message = |entry| {
            failed(&format!("{} is listed but does not exist: add the file, or remove the entry", escape_line(entry)))
        };
        this.missing = missing.map(message);
        Ok(this)
    }

    /// Message about the first local resource that does not exist.
    pub(super) fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// Records each text below a field that names a file.
    fn field(&mut self, field: &str, value: NodeRef<'_, '_>) {
        let is_resource = RESOURCES.contains(&field);
        for text in value.descendants().filter_map(NodeRef::text) {
            // Generators take `key=path`.
            let name = text.rsplit_once('=').filter(|_| !is_resource).map_or(text, |(_, path)| path);
            // Inline patches are long texts; skip the file system lookup.
            if name.is_empty() || name.contains('\n') {
                continue;
            }
            let Ok(path) = self.folder.join(name).canonicalize() else { continue };
            if is_resource {
                self.resources.push((name.to_owned(), path.clone()));
                self.files.insert(path, Listed::Resource);
            } else {
                self.files.entry(path).or_insert_with(|| Listed::Field(field.to_owned()));
            }
        }
    }

    /// Returns the path of the kustomization file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder as given.
    pub(super) fn parent_path(&self) -> &Path {
        self.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Returns the folder as given, for messages.
    pub fn parent(&self) -> String {
        shown_path(self.parent_path())
    }

    /// Returns the canonical paths of the resources and components that exist.
    pub fn resources(&self) -> impl Iterator<Item = &Path> {
        self.resources.iter().map(|(_, path)| path.as_path())
    }

    /// True for a `Component`, which has no build of its own.
    pub fn is_component(&self) -> bool {
        self.is_component
    }

    /// Returns the namespace that the kustomization sets.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// True if the kustomization lists the config as a transformer.
    pub fn runs(&self, config: &Path) -> bool {
        let listed = config.canonicalize().ok().and_then(|config| self.files.get(&config));
        matches!(listed, Some(Listed::Field(field)) if field == "transformers")
    }

    /// Returns the fields in which the build differs from the files; `None` if there are no such fields.
    pub fn changed(&self) -> Option<Changed> {
        let (fields, patches) = (self.changes.clone(), self.patches);
        let namespace = self.namespace.clone().filter(|_| self.resources.iter().any(|(_, path)| path.is_file()));
        (!fields.is_empty()).then(|| Changed { folder: self.parent_path().to_owned(), fields, patches, namespace })
    }

    /// Returns the first field by which the build differs from the listed files.
    pub fn difference(&self) -> Option<&str> {
        self.difference.as_deref()
    }

    /// Returns the folders of components outside of `root`.
    pub fn components_outside<'k>(&'k self, root: &'k Path) -> impl Iterator<Item = &'k Path> {
        self.components.iter().map(PathBuf::as_path).filter(move |path| !path.starts_with(root))
    }

    /// Converts the kustomization to a layer of a build.
    fn layer(&self) -> Layer {
        let lists = self.files.iter().filter(|(_, listed)| **listed == Listed::Resource);
        Layer {
            file: shown_path(&self.path),
            folder: self.folder.clone(),
            lists: lists.map(|(path, _)| path.clone()).collect(),
            field: RENAMING.into_iter().find(|field| self.changes.contains(field)),
            corrected_kinds: Some(self.corrected_kinds.clone()),
        }
    }

    /// Returns the parts of the build that are not in its files.
    pub fn absent(&self) -> &[Absent] {
        &self.absent
    }

    /// True if the kustomization renders charts.
    pub fn has_charts(&self) -> bool {
        self.absent.iter().any(|one| matches!(one, Absent::Chart(_)))
    }

    /// Returns the reason why images are unknown if the kustomization changes images.
    pub fn unknown_images(&self) -> Option<String> {
        let what = "the images that its `images` field sets; give the output of `kustomize build`";
        (!self.image_names.is_empty()).then(|| format!("{}: {what}", shown_path(&self.path)))
    }

    /// Returns the names of the images whose name, tag or digest the kustomization changes.
    pub fn image_names(&self) -> &[String] {
        &self.image_names
    }

    /// Returns the listed files by canonical path.
    pub(super) fn files(&self) -> &BTreeMap<PathBuf, Listed> {
        &self.files
    }

    /// Returns the canonical path of the folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a line for each resource outside of `root`.
    pub fn outside(&self, root: &Path) -> Vec<String> {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let outside = self.resources.iter().filter(|(_, path)| !path.starts_with(&root));
        outside
            .map(|(name, _)| {
                let (file, name) = (shown_path(&self.path), escape_line(name));
                format!("{file}: {name} is outside of the given folder and is not changed")
            })
            .collect()
    }
}

/// Kustomizations by folder, each read once.
#[derive(Debug, Default)]
pub struct Kustomizations(HashMap<PathBuf, Vec<Result<Kustomization, String>>>);

impl Kustomizations {
    /// Reads the kustomizations of folders and of their parent folders.
    pub fn read<'p>(folders: impl Iterator<Item = &'p Path>) -> Self {
        let mut read = Self::default();
        for folder in folders.filter_map(|folder| folder.canonicalize().ok()) {
            for folder in folder.ancestors() {
                read.read_folder(folder);
            }
        }
        read
    }

    /// Converts the kustomizations to layers of builds.
    pub(super) fn layers(&self) -> Vec<Layer> {
        self.0.values().flatten().flatten().map(Kustomization::layer).collect()
    }

    fn read_folder(&mut self, folder: &Path) -> &[Result<Kustomization, String>] {
        self.0
            .entry(folder.to_owned())
            .or_insert_with(|| kustomizations_in(folder).map(|path| Kustomization::read(&path)).collect())
    }

    /// True if a kustomization in a file's folder or a parent folder lists the file, or cannot be read.
    pub fn list(&mut self, file: &Path) -> bool {
        let Ok(resolved) = file.canonicalize() else { return false };
        let mut folders = resolved.ancestors().skip(1);
        folders.any(|folder| {
            let here = self.read_folder(folder);
            here.iter().any(|one| one.as_ref().map_or(true, |one| one.files.contains_key(&resolved)))
        })
    }
}

/// Returns the kinds with `nameReference` rows in a file of `configurations`.
fn corrected_kinds_of(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let Ok(tree) = Tree::parse(&text) else { return Vec::new() };
    let rows = tree.root(0).and_then(|root| root.get("nameReference")).into_iter().flat_map(NodeRef::items);
    rows.filter_map(|row| Some(row.get("kind")?.text()?.to_owned())).collect()
}

/// True for an entry of `resources` that names a local file or folder: neither a URL nor a placeholder.
pub fn is_local(entry: &str) -> bool {
    !entry.is_empty() && !is_remote(entry) && !entry.contains(PLACEHOLDERS)
}

/// Characters of placeholders and of inline objects.
const PLACEHOLDERS: [char; 4] = ['$', '{', '\n', ':'];

/// True for an entry of `resources` that is a URL.
pub fn is_remote(entry: &str) -> bool {
    let entry = entry.to_ascii_lowercase();
    let is_url = entry.contains("://")
        || entry.contains("?ref=")
        || entry.contains("//")
        || entry.contains(".git")
        || entry.contains('@')
        || ["github.com", "gitlab.com", "bitbucket.org"].iter().any(|host| entry.contains(host));
    is_url && !entry.contains('\n')
}

/// Leaves out Components, which have no build of their own, unless there is nothing else.
pub(super) fn built_files(marks: Vec<PathBuf>) -> Vec<PathBuf> {
    let is_component = |file: &PathBuf| Kustomization::read_incomplete(file).is_ok_and(|read| read.is_component());
    let (components, built): (Vec<PathBuf>, Vec<PathBuf>) = marks.into_iter().partition(is_component);
    if built.is_empty() { components } else { built }
}
