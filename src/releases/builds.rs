//! Builds of kustomize and Flux that contain a file, from the kustomization that lists it up to the applied
//! kustomization.
//!
//! Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/target/kusttarget.go` (components, then patches, namespace,
//! prefix and suffix, each level after the levels that it lists), fluxcd/pkg@0180cac2f
//! `kustomize/kustomize_generator.go` (fields of Flux's Kustomization).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::generated;
use super::kustomization::KustomizationFile;
use super::names::text;
use super::patch::Patch;
use crate::model::Meta;
use krm::{from_here, shell_path, shown_path};
use lossless_yaml::{NodeRef, Tree, document};

/// Maximum number of builds of a file that are followed.
const MAX_BUILDS: usize = 200;

/// A Kustomization of Flux that builds a folder of the repository.
#[derive(Debug)]
pub(super) struct FluxBuild {
    pub(super) meta: Meta,
    /// File of the object.
    pub(super) file: Option<PathBuf>,
    /// Resolved folder.
    pub(super) folder: PathBuf,
    namespace: Option<String>,
    prefix: Option<String>,
    suffix: Option<String>,
    /// Paths of components, relative to the folder.
    components: Vec<String>,
    patches: Vec<Arc<Patch>>,
    /// Patches that the builds of the object add to its own ones.
    injected: OnceLock<Vec<Arc<Patch>>>,
}

impl FluxBuild {
    /// Reads a Kustomization of Flux; [`FluxBuild::with_folder`] sets its folder and file.
    pub(super) fn read(object: NodeRef<'_, '_>) -> Self {
        let meta = Meta::read(object);
        let spec = object.get("spec");
        let field = |key: &str| spec.and_then(|spec| text(spec, key)).map(str::to_owned);
        let items = |key: &str| spec.and_then(|spec| spec.get(key)).into_iter().flat_map(NodeRef::items);
        let by = meta.to_string();
        Self {
            file: None,
            folder: PathBuf::new(),
            namespace: field("targetNamespace"),
            prefix: field("namePrefix"),
            suffix: field("nameSuffix"),
            components: items("components").filter_map(NodeRef::text).map(str::to_owned).collect(),
            patches: items("patches").flat_map(|entry| Patch::entry(entry, None, &by)).collect(),
            injected: OnceLock::new(),
            meta,
        }
    }

    pub(super) fn with_folder(self, folder: PathBuf, file: Option<&Path>) -> Self {
        Self { folder, file: file.map(Path::to_owned), ..self }
    }

    /// Command that renders the charts of its build.
    fn command(&self) -> String {
        let file = self.file.as_deref().map_or_else(|| "-".to_owned(), shell_path);
        format!("hostnet charts --to built {file} | sh; hostnet charts built/*.yaml | sh")
    }

    fn label(&self) -> String {
        let file = self.file.as_deref().map(|file| format!(" ({})", shown_path(file))).unwrap_or_default();
        format!("{}{file}", self.meta)
    }
}

/// Changes that one build makes to the objects of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Built {
    pub(super) namespace: Option<String>,
    pub(super) prefix: String,
    pub(super) suffix: String,
    pub(super) patches: Vec<Arc<Patch>>,
    /// Display name of the object or folder that is applied.
    pub(super) by: String,
    /// Command that renders the charts of the build.
    pub(super) command: String,
}

impl Built {
    /// Adds the changes of an enclosing kustomization, with the fields that Flux sets in it.
    fn within(&mut self, kustomization: Option<&KustomizationFile>, flux: Option<&FluxBuild>) {
        if let Some(kustomization) = kustomization {
            self.patches.extend(kustomization.patches.iter().cloned());
        }
        if let Some(flux) = flux {
            self.patches.extend(flux.patches.iter().cloned());
        }
        let either = |flux: Option<&String>, kustomization: Option<&String>| flux.or(kustomization).cloned();
        let namespace = either(
            flux.and_then(|flux| flux.namespace.as_ref()),
            kustomization.and_then(|kustomization| kustomization.namespace.as_ref()),
        );
        self.namespace = namespace.or(self.namespace.take());
        if let Some(prefix) = either(
            flux.and_then(|flux| flux.prefix.as_ref()),
            kustomization.and_then(|kustomization| kustomization.prefix.as_ref()),
        ) {
            self.prefix.insert_str(0, &prefix);
        }
        if let Some(suffix) = either(
            flux.and_then(|flux| flux.suffix.as_ref()),
            kustomization.and_then(|kustomization| kustomization.suffix.as_ref()),
        ) {
            self.suffix.push_str(&suffix);
        }
    }
}

/// Kustomizations of a repository, by the files and folders that they list.
#[derive(Debug, Default)]
pub(super) struct Builds {
    kustomizations: HashMap<PathBuf, Arc<KustomizationFile>>,
    /// Folders of the kustomizations that list a file or folder.
    listed_by: HashMap<PathBuf, BTreeSet<PathBuf>>,
    /// Flux's builds of each folder.
    flux: BTreeMap<PathBuf, Vec<FluxBuild>>,
}

