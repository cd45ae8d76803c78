//! What a kustomization says about the files around it.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::shown::{shown, shown_path};
use crate::yaml::{NodeRef, Tree};

/// The fields whose files are manifests that reach the cluster.
const RESOURCES: [&str; 3] = ["resources", "bases", "components"];

/// The fields that change what the resources say.
const CHANGES: [&str; 4] = ["patches", "patchesStrategicMerge", "patchesJson6902", "replacements"];

/// The fields that give the resources other names.
const NAMES: [&str; 3] = ["namespace", "namePrefix", "nameSuffix"];

/// How a kustomization lists a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Listed {
    /// As something that reaches the cluster.
    Resource,
    /// Under this field, as an input of something else.
    Field(String),
}

/// A kustomization file and the files that it names.
#[derive(Debug)]
pub(super) struct Kustomization {
    path: PathBuf,
    /// Its folder, without symlinks.
    folder: PathBuf,
    /// By their paths without symlinks.
    files: BTreeMap<PathBuf, Listed>,
    /// Files and folders among the resources, as they are written.
    resources: Vec<(String, PathBuf)>,
    /// Those of [`CHANGES`] that hold something.
    changes: Vec<&'static str>,
    /// The fields of [`NAMES`] that it sets.
    names: Vec<&'static str>,
    /// The charts that it renders.
    charts: Vec<String>,
    /// Whether it gives images other names, tags or digests.
    changes_images: bool,
}

impl Kustomization {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", shown_path(path));
        let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
        let tree = Tree::parse(&text).map_err(|error| failed(&error))?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let folder = parent.canonicalize().map_err(|error| failed(&error))?;
        let holds = |field: &&str| tree.root(0)?.get(field)?.children().next();
        let changes = CHANGES.into_iter().filter(|field| holds(field).is_some()).collect();
        let changes_images = holds(&"images").is_some();
        let text_of = |field: &&str| tree.root(0)?.get(field)?.non_null_text().filter(|text| !text.is_empty());
        let names = NAMES.into_iter().filter(|field| text_of(field).is_some()).collect();
        let charts = tree.root(0).and_then(|root| root.get("helmCharts")).into_iter().flat_map(NodeRef::items);
        let charts = charts.filter_map(|chart| Some(shown(chart.get("name")?.non_null_text()?).into_owned())).collect();
        let (path, files, resources) = (path.to_owned(), BTreeMap::new(), Vec::new());
        let mut this = Self { path, folder, files, resources, changes, names, charts, changes_images };
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

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What is to be known of one that changes what its resources say.
    pub(super) fn warning(&self) -> Option<String> {
        let fields = Some(self.changes.join(", ")).filter(|fields| !fields.is_empty())?;
        Some(format!(
            "{}: what it sets under {fields} is not looked at, and may undo or miss the move; look at what `kustomize build` \
             makes of it",
            shown_path(&self.path)
        ))
    }

    /// The folder, as it was given.
    pub(super) fn parent(&self) -> String {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => shown_path(parent),
            _ => ".".to_owned(),
        }
    }

    /// The fields that give its resources other names than its files have.
    pub(super) fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// The charts that it renders.
    pub(super) fn charts(&self) -> &[String] {
        &self.charts
    }

    /// What is not known of the images of one that changes them.
    pub(super) fn unknown_images(&self) -> Option<String> {
        let what =
            "which images its `images` make of those that its resources name; give what `kustomize build` makes of it";
        self.changes_images.then(|| format!("{}: {what}", shown_path(&self.path)))
    }

    pub(super) fn listed(&self, file: &Path) -> Option<Listed> {
        self.files.get(&file.canonicalize().ok()?).cloned()
    }

    /// Whether a file lies in the kustomization's folder, at any depth.
    pub(super) fn governs(&self, file: &Path) -> bool {
        file.canonicalize().is_ok_and(|file| file.starts_with(&self.folder))
    }

    /// A line for each resource that is not below `root`.
    pub(super) fn outside(&self, root: &Path) -> Vec<String> {
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
pub(super) struct Kustomizations(HashMap<PathBuf, Vec<Result<Kustomization, String>>>);

impl Kustomizations {
    /// Whether one in a file's folder or above lists the file. One that cannot be read may.
    pub(super) fn list(&mut self, file: &Path) -> bool {
        let Ok(resolved) = file.canonicalize() else { return false };
        let mut folders = resolved.ancestors().skip(1);
        folders.any(|folder| {
            let read = |name: &&str| Some(folder.join(name)).filter(|path| path.is_file());
            let here = self.0.entry(folder.to_owned()).or_insert_with(|| {
                KUSTOMIZATIONS.iter().filter_map(read).map(|path| Kustomization::read(&path)).collect()
            });
            here.iter().any(|one| one.as_ref().map_or(true, |one| one.listed(file).is_some()))
        })
    }
}

/// Names of the file that makes a folder a kustomization.
pub(crate) const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// True for an entry of `resources` that names a file or a folder, and nothing that kustomize gets from a network or a placeholder.
fn is_local(entry: &str) -> bool {
    let is_remote = entry.contains("://")
        || entry.contains("?ref=")
        || entry.contains("//")
        || entry.contains(".git")
        || entry.contains('@')
        || ["github.com", "gitlab.com", "bitbucket.org"].iter().any(|host| entry.contains(host))
        || entry.contains(['$', '{', '\n', ':']);
    !is_remote && !entry.is_empty()
}
