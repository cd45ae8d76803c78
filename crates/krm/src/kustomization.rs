//! What a kustomization says about the files around it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::functions::{KUSTOMIZATIONS, ListedConfig, listed};
use super::renaming::{Layer, RENAMING};
use super::shown::{shown, shown_path};
use lossless_yaml::{NodeRef, Tree};

/// The fields whose files are manifests that reach the cluster.
pub const RESOURCES: [&str; 3] = ["resources", "bases", "components"];

/// The fields that change what the resources say.
const CHANGES: [&str; 4] = ["patches", "patchesStrategicMerge", "patchesJson6902", "replacements"];

/// The fields that give the resources other names.
pub const NAMES: [&str; 3] = ["namespace", "namePrefix", "nameSuffix"];

/// The group of this program's configs, whose functions are no change of another one.
const OWN_GROUP: &str = "hostnet.dev/";

/// A kustomization whose build has other names or values than its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its folder.
    pub folder: PathBuf,
    /// The fields that change something.
    pub fields: Vec<&'static str>,
    /// True if they are more than names.
    pub patches: bool,
}

/// How a kustomization lists a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed {
    /// As something that reaches the cluster.
    Resource,
    /// Under this field, as an input of something else.
    Field(String),
}

/// A kustomization file and the files that it names.
#[derive(Debug)]
pub struct Kustomization {
    path: PathBuf,
    /// Its folder, without symlinks.
    folder: PathBuf,
    /// By their paths without symlinks.
    files: BTreeMap<PathBuf, Listed>,
    /// Files and folders among the resources, as they are written.
    resources: Vec<(String, PathBuf)>,
    /// The fields that give its resources other names or values.
    changes: Vec<&'static str>,
    /// True if one of [`CHANGES`] is among them.
    patches: bool,
    /// Folders under `components`.
    components: Vec<PathBuf>,
    /// The charts that it renders.
    charts: Vec<String>,
    /// Whether it gives images other names, tags or digests.
    changes_images: bool,
    /// The kinds that its `configurations` have rows of `nameReference` for.
    mends: BTreeSet<String>,
}

impl Kustomization {
    /// Reads a kustomization file; an error has the reason.
    pub fn read(path: &Path) -> Result<Self, String> {
        let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", shown_path(path));
        let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
        let tree = Tree::parse(&text).map_err(|error| failed(&error))?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let folder = parent.canonicalize().map_err(|error| failed(&error))?;
        let holds = |field: &&str| tree.root(0)?.get(field)?.children().next();
        let patching: Vec<&str> = CHANGES.into_iter().filter(|field| holds(field).is_some()).collect();
        let changes_images = holds(&"images").is_some();
        let text_of = |field: &&str| tree.root(0)?.get(field)?.non_null_text().filter(|text| !text.is_empty());
        let is_foreign = |config: &ListedConfig| !config.api_version.starts_with(OWN_GROUP);
        let transforms = holds(&"transformers").is_some() && listed(&folder, "transformers").iter().any(is_foreign);
        let patches = !patching.is_empty() || transforms;
        let names = NAMES.into_iter().filter(|field| text_of(field).is_some());
        let changes = names.chain(patching).chain(transforms.then_some("transformers")).collect();
        let components = tree.root(0).and_then(|root| root.get("components")).into_iter().flat_map(NodeRef::items);
        let components = components.filter_map(NodeRef::text).filter(|entry| is_local(entry));
        let components = components.filter_map(|entry| folder.join(entry).canonicalize().ok()).collect();
        let charts = tree.root(0).and_then(|root| root.get("helmCharts")).into_iter().flat_map(NodeRef::items);
        let charts = charts.filter_map(|chart| Some(shown(chart.get("name")?.non_null_text()?).into_owned())).collect();
        let (path, files, resources) = (path.to_owned(), BTreeMap::new(), Vec::new());
        let configurations = tree.root(0).and_then(|root| root.get("configurations"));
        let configurations = configurations.into_iter().flat_map(NodeRef::items).filter_map(NodeRef::text);
        let mends = configurations.flat_map(|file| mended_kinds(&folder.join(file))).collect();
        let mut this =
            Self { path, folder, files, resources, changes, patches, components, charts, changes_images, mends };
        for (key, value) in tree.root(0).into_iter().flat_map(NodeRef::entries) {
            this.field(key.text().unwrap_or_default(), value);
        }
        if let Some(missing) = this.missing(&tree) {
            return Err(failed(&format!(
                "{} is listed and is not there: add the file, or remove the entry",
                shown(&missing)
            )));
        }
        Ok(this)
    }

    /// The first resource that is neither in the folder nor somewhere else on the network.
    fn missing(&self, tree: &Tree<'_>) -> Option<String> {
        let root = tree.root(0)?;
        let lists = RESOURCES.into_iter().filter_map(|field| root.get(field));
        let mut entries = lists.flat_map(NodeRef::items).filter_map(NodeRef::non_null_text);
        // A dangling symlink is not there either.
        let missing = |entry: &&str| is_local(entry) && !self.folder.join(entry).exists();
        entries.find(missing).map(str::to_owned)
    }