impl Builds {
    /// Reads the kustomizations of folders, of the folders that Flux builds, and of all folders that they list.
    pub(super) fn new(
        folders: impl IntoIterator<Item = PathBuf>,
        flux: Vec<FluxBuild>,
        read: impl Fn(&Path) -> Option<Arc<KustomizationFile>>,
    ) -> Self {
        let mut this = Self::default();
        let mut open: Vec<PathBuf> = folders.into_iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        for build in flux {
            open.push(build.folder.clone());
            this.flux.entry(build.folder.clone()).or_default().push(build);
        }
        let mut known = BTreeSet::new();
        while let Some(folder) = open.pop().filter(|_| known.len() < 100_000) {
            if !known.insert(folder.clone()) {
                continue;
            }
            let Some(kustomization) = read(&folder) else { continue };
            let listed = kustomization.resources.iter().chain(&kustomization.components);
            for path in listed.filter_map(|entry| folder.join(entry).canonicalize().ok()) {
                if path.is_dir() {
                    open.push(path.clone());
                }
                this.listed_by.entry(path).or_default().insert(folder.clone());
            }
            this.kustomizations.insert(folder, kustomization);
        }
        for folder in this.flux.keys().filter(|folder| !this.kustomizations.contains_key(*folder)) {
            for path in generated::resources(folder).into_iter().filter_map(|path| path.canonicalize().ok()) {
                this.listed_by.entry(path).or_default().insert(folder.clone());
            }
        }
        this
    }

    /// Builds that contain a file: Flux's builds, else builds of kustomizations that no other kustomization lists.
    pub(super) fn containing(&self, file: &Path) -> Vec<Built> {
        let Ok(file) = file.canonicalize() else { return Vec::new() };
        let mut found = OutermostBuilds::default();
        self.follow_parents(&file, &Built::default(), &mut vec![file.clone()], &mut found);
        if found.flux.is_empty() {
            return found.folders;
        }
        let mut all = Vec::new();
        for (mut built, flux) in found.flux {
            built.patches.extend(flux.injected.get_or_init(|| self.injected(flux)).iter().cloned());
            all.push(built);
        }
        all
    }

    /// Patches that the builds of a Kustomization of Flux add to its `spec.patches`.
    fn injected(&self, flux: &FluxBuild) -> Vec<Arc<Patch>> {
        let Some(file) = flux.file.as_deref().and_then(|file| file.canonicalize().ok()) else { return Vec::new() };
        let mut found = OutermostBuilds::default();
        self.follow_parents(&file, &Built::default(), &mut vec![file.clone()], &mut found);
        let outer = found.flux.into_iter().map(|(built, _)| built).chain(found.folders);
        let patches = outer.flat_map(|built| built.patches);
        let mut all = Vec::new();
        for patch in patches.filter(|patch| patch.matches(std::slice::from_ref(&flux.meta))) {
            for element in patch.elements(&["spec", "patches"]) {
                let written = document(element);
                let tree = Tree::parse(&written).ok();
                let entry = tree.as_ref().and_then(|tree| tree.root(0));
                all.extend(entry.into_iter().flat_map(|entry| Patch::entry(entry, None, &patch.by)));
            }
        }
        all
    }

    /// Follows the kustomizations that list a path.
    fn follow_parents<'b>(
        &'b self,
        at: &Path,
        state: &Built,
        above: &mut Vec<PathBuf>,
        found: &mut OutermostBuilds<'b>,
    ) {
        let parents = self.listed_by.get(at);
        for folder in parents.into_iter().flatten().filter(|folder| !above.contains(folder)).collect::<Vec<_>>() {
            if found.flux.len() + found.folders.len() >= MAX_BUILDS {
                return;
            }
            let kustomization = self.kustomizations.get(folder).map(AsRef::as_ref);
            let mut outer = state.clone();
            let components = kustomization.into_iter().flat_map(|kustomization| &kustomization.components);
            self.add_components(components, folder, at, &mut outer);
            let flux = self.flux.get(folder).map(Vec::as_slice).unwrap_or_default();
            for flux in flux {
                let mut built = outer.clone();
                self.add_components(&flux.components, folder, at, &mut built);
                built.within(kustomization, Some(flux));
                (built.by, built.command) = (flux.label(), flux.command());
                found.flux.push((built, flux));
            }
            outer.within(kustomization, None);
            if !self.listed_by.contains_key(folder) && flux.is_empty() {
                let folder = from_here(folder);
                outer.by = shown_path(&folder);
                outer.command = format!("kustomize build {} | hostnet charts - | sh", shell_path(&folder));
                found.folders.push(outer.clone());
            }
            above.push(folder.clone());
            self.follow_parents(folder, &outer, above, found);
            above.pop();
        }
    }

    /// Adds the changes of components, except for the one from which the kustomization gets the file.
    fn add_components<'c>(
        &self,
        components: impl IntoIterator<Item = &'c String>,
        folder: &Path,
        child: &Path,
        built: &mut Built,
    ) {
        let folders = components.into_iter().filter_map(|entry| folder.join(entry).canonicalize().ok());
        for component in folders.filter(|component| component != child) {
            built.within(self.kustomizations.get(&component).map(AsRef::as_ref), None);
        }
    }
}

/// Outermost builds that contain a file.
#[derive(Debug, Default)]
struct OutermostBuilds<'b> {
    flux: Vec<(Built, &'b FluxBuild)>,
    folders: Vec<Built>,
}
