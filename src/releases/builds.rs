//! Builds of kustomize and Flux that contain a file, from the kustomization that lists it up to the applied
//! kustomization.
//!
//! Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/target/kusttarget.go` (components, then patches, namespace,
//! prefix and suffix, each level after the levels that it lists), fluxcd/pkg@0180cac2f
//! `kustomize/kustomize_generator.go` (fields of Flux's Kustomization).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::copied_values;
use super::generated;
use super::kustomization::KustomizationFile;
use super::names::text;
use super::patch::Patch;
use super::variables::PostBuild;
use crate::model::Meta;
use krm::{relative_to_working_dir, shell_path, shown_path};
use lossless_yaml::{NodeRef, Tree, Value, document};

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
    names: Names,
    /// Paths of components, relative to the folder.
    components: Vec<String>,
    patches: Vec<Arc<Patch>>,
    post_build: Option<PostBuild>,
    /// The object as its own builds apply it.
    forms: OnceLock<Vec<Form>>,
}

/// Fields of a Kustomization of Flux that change names.
#[derive(Debug, Clone, Default)]
struct Names {
    namespace: Option<String>,
    prefix: Option<String>,
    suffix: Option<String>,
}

/// A Kustomization of Flux as one of its builds applies it.
#[derive(Debug, Clone, Default)]
struct Form {
    names: Names,
    /// Display name of the change that sets these names to unknown values.
    unknown_names: Option<String>,
    /// Patches that the build adds to `spec.patches`.
    patches: Vec<Arc<Patch>>,
    /// `spec.postBuild` with the changes of the build.
    post_build: Option<PostBuild>,
    /// Display name of the build.
    by: String,
    /// Commands that write the object of the build into a folder; empty if the build changes nothing that affects the
    /// output of the object.
    commands: Vec<String>,
}

/// Fields of a Kustomization of Flux that affect the output of its build.
const FIELDS: [&str; 8] =
    ["components", "images", "namePrefix", "nameSuffix", "patches", "path", "sourceRef", "targetNamespace"];

/// Maximum nesting depth of Kustomizations that build the files of other Kustomizations.
const MAX_DEPTH: usize = 5;

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
            names: Names {
                namespace: field("targetNamespace"),
                prefix: field("namePrefix"),
                suffix: field("nameSuffix"),
            },
            components: items("components").filter_map(NodeRef::text).map(str::to_owned).collect(),
            patches: items("patches").flat_map(|entry| Patch::entry(entry, None, &by)).collect(),
            post_build: spec.and_then(|spec| spec.get("postBuild")).map(PostBuild::read),
            forms: OnceLock::new(),
            meta,
        }
    }

    /// The build with another folder and file.
    pub(super) fn with_folder(self, folder: PathBuf, file: Option<&Path>) -> Self {
        Self { folder, file: file.map(Path::to_owned), ..self }
    }

    /// Commands that write the objects of this Kustomization's build into a folder. `with` is the folder of the
    /// repository.
    fn commands(&self, form: &Form, with: &str) -> Vec<String> {
        let mut commands = form.commands.clone();
        let from = match (commands.len(), self.file.as_deref()) {
            (0, Some(file)) => shell_path(file),
            (0, None) => "-".to_owned(),
            (count, _) => format!("{}/*.yaml", output(count)),
        };
        commands.push(charts_command(commands.len() + 1, with, &from));
        commands
    }

    /// The Kustomization as one of its builds applies it. `commands` write the objects of that build.
    fn form(&self, built: &Built, commands: Vec<String>) -> Form {
        let patches: Vec<&Arc<Patch>> =
            built.patches.iter().filter(|patch| patch.matches(std::slice::from_ref(&self.meta))).collect();
        let mut form = Form { by: built.by.clone(), ..self.written() };
        for patch in &patches {
            let Names { namespace, prefix, suffix } = &mut form.names;
            for (field, name) in [("targetNamespace", namespace), ("namePrefix", prefix), ("nameSuffix", suffix)] {
                let field = ["spec", field];
                if patch.changes(&field) {
                    *name = patch.text(&field).map(str::to_owned);
                    form.unknown_names = name.is_none().then(|| patch.by.clone()).or(form.unknown_names.take());
                }
            }
            for element in patch.elements(&["spec", "patches"]) {
                with_value(element, |entry| form.patches.extend(Patch::entry(entry, None, &patch.by)));
            }
            if let Some(value) = patch.value(&["spec", "postBuild"]) {
                with_value(value, |node| form.post_build.get_or_insert_default().merge(PostBuild::read(node)));
            }
        }
        let is_changed = FIELDS.iter().any(|field| patches.iter().any(|patch| patch.changes(&["spec", field])));
        form.commands = if is_changed { commands } else { Vec::new() };
        form
    }

    /// The object as written in its file.
    fn written(&self) -> Form {
        Form { names: self.names.clone(), post_build: self.post_build.clone(), ..Form::default() }
    }

    /// Variables of the Kustomization's build, with its namespace and file.
    fn variables(&self, form: &Form) -> Option<(PostBuild, Option<String>, Option<PathBuf>)> {
        form.post_build.clone().map(|variables| (variables, self.meta.namespace.clone(), self.file.clone()))
    }

    /// Display name of the object that starts the build.
    fn label(&self) -> String {
        let file = self.file.as_deref().map(|file| format!(" ({})", shown_path(file))).unwrap_or_default();
        format!("{}{file}", self.meta)
    }
}