    /// Notes every text below a field that names a file.
    fn field(&mut self, field: &str, value: NodeRef<'_, '_>) {
        let is_resource = RESOURCES.contains(&field);
        let mut open = vec![value];
        while let Some(node) = open.pop() {
            open.extend(node.children());
            let Some(text) = node.text() else { continue };
            // Generators take `key=path`.
            let name = text.rsplit_once('=').filter(|_| !is_resource).map_or(text, |(_, path)| path);
            // Inline patches are long texts; asking the system for such a name is of no use.
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

    /// The file of the kustomization.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder, as it was given.
    fn parent_path(&self) -> &Path {
        self.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// The folder, as it was given.
    #[must_use]
    pub fn parent(&self) -> String {
        shown_path(self.parent_path())
    }

    /// True if one of its resources, or one of its components, is a path of which `is_it` is true.
    pub fn builds(&self, is_it: impl Fn(&Path) -> bool) -> bool {
        self.resources.iter().any(|(_, path)| is_it(path))
    }

    /// How its build differs from its files; `None` if it does not.
    #[must_use]
    pub fn changed(&self) -> Option<Changed> {
        let (fields, patches) = (self.changes.clone(), self.patches);
        (!fields.is_empty()).then(|| Changed { folder: self.parent_path().to_owned(), fields, patches })
    }

    /// The folders of its components that are not below `root`.
    pub fn components_outside<'k>(&'k self, root: &'k Path) -> impl Iterator<Item = &'k Path> {
        self.components.iter().map(PathBuf::as_path).filter(move |path| !path.starts_with(root))
    }

    /// The kustomization as a layer of a build.
    fn layer(&self) -> Layer {
        let lists = self.files.iter().filter(|(_, listed)| **listed == Listed::Resource);
        Layer {
            file: shown_path(&self.path),
            folder: self.folder.clone(),
            lists: lists.map(|(path, _)| path.clone()).collect(),
            field: RENAMING.into_iter().find(|field| self.changes.contains(field)),
            mends: Some(self.mends.clone()),
        }
    }

    /// The charts that it renders.
    #[must_use]
    pub fn charts(&self) -> &[String] {
        &self.charts
    }

    /// What is not known of the images of one that changes them.
    #[must_use]
    pub fn unknown_images(&self) -> Option<String> {
        let what =
            "which images its `images` make of those that its resources name; give what `kustomize build` makes of it";
        self.changes_images.then(|| format!("{}: {what}", shown_path(&self.path)))
    }

    /// The way in which the kustomization lists a file; `None` if it does not.
    #[must_use]
    pub fn listed(&self, file: &Path) -> Option<Listed> {
        self.files.get(&file.canonicalize().ok()?).cloned()
    }

    /// Whether a file lies in the kustomization's folder, at any depth.
    #[must_use]
    pub fn governs(&self, file: &Path) -> bool {
        file.canonicalize().is_ok_and(|file| file.starts_with(&self.folder))
    }

    /// A line for each resource that is not below `root`.
    #[must_use]
    pub fn outside(&self, root: &Path) -> Vec<String> {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let outside = self.resources.iter().filter(|(_, path)| !path.starts_with(&root));
        outside
            .map(|(name, _)| {
                let (file, name) = (shown_path(&self.path), shown(name));
                format!("{file}: {name} is outside of the given folder and left alone")
            })
            .collect()
    }
}

/// The kustomizations of folders, each read once.
#[derive(Debug, Default)]
pub struct Kustomizations(HashMap<PathBuf, Vec<Result<Kustomization, String>>>);

impl Kustomizations {
    /// Reads the kustomizations of folders and of those above them.
    pub fn read<'p>(folders: impl Iterator<Item = &'p Path>) -> Self {
        let mut read = Self::default();
        for folder in folders.filter_map(|folder| folder.canonicalize().ok()) {
            for folder in folder.ancestors() {
                read.of_folder(folder);
            }
        }
        read
    }

    /// The kustomizations as layers of builds.
    pub(crate) fn layers(&self) -> Vec<Layer> {
        self.0.values().flatten().flatten().map(Kustomization::layer).collect()
    }

    fn of_folder(&mut self, folder: &Path) -> &[Result<Kustomization, String>] {
        let read = |name: &&str| Some(folder.join(name)).filter(|path| path.is_file());
        self.0
            .entry(folder.to_owned())
            .or_insert_with(|| KUSTOMIZATIONS.iter().filter_map(read).map(|path| Kustomization::read(&path)).collect())
    }

    /// Whether one in a file's folder or above lists the file. One that cannot be read may.
    pub fn list(&mut self, file: &Path) -> bool {
        let Ok(resolved) = file.canonicalize() else { return false };
        let mut folders = resolved.ancestors().skip(1);
        folders.any(|folder| {
            let here = self.of_folder(folder);
            here.iter().any(|one| one.as_ref().map_or(true, |one| one.listed(file).is_some()))
        })
    }
}

/// The kinds that a file of `configurations` has rows of `nameReference` for.
fn mended_kinds(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let Ok(tree) = Tree::parse(&text) else { return Vec::new() };
    let rows = tree.root(0).and_then(|root| root.get("nameReference")).into_iter().flat_map(NodeRef::items);
    rows.filter_map(|row| Some(row.get("kind")?.text()?.to_owned())).collect()
}

/// True for an entry of `resources` that names a file or a folder, and nothing that kustomize gets from a network or a placeholder.
#[must_use]
pub fn is_local(entry: &str) -> bool {
    let entry = entry.to_ascii_lowercase();
    let is_remote = entry.contains("://")
        || entry.contains("?ref=")
        || entry.contains("//")
        || entry.contains(".git")
        || entry.contains('@')
        || ["github.com", "gitlab.com", "bitbucket.org"].iter().any(|host| entry.contains(host))
        || entry.contains(['$', '{', '\n', ':']);
    !is_remote && !entry.is_empty()
}
