//! Programs and downloads that a kustomize build would need, found in the kustomizations before any program starts.
//!
//! Reading is strict: a kustomization that hostnet cannot read like kustomize is an error and is not built.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use crate::api::KINDS;
use krm::files::kustomizations_in;
use krm::functions::ListedConfig;
use krm::kustomization::{PLAIN_FIELDS, is_local};
use krm::{escape_line, shell_path, shown_path};
use lossless_yaml::{NodeRef, Tree};

/// Maximum number of folders that one build may reach.
const MAX_FOLDERS: usize = 1_000;

/// Maximum size in bytes of a kustomization or config that is read.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Fields that list folders and files of resources.
const LISTS: [&str; 3] = ["resources", "bases", "components"];

/// Fields that list configs of functions and plugins.
const FUNCTIONS: [&str; 3] = ["generators", "transformers", "validators"];

/// Fields that render charts.
const CHARTS: [&str; 2] = ["helmCharts", "helmChartInflationGenerator"];

/// Fields whose values may be files, or URLs that kustomize fetches.
const FIELDS_WITH_FILES_OR_URLS: [&str; 9] = [
    "configMapGenerator",
    "configurations",
    "crds",
    "openapi",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
    "secretGenerator",
];

/// All other fields, which start nothing.
///
/// Source: kubernetes-sigs/kustomize@v5.8.1 `api/types/kustomization.go`. kustomize ignores upper and lower case in
/// field names; here an unknown spelling is an error.
const OTHERS: [&str; 5] = ["apiVersion", "helmGlobals", "imageTags", "kind", "metadata"];

/// Way in which kustomize runs the program of a function config.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Plugin or container: kustomize always runs the program.
    Called,
    /// Exec function: kustomize runs the program only with `--enable-exec`.
    Exec,
}

/// A hostnet config that a kustomization lists as a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFunction {
    /// Identity of the config.
    pub config: ListedConfig,
    /// Folder of the kustomization that lists the config.
    pub folder: PathBuf,
    /// True for an exec function, which kustomize skips without `--enable-exec`.
    pub is_exec: bool,
}

/// Requirements of a folder's build beyond local files and kustomize itself.
#[derive(Debug, Default)]
pub struct BuildNeeds {
    /// Config kinds of hostnet.
    kinds: &'static [&'static str],
    /// True if a kustomization renders charts.
    pub has_charts: bool,
    /// Line about a file outside of the folder of its kustomization, which kustomize refuses without a flag and Flux
    /// builds.
    pub outside: Option<String>,
    /// Entries that are fetched from a network, and charts: one line each.
    pub remote: Vec<String>,
    /// Functions and plugins of other programs: one line each.
    pub plugins: Vec<String>,
    /// Configs of hostnet that kustomizations list as functions.
    pub own: Vec<OwnFunction>,
    /// True if the folder is a component, which no kustomization can list under `resources`.
    pub is_component: bool,
    /// True if the folder sets a field that has an effect only in the outermost kustomization of a
    /// build.
    pub is_topmost: bool,
}

impl BuildNeeds {
    /// Reads the kustomization of a folder and all local files that its build reaches.
    ///
    /// # Errors
    ///
    /// Returns an error if kustomize may read a kustomization differently, or if a kustomization lists a missing file.
    pub fn read(folder: &Path, kinds: &'static [&'static str]) -> Result<Self, String> {
        let mut needs = Self { kinds, ..Self::default() };
        let mut open = VecDeque::from([folder.to_owned()]);
        let (mut is_first, mut folders) = (true, BTreeSet::new());
        while let Some(folder) = open.pop_front() {
            let resolved = folder.canonicalize().map_err(|error| format!("{}: {error}", shown_path(&folder)))?;
            if !folders.insert(resolved) {
                continue;
            }
            if folders.len() > MAX_FOLDERS {
                return Err(format!("{}: the build reaches more than {MAX_FOLDERS} folders", shown_path(&folder)));
            }
            let (file, text) = read_folder(&folder)?;
            let read = Reading { file: &file, folder: &folder };
            open.extend(read.kustomization(&text, &mut needs)?);
            if std::mem::take(&mut is_first) {
                let tree = Tree::parse(&text).map_err(|error| read.error(&error))?;
                let field = |key: &str| tree.root(0).and_then(|root| root.get(key));
                needs.is_component = field("kind").and_then(NodeRef::text) == Some("Component");
                needs.is_topmost = ["openapi", "sortOptions"].into_iter().any(|key| field(key).is_some());
            }
        }
        Ok(needs)
    }

    /// The command that prints the build, with the flags that it needs.
    pub fn command(&self, folder: &Path) -> String {
        format!("kustomize build {}{}", flags(std::slice::from_ref(self), false), shell_path(folder))
    }
}