/// Reads a value as YAML.
fn with_value(value: &Value, read: impl FnOnce(NodeRef<'_, '_>)) {
    let written = document(value);
    let tree = Tree::parse(&written).ok();
    if let Some(root) = tree.as_ref().and_then(|tree| tree.root(0)) {
        read(root);
    }
}

/// Folder into which the command at a position writes.
fn output(position: usize) -> String {
    if position == 1 { "built".to_owned() } else { format!("built-{position}") }
}

/// Command that builds the Kustomizations of files.
fn charts_command(position: usize, with: &str, from: &str) -> String {
    format!("hostnet charts --to {} --with {with} {from} | sh", output(position))
}

/// Command line that renders the charts of the objects that these commands write.
fn chart_render_command(commands: &[String], with: &str) -> String {
    let last = format!("hostnet charts --with {with} {}/*.yaml | sh", output(commands.len()));
    commands.iter().chain([&last]).map(String::as_str).collect::<Vec<_>>().join("; ")
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
    /// Command that renders the charts of the build, or that builds a folder without charts.
    pub(super) command: String,
    /// Folders of the kustomizations that contain the file, from the innermost one on.
    pub(super) folders: Vec<PathBuf>,
    /// Display name of the change that sets the build's namespace, prefix or suffix to unknown values.
    pub(super) unknown_names: Option<String>,
    /// Variables of the build, with the namespace and the file of their object.
    pub(super) variables: Option<(PostBuild, Option<String>, Option<PathBuf>)>,
}