/// Flags that a build with these needs must have, each followed by a space.
fn flags(needs: &[BuildNeeds], has_charts: bool) -> String {
    let any = |is_needed: fn(&BuildNeeds) -> bool| needs.iter().any(is_needed);
    let flags = [
        ("--enable-alpha-plugins ", any(|needs| !needs.own.is_empty() || !needs.plugins.is_empty())),
        ("--enable-exec ", any(|needs| needs.own.iter().any(|function| function.is_exec))),
        ("--enable-helm ", has_charts || any(|needs| needs.has_charts)),
        ("--load-restrictor LoadRestrictionsNone ", any(|needs| needs.outside.is_some())),
    ];
    flags.iter().filter(|(_, is_needed)| *is_needed).map(|(flag, _)| *flag).collect()
}

/// Flags that one build of folders needs, each followed by a space; `has_charts` if charts are
/// known without reading the folders. A kustomization that cannot be read needs none: kustomize
/// itself reports the reason.
pub fn build_flags<'p>(folders: impl IntoIterator<Item = &'p Path>, has_charts: bool) -> String {
    let needs = folders.into_iter().map(|folder| BuildNeeds::read(folder, &KINDS).unwrap_or_default());
    flags(&needs.collect::<Vec<_>>(), has_charts)
}

/// The command that prints the build of a folder, with the flags of [`build_flags`].
pub fn build_command(folder: &Path, has_charts: bool) -> String {
    format!("kustomize build {}{}", build_flags([folder], has_charts), shell_path(folder))
}

/// Returns the kustomization file of a folder, and its text.
fn read_folder(folder: &Path) -> Result<(PathBuf, String), String> {
    let here: Vec<PathBuf> = kustomizations_in(folder).collect();
    match here.as_slice() {
        [file] => Ok((file.clone(), read_text(file)?)),
        [] => Err(format!("{}: it has no kustomization, so it cannot be built", shown_path(folder))),
        _ => Err(format!("{}: it has several kustomizations: keep one", shown_path(folder))),
    }
}

fn read_text(file: &Path) -> Result<String, String> {
    let failed = |reason: &dyn std::fmt::Display| format!("{}: {reason}", shown_path(file));
    let metadata = fs::metadata(file).map_err(|error| failed(&error))?;
    if !metadata.is_file() || metadata.len() > MAX_FILE_BYTES {
        return Err(failed(&"it is not a file of a kustomization's size"));
    }
    fs::read_to_string(file).map_err(|error| failed(&error))
}

/// A kustomization that is being read.
struct Reading<'f> {
    file: &'f Path,
    folder: &'f Path,
}