impl Built {
    /// Adds the changes of an enclosing kustomization: its patches with the patches of Flux, its replacements, and the
    /// names that Flux or the kustomization sets.
    fn within(
        &mut self,
        kustomization: Option<&KustomizationFile>,
        replaced: &[Arc<Patch>],
        flux: Option<(&[Arc<Patch>], &Names)>,
    ) {
        let own = kustomization.map(|kustomization| kustomization.patches.as_slice()).unwrap_or_default();
        let of_flux = flux.map(|(patches, _)| patches).unwrap_or_default();
        self.patches.extend([own, of_flux, replaced].into_iter().flatten().cloned());
        let either = |of_flux: fn(&Names) -> &Option<String>, own: fn(&KustomizationFile) -> &Option<String>| {
            let of_flux = flux.and_then(|(_, names)| of_flux(names).clone());
            of_flux.or_else(|| own(kustomization?).clone())
        };
        let namespace = either(|flux| &flux.namespace, |own| &own.namespace);
        self.namespace = namespace.or(self.namespace.take());
        if let Some(prefix) = either(|flux| &flux.prefix, |own| &own.prefix) {
            self.prefix.insert_str(0, &prefix);
        }
        if let Some(suffix) = either(|flux| &flux.suffix, |own| &own.suffix) {
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
    /// Folders of Flux's builds with a component, by the component's folder.
    flux_components: HashMap<PathBuf, BTreeSet<PathBuf>>,
    /// Replacements of kustomizations and components, by the folder of the kustomization whose objects they change and
    /// by their own folder.
    replaced: HashMap<(PathBuf, PathBuf), Vec<Arc<Patch>>>,
    /// Folder of the repository, as a word of a command.
    with: String,
}

impl Builds {
    /// Reads the kustomizations of folders, of the folders that Flux builds, and of all folders that they list.
    pub(super) fn new(
        root: &Path,
        folders: impl IntoIterator<Item = PathBuf>,
        flux: Vec<FluxBuild>,
        read: impl Fn(&Path) -> Option<Arc<KustomizationFile>>,
    ) -> Self {
        let with = if root.as_os_str().is_empty() { ".".to_owned() } else { shell_path(root) };
        let mut this = Self { with, ..Self::default() };
        let mut open: Vec<PathBuf> = folders.into_iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        for build in flux {
            open.push(build.folder.clone());
            for component in resolved(&build.components, &build.folder) {
                open.push(component.clone());
                this.flux_components.entry(component).or_default().insert(build.folder.clone());
            }
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
        this.replaced = this.replaced();
        this
    }

    /// Reads the values of all replacements.
    fn replaced(&self) -> HashMap<(PathBuf, PathBuf), Vec<Arc<Patch>>> {
        let mut found = HashMap::new();
        for (owner, kustomization) in &self.kustomizations {
            if kustomization.replacements.is_empty() {
                continue;
            }
            // A component may be listed by another component.
            let (mut open, mut scopes) = (vec![owner], BTreeSet::new());
            while let Some(at) = open.pop().filter(|_| scopes.len() < MAX_BUILDS) {
                let is_new = scopes.insert(at);
                let by = [&self.listed_by, &self.flux_components].into_iter().filter_map(|by| by.get(at)).flatten();
                let is_component = self.kustomizations.get(at).is_some_and(|one| one.is_component);
                open.extend(by.filter(|_| is_new && is_component));
            }
            for scope in scopes {
                let component = Some(owner.as_path()).filter(|owner| owner != scope);
                let replacements = &kustomization.replacements;
                let patches = copied_values::patches(replacements, &self.kustomizations, scope, component);
                found.insert((scope.clone(), owner.clone()), patches);
            }
        }
        found
    }

    /// Patches with the effect of the replacements of a kustomization, for the objects of the kustomization in `scope`.
    fn replacements(&self, scope: &Path, owner: &Path) -> &[Arc<Patch>] {
        let key = (scope.to_owned(), owner.to_owned());
        self.replaced.get(&key).map(Vec::as_slice).unwrap_or_default()
    }

    /// Builds that contain a file: Flux's builds, else builds of kustomizations that no other kustomization lists.
    pub(super) fn containing(&self, file: &Path) -> Vec<Built> {
        let Ok(file) = file.canonicalize() else { return Vec::new() };
        let found = self.outermost(&file);
        let mut all = Vec::new();
        for mut built in found.folders.into_iter().filter(|_| found.flux.is_empty()) {
            built.command = format!("{} | hostnet charts --with {} - | sh", built.command, self.with);
            all.push(built);
        }
        for (built, flux) in found.flux {
            let forms = flux.forms.get_or_init(|| self.forms(flux, MAX_DEPTH));
            let left = MAX_BUILDS.saturating_sub(all.len());
            for form in forms.iter().take(left) {
                let mut built = self.with_flux_form(built.clone(), flux, form);
                if forms.len() > 1 {
                    built.by = format!("{} of {}", built.by, form.by);
                }
                all.push(built);
            }
        }
        all
    }

    /// Variables of the Kustomization of Flux from whose file `hostnet charts` wrote a render.
    pub(super) fn build_of_render(&self, source: &Path, render: &Path) -> Option<Built> {
        let source = source.canonicalize().ok()?;
        let stem = render.file_stem()?.to_str()?.strip_prefix("kustomization_")?;
        let (_, name) = stem.split_once('_')?;
        let is_source = |flux: &&FluxBuild| {
            flux.meta.name == name
                && flux.file.as_deref().and_then(|file| file.canonicalize().ok()).is_some_and(|file| file == source)
        };
        let flux = self.flux.values().flatten().find(is_source)?;
        let forms = flux.forms.get_or_init(|| self.forms(flux, MAX_DEPTH));
        let [form] = forms.as_slice() else { return None };
        Some(Built { by: flux.label(), variables: flux.variables(form), ..Built::default() })
    }

    /// Builds that contain a file and that no other build contains.
    fn outermost(&self, file: &Path) -> OutermostBuilds<'_> {
        let mut found = OutermostBuilds::default();
        self.follow_parents(file, &Built::default(), &mut vec![file.to_owned()], &mut found);
        found
    }

    /// Adds the changes that a Kustomization of Flux makes in this form.
    fn with_flux_form(&self, mut built: Built, flux: &FluxBuild, form: &Form) -> Built {
        let kustomization = self.kustomizations.get(&flux.folder).map(AsRef::as_ref);
        let patches: Vec<Arc<Patch>> = flux.patches.iter().chain(&form.patches).cloned().collect();
        let replaced = self.replacements(&flux.folder, &flux.folder);
        built.within(kustomization, replaced, Some((&patches, &form.names)));
        built.unknown_names.clone_from(&form.unknown_names);
        built.variables = flux.variables(form);
        built.command = chart_render_command(&flux.commands(form, &self.with), &self.with);
        built
    }

    /// A Kustomization of Flux as each of its builds applies it; at least one.
    fn forms(&self, flux: &FluxBuild, depth: usize) -> Vec<Form> {
        let written = || vec![flux.written()];
        let file = flux.file.as_deref().filter(|_| depth > 0).and_then(|file| file.canonicalize().ok());
        let Some(file) = file else { return written() };
        let found = self.outermost(&file);
        let mut all: Vec<Form> = Vec::new();
        for (built, outer) in found.flux.iter().filter(|(_, outer)| !std::ptr::eq(*outer, flux)) {
            for form in self.forms(outer, depth - 1) {
                let commands = outer.commands(&form, &self.with);
                let built = self.with_flux_form(built.clone(), outer, &form);
                all.push(flux.form(&built, commands));
            }
            if all.len() >= MAX_BUILDS {
                break;
            }
        }
        // Another build counts only if Flux does not build the file.
        let folders = if all.is_empty() { found.folders.as_slice() } else { &[] };
        for built in folders {
            let commands = vec![format!("{} | {}", built.command, charts_command(1, &self.with, "-"))];
            all.push(flux.form(built, commands));
        }
        all.truncate(MAX_BUILDS);
        if all.is_empty() { written() } else { all }
    }

    /// Follows the kustomizations that list a path.
    fn follow_parents<'b>(
        &'b self,
        at: &Path,
        state: &Built,
        above: &mut Vec<PathBuf>,
        found: &mut OutermostBuilds<'b>,
    ) {
        let parents: BTreeSet<&PathBuf> =
            [&self.listed_by, &self.flux_components].into_iter().filter_map(|by| by.get(at)).flatten().collect();
        for folder in parents.into_iter().filter(|folder| !above.contains(folder)).collect::<Vec<_>>() {
            if found.flux.len() + found.folders.len() >= MAX_BUILDS {
                return;
            }
            let kustomization = self.kustomizations.get(folder).map(AsRef::as_ref);
            let mut outer = state.clone();
            outer.folders.push(folder.clone());
            let is_listed = self.listed_by.get(at).is_some_and(|by| by.contains(folder));
            if is_listed {
                let components = kustomization.map(|kustomization| kustomization.components.as_slice());
                self.add_components(components.unwrap_or_default(), folder, at, &mut outer);
            }
            let flux = self.flux.get(folder).map(Vec::as_slice).unwrap_or_default();
            let has_file = |flux: &&FluxBuild| is_listed || resolved(&flux.components, folder).any(|one| one == at);
            for flux in flux.iter().filter(has_file) {
                let mut built = outer.clone();
                self.add_components(&flux.components, folder, at, &mut built);
                built.by = flux.label();
                found.flux.push((built, flux));
            }
            if !is_listed {
                continue;
            }
            outer.within(kustomization, self.replacements(folder, folder), None);
            if !self.listed_by.contains_key(folder) && flux.is_empty() {
                let folder = relative_to_working_dir(folder);
                outer.by = shown_path(&folder);
                outer.command = format!("kustomize build {}", shell_path(&folder));
                found.folders.push(outer.clone());
            }
            above.push(folder.clone());
            self.follow_parents(folder, &outer, above, found);
            above.pop();
        }
    }

    /// Adds the changes of the components that the kustomization lists after the component that contains the file,
    /// because a component changes only objects that are read before it. If no component contains the file, adds the
    /// changes of all.
    fn add_components(&self, components: &[String], folder: &Path, child: &Path, built: &mut Built) {
        let folders: Vec<PathBuf> = resolved(components, folder).collect();
        let first = folders.iter().position(|component| component == child).map_or(0, |position| position + 1);
        for component in folders.iter().skip(first) {
            self.add_component(component, MAX_DEPTH, folder, built);
        }
    }

    /// Adds the changes of a component and of the components that it lists; `scope` is the folder of the kustomization
    /// whose objects they change.
    fn add_component(&self, folder: &Path, depth: usize, scope: &Path, built: &mut Built) {
        let Some(component) = self.kustomizations.get(folder).filter(|_| depth > 0) else { return };
        for inner in resolved(&component.components, folder) {
            self.add_component(&inner, depth - 1, scope, built);
        }
        built.within(Some(component), self.replacements(scope, folder), None);
    }
}

/// Resolved folders of entries that exist.
fn resolved(entries: &[String], folder: &Path) -> impl Iterator<Item = PathBuf> {
    entries.iter().filter_map(|entry| folder.join(entry).canonicalize().ok())
}

/// Outermost builds that contain a file.
#[derive(Debug, Default)]
struct OutermostBuilds<'b> {
    flux: Vec<(Built, &'b FluxBuild)>,
    folders: Vec<Built>,
}