impl Reading<'_> {
    /// Error about the kustomization file.
    fn error(&self, reason: &dyn std::fmt::Display) -> String {
        format!("{}: {reason}", shown_path(self.file))
    }

    /// Line about an entry of a field, for messages.
    fn line(&self, field: &str, entry: &str) -> String {
        // The first 200 characters of an inline config or a URL identify the entry.
        let entry: String = entry.trim().chars().take(200).collect();
        format!("{}: {field} lists {}", shown_path(self.file), escape_line(&entry))
    }

    /// Records the needs of a kustomization, and returns the folders that it lists.
    fn kustomization(&self, text: &str, needs: &mut BuildNeeds) -> Result<Vec<PathBuf>, String> {
        let tree = Tree::parse(text).map_err(|error| self.error(&error))?;
        self.check(&tree)?;
        let mut folders = Vec::new();
        for (key, value) in tree.root(0).into_iter().flat_map(NodeRef::entries) {
            let field = key.text().unwrap_or_default();
            match field {
                _ if LISTS.contains(&field) => folders.extend(self.list(field, value, needs)?),
                _ if FUNCTIONS.contains(&field) => self.functions(field, value, needs)?,
                _ if CHARTS.contains(&field) => {
                    needs.has_charts |= value.items().next().is_some();
                    for chart in value.items() {
                        let name = ["name", "chartName"].into_iter().find_map(|key| chart.get(key)?.text());
                        needs.remote.push(self.line(field, &format!("the chart {}", name.unwrap_or_default())));
                    }
                    self.files(field, value, needs);
                }
                _ if FIELDS_WITH_FILES_OR_URLS.contains(&field) => self.loads(field, value, needs),
                _ if PLAIN_FIELDS.contains(&field) || OTHERS.contains(&field) => {}
                _ => {
                    return Err(self.error(&format!(
                        "`{}` is not a field of a kustomization, so it is not known what the build would start: correct the \
                         spelling",
                        escape_line(field)
                    )));
                }
            }
        }
        Ok(folders)
    }

    /// Rejects a text that kustomize may read differently.
    fn check(&self, tree: &Tree<'_>) -> Result<(), String> {
        let mut roots = tree.roots();
        let (Some(root), None) = (roots.next(), roots.next()) else {
            return Err(
                self.error(&"it does not have exactly one document, so it is not known what the build would start")
            );
        };
        let keys = tree.duplicate_keys(root);
        if let Some((key, [(first, _), (second, _)])) = keys.first() {
            let reason = format!("`{}` occurs twice, in lines {first} and {second}: remove one", escape_line(key));
            return Err(self.error(&reason));
        }
        if !root.is_mapping() || root.merged().next().is_some() {
            return Err(self.error(&"it is not a plain mapping, so it is not known what the build would start"));
        }
        Ok(())
    }

    /// Checks a list of resources, and returns the folders in it.
    fn list(&self, field: &str, list: NodeRef<'_, '_>, needs: &mut BuildNeeds) -> Result<Vec<PathBuf>, String> {
        let mut folders = Vec::new();
        for entry in list.items() {
            let Some(entry) = entry.text() else {
                return Err(self.error(&format!("an entry of {field} is not a path")));
            };
            if !is_local(entry) {
                needs.remote.push(self.line(field, entry));
                continue;
            }
            let path = self.folder.join(entry);
            if path.is_dir() {
                folders.push(path);
            } else if !path.exists() {
                return Err(self.error(&missing(entry)));
            } else {
                self.file(field, entry, needs);
            }
        }
        Ok(folders)
    }

    /// Records a file outside of the folder.
    fn file(&self, field: &str, entry: &str, needs: &mut BuildNeeds) {
        let resolved = self.folder.join(entry).canonicalize().ok().zip(self.folder.canonicalize().ok());
        if resolved.is_some_and(|(file, folder)| file.is_file() && !file.starts_with(folder)) {
            needs.outside.get_or_insert_with(|| self.line(field, entry));
        }
    }

    /// Records the files of a field that are outside of the folder, and the URLs that kustomize fetches by HTTP.
    fn loads(&self, field: &str, value: NodeRef<'_, '_>, needs: &mut BuildNeeds) {
        for text in loaded(value) {
            if is_url(text) || is_url(path_of(field, text)) {
                needs.remote.push(self.line(field, text));
            }
        }
        self.files(field, value, needs);
    }

    /// Records the files of a field that are outside of the folder.
    fn files(&self, field: &str, value: NodeRef<'_, '_>, needs: &mut BuildNeeds) {
        let paths = loaded(value).into_iter().map(|text| path_of(field, text));
        for path in paths.filter(|path| !path.is_empty() && !path.contains('\n')) {
            self.file(field, path, needs);
        }
    }

    /// Records the configs of a list of functions.
    fn functions(&self, field: &str, list: NodeRef<'_, '_>, needs: &mut BuildNeeds) -> Result<(), String> {
        for entry in list.items() {
            let Some(entry) = entry.text() else {
                return Err(self.error(&format!("an entry of {field} is neither a path nor a config")));
            };
            let is_inline = Tree::parse(entry).is_ok_and(|tree| tree.root(0).is_some_and(NodeRef::is_mapping));
            if is_inline {
                self.configs(field, "an inline config", entry, needs);
                continue;
            }
            if !is_local(entry) {
                needs.remote.push(self.line(field, entry));
                continue;
            }
            let path = self.folder.join(entry);
            if !path.exists() {
                return Err(self.error(&missing(entry)));
            }
            if !path.is_dir() {
                self.file(field, entry, needs);
                self.configs(field, entry, &read_text(&path)?, needs);
                continue;
            }
            let (file, text) = read_folder(&path)?;
            let files = Reading { file: &file, folder: &path }.only_resources(&text)?;
            let Some(files) = files else {
                let description =
                    format!("{entry}, a folder whose kustomization has more than files under `resources`");
                needs.plugins.push(self.line(field, &description));
                continue;
            };
            for file in files {
                self.configs(field, entry, &read_text(&file)?, needs);
            }
        }
        Ok(())
    }

    /// Returns the files of a kustomization that contains only files under `resources`; `None` for any other
    /// kustomization.
    fn only_resources(&self, text: &str) -> Result<Option<Vec<PathBuf>>, String> {
        let tree = Tree::parse(text).map_err(|error| self.error(&error))?;
        self.check(&tree)?;
        let root = tree.root(0);
        let plain = ["apiVersion", "kind", "metadata", "resources"];
        let is_plain = |(key, _): (NodeRef<'_, '_>, _)| key.text().is_some_and(|key| plain.contains(&key));
        if !root.into_iter().flat_map(NodeRef::entries).all(is_plain) {
            return Ok(None);
        }
        let entries = root.and_then(|root| root.get("resources")).into_iter().flat_map(NodeRef::items);
        let file = |entry: NodeRef<'_, '_>| {
            let entry = entry.text().filter(|entry| is_local(entry))?;
            Some(self.folder.join(entry)).filter(|path| path.is_file())
        };
        Ok(entries.map(file).collect())
    }

    /// Records the configs of a text as configs of hostnet, built-in configs or plugins.
    fn configs(&self, field: &str, entry: &str, text: &str, needs: &mut BuildNeeds) {
        let Ok(tree) = Tree::parse(text) else {
            needs.plugins.push(self.line(field, &format!("{entry}, which cannot be read")));
            return;
        };
        let mut is_unusual = false;
        for root in tree.roots().filter(|root| !root.is_null()) {
            is_unusual |= !tree.duplicate_keys(root).is_empty() || root.merged().next().is_some();
            let config = ListedConfig::read(root);
            let description = format!("{entry}: {} {} ({})", config.kind, config.name, config.api_version);
            let form = hostnet_function_form(root, &config, needs.kinds);
            match form {
                Some(form) if !is_unusual => {
                    needs.own.push(OwnFunction { config, folder: self.folder.to_owned(), is_exec: form == Form::Exec });
                }
                None if !is_unusual && config.api_version == "builtin" && !has_function(root) => {
                    if config.kind == "HelmChartInflationGenerator" {
                        needs.has_charts = true;
                        needs.remote.push(self.line(field, &description));
                    }
                    self.loads(field, root, needs);
                }
                _ => needs.plugins.push(self.line(field, &description)),
            }
        }
    }
}

/// True if kustomize reads an entry of `resources` as a path.
pub fn is_path(entry: &str) -> bool {
    is_local(entry)
}

/// Error about a file that the kustomization lists but that does not exist.
fn missing(entry: &str) -> String {
    format!("{} is listed but does not exist: add the file, or remove the entry", escape_line(entry))
}

/// Texts below a field that may name a file or a URL: all but literals, inline patches and inline values.
fn loaded<'t>(value: NodeRef<'t, '_>) -> Vec<&'t str> {
    let (mut open, mut found) = (vec![value], Vec::new());
    while let Some(node) = open.pop() {
        match node.is_mapping() {
            true => {
                let is_text = |key: Option<&str>| matches!(key, Some("literals" | "patch" | "valuesInline"));
                let files = node.entries().filter(|(key, _)| !is_text(key.text()));
                open.extend(files.map(|(_, value)| value));
            }
            false => open.extend(node.items()),
        }
        found.extend(node.text());
    }
    found
}

/// Path of a value of a field; generators take `key=path`.
fn path_of<'t>(field: &str, text: &'t str) -> &'t str {
    let key = text.split_once('=').filter(|_| field.ends_with("Generator") || field == "generators");
    key.map_or(text, |(_, path)| path)
}

fn is_url(text: &str) -> bool {
    ["http:", "https:"]
        .iter()
        .any(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

/// Returns the annotations of a config.
fn annotations<'t, 's>(config: NodeRef<'t, 's>) -> Option<NodeRef<'t, 's>> {
    config.get("metadata")?.get("annotations")
}

/// True if a config names a function that kustomize would start.
///
/// Source: kubernetes-sigs/kustomize@v5.8.1 `kyaml/fn/runtime/runtimeutil/functiontypes.go`.
fn has_function(config: NodeRef<'_, '_>) -> bool {
    let keys = ["config.kubernetes.io/function", "config.k8s.io/function", "config.kubernetes.io/container"];
    annotations(config).is_some_and(|found| keys.iter().any(|key| found.get(key).is_some()))
        || config.get("metadata").is_some_and(|metadata| metadata.get("configFn").is_some())
}

/// Returns how a config calls hostnet: as a plugin or container, or as an exec function; `None` if it may call another
/// program.
fn hostnet_function_form(root: NodeRef<'_, '_>, config: &ListedConfig, kinds: &[&str]) -> Option<Form> {
    if !config.api_version.starts_with("hostnet.dev/") || !kinds.contains(&config.kind.as_str()) {
        return None;
    }
    if !has_function(root) {
        return Some(Form::Called);
    }
    let own = annotations(root)?;
    let keys = own.entries().filter_map(|(key, _)| key.text()).filter(|key| key.starts_with("config.k"));
    let [key] = keys.collect::<Vec<_>>()[..] else { return None };
    let text = own.get(key).filter(|_| key.ends_with("/function"))?.text()?;
    let tree = Tree::parse(text).ok()?;
    let function = tree.root(0)?;
    let entries: Vec<_> = function.entries().collect();
    let [(form, value)] = entries[..] else { return None };
    match form.text()? {
        "container" => Some(Form::Called),
        "exec" => {
            let is_own = value.entries().count() == 1 && value.get("path")?.text() == Some("hostnet");
            is_own.then_some(Form::Exec)
        }
        _ => None,
    }
}
