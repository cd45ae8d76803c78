//! Selection of the manifest files for the paths of a command line.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::input::Input;

use super::chart::ChartFolder;
use super::error::ReadError;
use super::escape::{escape_line, shell_path, shown_path};
pub use super::functions::{KUSTOMIZATIONS, kustomizations_in};
pub use super::kustomization::{Absent, Changed, absent, files_without_objects};
use super::kustomization::{Kustomization, Kustomizations, Listed, built_files};
use super::new_file::folder_of;
use super::walk::{WalkError, Walked, is_manifest, walk, walk_with_links};

/// File that makes its folder a Helm chart.
const CHART: &str = "Chart.yaml";

/// Fault of a folder without manifests.
const NO_MANIFEST: &str = "no *.yaml, *.yml or *.json file";

/// Maximum number of folders that an error names; further ones are only counted.
const NAMED: usize = 5;

/// Maximum number of components of other folders that are read.
const COMPONENTS: usize = 100;

/// Files selected by the command line, with notes and warnings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SelectedFiles {
    /// Selected files in the order of the command line, without duplicates.
    pub paths: Vec<PathBuf>,
    /// Files left out and the reasons, one line each, for display.
    pub notes: Vec<String>,
    /// Possible problems of the selected files, one line each, for display.
    pub warnings: Vec<String>,
    /// Broken kustomizations below a folder, their missing resources, broken symlinks, and symlinks to folders, one line
    /// each, for display.
    pub unread: Vec<String>,
    /// Reasons why images of the selected files are unknown, one line each, for display.
    pub unknown_images: Vec<String>,
    /// Parts of builds that are not in the files of their kustomizations: folder and part.
    pub absent: Vec<(String, Absent)>,
    /// Chart folders, whose files are left out; without charts that a kustomization renders.
    pub chart_folders: Vec<PathBuf>,
    /// Kustomizations whose builds have other names or values than their files.
    pub changed: Vec<Changed>,
    /// Images that a kustomization changes: folder and names.
    pub images: Vec<(PathBuf, Vec<String>)>,
    /// Folders of the kustomizations.
    pub kustomizations: Vec<PathBuf>,
}

impl FilesError {
    /// First folder whose build has to be read in place of its files.
    pub fn folder(&self) -> Option<&Path> {
        let folder = match self {
            Self::Sources { files, .. } => files.first()?.parent()?,
            Self::Outside { path, .. } => path,
            Self::Io { .. } | Self::Kustomization(_) | Self::Nothing { .. } => return None,
        };
        Some(folder).map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
    }
}

/// Reason why the files of the command line cannot be selected.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// A file or folder that cannot be read.
    #[error("{}: {error}", shown_path(path))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// System error. Already part of the message, so it is not a `source`, which would be printed twice.
        error: io::Error,
    },
    /// Folders whose files are inputs of another program; that program's output has to be checked instead.
    #[error("{}", unbuilt_files_error(files, command))]
    Sources {
        /// Files that mark the folders as such inputs: `Chart.yaml` or a kustomization.
        files: Vec<PathBuf>,
        /// Command line that reads the output of the program.
        command: String,
    },
    /// A kustomization that cannot be read.
    #[error("{0}")]
    Kustomization(String),
    /// A folder whose kustomization lists only files outside of the folder.
    #[error(
        "{0}: its kustomization lists no file of this folder; read its build with `kustomize build {1} | {command} -`",
        shown_path(path),
        shell_path(path)
    )]
    Outside {
        /// The folder.
        path: PathBuf,
        /// Command line that reads the output of the build, without the input.
        command: String,
    },
    /// A folder without manifests.
    #[error("{}: {NO_MANIFEST}", shown_path(path))]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
}

impl From<WalkError> for FilesError {
    fn from((path, error): WalkError) -> Self {
        Self::Io { path, error }
    }
}

/// Note for a kustomization or `Chart.yaml` that is left out from a list of manifests.
fn skipped_file_note(file: &Path) -> String {
    let (what, command) =
        if is_chart(file) { ("chart", "helm template") } else { ("kustomization", "kustomize build") };
    format!(
        "{}: skipped: it is a {what} and not a manifest; the cluster gets the output of `{command}` for its folder",
        shown_path(file)
    )
}

/// Error text for files of charts and kustomizations, with the command to run for each folder.
fn unbuilt_files_error(files: &[PathBuf], then: &str) -> String {
    let folder = |file: &Path| match file.parent() {
        Some(folder) if folder.as_os_str().is_empty() => ".".to_owned(),
        Some(folder) => shell_path(folder),
        None => ".".to_owned(),
    };
    let command = |file: &PathBuf| {
        let dir = folder(file);
        if is_chart(file) {
            format!(
                "  {dir} is a Helm chart: {} | {then}",
                chart_command("NAME", file.parent().unwrap_or(Path::new(".")))
            )
        } else {
            format!("  {dir} is a kustomization: kustomize build {dir} | {then}")
        }
    };
    let mut lines = vec!["some files are only inputs of a build, whose output reaches the cluster".to_owned()];
    lines.extend(files.iter().take(NAMED).map(command));
    if files.len() > NAMED {
        lines.push(format!("  and {} more", files.len() - NAMED));
    }
    if files.iter().any(|file| !is_chart(file)) {
        lines.push("or give the folder and --sources to read the resources that its kustomizations list".to_owned());
    }
    lines.join("\n")
}

/// The command that renders the chart of a folder as a release with this name, after its missing dependencies.
pub fn chart_command(name: &str, folder: &Path) -> String {
    let path = shell_path(if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let dependencies = if ChartFolder::read(folder).needs_dependencies {
        format!("helm dependency build {path} && ")
    } else {
        String::new()
    };
    format!("{dependencies}helm template {name} {path}")
}

/// True for the file that makes its folder a Helm chart.
pub fn is_chart(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == CHART)
}

/// True for the file that makes its folder a kustomization.
pub fn is_kustomization(file: &Path) -> bool {
    file.file_name().is_some_and(|name| KUSTOMIZATIONS.iter().any(|known| name == *known))
}

/// True for a folder with a kustomization.
pub fn has_kustomization(folder: &Path) -> bool {
    kustomizations_in(folder).next().is_some()
}

/// Finds the manifests of files and folders; `-` is returned unchanged.
///
/// A folder selects its `*.yaml`, `*.yml` and `*.json` files at any depth, sorted by name, without
/// hidden folders, hidden files without Kubernetes objects, and files excluded by `.krmignore`.
///
/// Without `sources`, kustomizations and charts are an error, which suggests to pipe their output to
/// `command`. With `sources`, the resources that kustomizations list
/// are selected; other files of their folders and all files of charts are not.
pub fn collect(paths: &[PathBuf], sources: bool, command: &str) -> Result<SelectedFiles, FilesError> {
    let (found, unread) = collect_with_errors(paths, sources, command)?;
    unread.into_iter().next().map_or(Ok(found), |error| Err(error.into()))
}

/// Finds the manifests of files and folders as [`collect`] does, and files and folders below a folder that cannot be
/// read.
fn collect_with_errors(
    paths: &[PathBuf],
    sources: bool,
    command: &str,
) -> Result<(SelectedFiles, Vec<WalkError>), FilesError> {
    let mut unread = Vec::new();
    let mut found = SelectedFiles::default();
    let mut seen = BTreeSet::new();
    for path in paths {
        if path.as_os_str() == "-" {
            found.paths.push(path.clone());
            continue;
        }
        let resolved = match path.canonicalize() {
            // A shell pipe, as in `<(helm template ...)`, cannot be canonicalized.
            Err(_) if path.metadata().is_ok_and(|own| !own.is_file() && !own.is_dir()) => path.clone(),
            resolved => resolved.map_err(|error| FilesError::Io { path: path.clone(), error })?,
        };
        let is_built = is_kustomization(path) || is_chart(path);
        if !resolved.is_dir() && is_built && !sources && paths.len() > 1 {
            // Most likely matched by a shell pattern.
            found.warnings.push(skipped_file_note(path));
            continue;
        }
        if !resolved.is_dir() && is_built && !sources {
            return Err(FilesError::Sources { files: vec![path.clone()], command: command.to_owned() });
        }
        // A kustomization file selects its folder.
        let path =
            if is_built { path.parent().filter(|folder| !folder.as_os_str().is_empty()) } else { Some(path.as_path()) };
        let path = &path.unwrap_or(Path::new(".")).to_owned();
        if !resolved.is_dir() && !is_built {
            if seen.insert(resolved) {
                found.paths.push(path.clone());
            }
            continue;
        }
        let Walked { files: all, broken, folders, errors } = walk_with_links(path);
        let (own, below): (Vec<WalkError>, Vec<WalkError>) = errors.into_iter().partition(|(at, _)| at == path);
        if let Some(error) = own.into_iter().next() {
            return Err(error.into());
        }
        let is_unread = !below.is_empty();
        unread.extend(below);
        let note = |link: &PathBuf| format!("{}: a symlink to a missing file", shown_path(link));
        found.unread.extend(broken.iter().map(note));
        let note =
            |link: &PathBuf| format!("{}: a symlink to a folder: give that folder as PATH too", shown_path(link));
        found.unread.extend(folders.iter().map(note));
        let files = collect_folder(path, &all, sources, command, &mut found)?;
        let built = || built_files(all.iter().filter(|file| is_kustomization(file)).cloned().collect());
        let built = if files.is_empty() { built() } else { Vec::new() };
        if let Some(folder) = built.first().and_then(|file| file.parent()) {
            return Err(FilesError::Outside { path: folder.to_owned(), command: command.to_owned() });
        }
        let charts: Vec<PathBuf> =
            found.chart_folders.iter().filter(|chart| chart.starts_with(path)).map(|chart| chart.join(CHART)).collect();
        if files.is_empty() && !charts.is_empty() {
            return Err(FilesError::Sources { files: charts, command: command.to_owned() });
        }
        if files.is_empty() && !is_unread {
            return Err(FilesError::Nothing { path: path.clone() });
        }
        // Two paths can lead to the same file, which must not be written twice.
        let new = |file: &PathBuf| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone()));
        found.paths.extend(files.into_iter().filter(new));
    }
    mark_namespaces(&mut found.changed);
    Ok((found, unread))
}

/// Finds the manifests of files and folders as [`collect`] does. Files and folders that are missing or cannot be read,
/// and paths without manifests, are left out and returned as errors, unless no path is left.
pub fn collect_readable(
    paths: &[PathBuf],
    sources: bool,
    command: &str,
) -> Result<(SelectedFiles, Vec<ReadError>), FilesError> {
    let (mut paths, mut errors) = (paths.to_vec(), Vec::new());
    loop {
        let error = match collect_with_errors(&paths, sources, command) {
            Ok((found, unread)) => {
                errors.extend(unread.iter().map(|(path, error)| ReadError::of_file(path, error)));
                return Ok((found, errors));
            }
            Err(error) => error,
        };
        let (path, message) = match &error {
            FilesError::Io { path, error } => (path.clone(), error.to_string()),
            FilesError::Nothing { path } => (path.clone(), NO_MANIFEST.to_owned()),
            _ => return Err(error),
        };
        let count = paths.len();
        paths.retain(|given| *given != path);
        if paths.is_empty() || paths.len() == count {
            return Err(error);
        }
        errors.push(ReadError::for_input(shown_path(&path), message));
    }
}

/// Marks kustomizations that set different namespaces for objects of their files: without a namespace, these objects
/// count as objects of one namespace.
fn mark_namespaces(changed: &mut [Changed]) {
    let namespaces: BTreeSet<&str> = changed.iter().filter_map(|one| one.namespace.as_deref()).collect();
    if namespaces.len() > 1 {
        for one in changed.iter_mut().filter(|one| one.namespace.is_some()) {
            one.patches = true;
        }
    }
}

/// Returns the manifests of files and folders, including kustomization files, without the files of charts.
///
/// # Errors
///
/// A file or folder that cannot be read.
pub fn manifests(paths: &[PathBuf]) -> Result<Vec<PathBuf>, FilesError> {
    let mut found = Vec::new();
    for path in paths {
        let file = path.metadata().map_err(|error| FilesError::Io { path: path.clone(), error })?;
        if !file.is_dir() {
            found.push(path.clone());
            continue;
        }
        let files = walk(path)?;
        let charts: Vec<&Path> = files.iter().filter(|file| is_chart(file)).filter_map(|file| file.parent()).collect();
        let is_meant = |file: &&PathBuf| is_manifest(file) && !charts.iter().any(|chart| file.starts_with(chart));
        found.extend(files.iter().filter(is_meant).cloned());
    }
    Ok(found)
}

/// Returns the outermost chart folders of files and folders.
///
/// # Errors
///
/// A folder that cannot be read.
pub fn charts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, FilesError> {
    let mut found = Vec::new();
    for path in paths {
        let files = if path.is_dir() { walk(path)? } else { vec![path.clone()] };
        let folders: Vec<&Path> = files.iter().filter(|file| is_chart(file)).filter_map(|file| file.parent()).collect();
        found.extend(outermost_folders(&folders).into_iter().map(Path::to_owned));
    }
    Ok(found)
}

/// True if a file, with symlinks resolved, is outside of all given folders.
pub fn is_outside(paths: &[PathBuf], file: &Path) -> bool {
    let Ok(target) = file.canonicalize() else { return false };
    let holds = |path: &PathBuf| {
        // A kustomization file selects its folder.
        let is_built = is_kustomization(path) || is_chart(path);
        let folder = if is_built { path.parent() } else { Some(path.as_path()) };
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path == file || folder.canonicalize().is_ok_and(|folder| target.starts_with(folder))
    };
    !paths.iter().any(holds)
}

/// Prepares inputs for in-place writes: a file that a kustomization lists keeps its objects
/// ([`Input::with_removals_as_local_config`]).
pub fn in_place(inputs: Vec<Input>, paths: &[PathBuf]) -> Vec<Input> {
    let walked: Vec<PathBuf> =
        paths.iter().filter(|path| path.is_dir()).filter_map(|path| walk(path).ok()).flatten().collect();
    let read = walked.iter().filter(|file| is_kustomization(file)).map(PathBuf::as_path);
    let read = read.chain(inputs.iter().filter_map(|input| input.origin().path()));
    let mut kustomizations = Kustomizations::read(read.map(folder_of));
    let layers = Arc::new(kustomizations.layers());
    let keeping = |input: Input| {
        let listed = input.origin().path().is_some_and(|path| kustomizations.list(path));
        if listed { input.with_removals_as_local_config().with_layers(&layers) } else { input }
    };
    inputs.into_iter().map(keeping).collect()
}

/// Returns the manifests of a folder. In a folder with charts or kustomizations `sources` must be set: files that these
/// consume are then skipped with a note.
fn collect_folder(
    folder: &Path,
    files: &[PathBuf],
    sources: bool,
    command: &str,
    found: &mut SelectedFiles,
) -> Result<Vec<PathBuf>, FilesError> {
    let marks: Vec<PathBuf> = files.iter().filter(|file| is_chart(file) || is_kustomization(file)).cloned().collect();
    if marks.is_empty() {
        return Ok(files.iter().filter(|file| is_manifest(file)).cloned().collect());
    }
    if !sources {
        return Err(FilesError::Sources { files: outermost(built_files(marks)), command: command.to_owned() });
    }
    let charts: Vec<&Path> = marks.iter().filter(|file| is_chart(file)).filter_map(|file| file.parent()).collect();
    let in_chart = |file: &Path| charts.iter().any(|chart| file.starts_with(chart));
    let mut kustomizations = Vec::new();
    for file in marks.iter().filter(|file| is_kustomization(file) && !in_chart(file)) {
        // A broken kustomization somewhere in a repository does not hide all others.
        let read = Kustomization::read_incomplete(file);
        let fault = read.as_ref().map_or_else(|error| Some(error.as_str()), Kustomization::missing);
        if let Some(fault) = fault.map(str::to_owned) {
            if file.parent() == Some(folder) {
                return Err(FilesError::Kustomization(fault));
            }
            found.unread.push(fault);
        }
        kustomizations.extend(read);
    }
    for kustomization in &kustomizations {
        found.kustomizations.push(kustomization.parent_path().to_owned());
        found.notes.extend(kustomization.outside(folder));
        found.unknown_images.extend(kustomization.unknown_images());
        found.absent.extend(kustomization.absent().iter().map(|part| (kustomization.parent(), part.clone())));
        found.changed.extend(kustomization.changed());
        let names = kustomization.image_names();
        found.images.extend((!names.is_empty()).then(|| (kustomization.folder().to_owned(), names.to_owned())));
    }
    let index = FileIndex::new(&kustomizations);
    let unclaimed = outermost_folders(&charts).into_iter().filter(|chart| !index.is_rendered(chart));
    found.chart_folders.extend(unclaimed.map(Path::to_owned));
    found.changed.extend(components_outside(folder, &kustomizations));
    let mut kept = Vec::new();
    for file in files.iter().filter(|file| is_manifest(file) && !is_kustomization(file) && !in_chart(file)) {
        match index.skipped(file) {
            None => kept.push(file.clone()),
            Some(reason) => found.notes.push(format!("{}: skipped, {reason}", shown_path(file))),
        }
    }
    Ok(kept)
}

/// Returns the changes made by components outside of this folder that its kustomizations list.
fn components_outside(folder: &Path, kustomizations: &[Kustomization]) -> Vec<Changed> {
    let root = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let outside = kustomizations.iter().flat_map(|one| one.components_outside(&root));
    let outside: BTreeSet<&Path> = outside.take(COMPONENTS).collect();
    let read = |folder: &Path| Kustomization::read(&kustomizations_in(folder).next()?).ok()?.changed();
    // kustomize reports unreadable components.
    outside.into_iter().filter_map(read).collect()
}

/// The kustomizations of a folder by their files and folders: a repository may have thousands of both.
#[derive(Default)]
struct FileIndex<'k> {
    /// Kustomizations that list a file, by its canonical path.
    listing: HashMap<&'k Path, Vec<(&'k Kustomization, &'k Listed)>>,
    /// Kustomizations by canonical folder, each with its position.
    folders: HashMap<&'k Path, (usize, &'k Kustomization)>,
}

impl<'k> FileIndex<'k> {
    fn new(kustomizations: &'k [Kustomization]) -> Self {
        let mut index = Self::default();
        for (position, one) in kustomizations.iter().enumerate() {
            for (file, listed) in one.files() {
                index.listing.entry(file).or_default().push((one, listed));
            }
            index.folders.entry(one.folder()).or_insert((position, one));
        }
        index
    }

    /// Kustomizations whose folders contain a canonical path, at any depth, each with its position.
    fn around<'f>(&'f self, path: &'f Path) -> impl Iterator<Item = (usize, &'k Kustomization)> + 'f {
        path.ancestors().filter_map(|folder| self.folders.get(folder).copied())
    }

    /// True if a kustomization around a chart renders charts.
    fn is_rendered(&self, chart: &Path) -> bool {
        chart.canonicalize().is_ok_and(|chart| self.around(&chart).any(|(_, one)| one.has_charts()))
    }

    /// Returns the reason to skip a file of the folder; `None` if it is selected.
    fn skipped(&self, file: &Path) -> Option<String> {
        let file = file.canonicalize().ok()?;
        let listing = self.listing.get(file.as_path()).map_or(&[][..], Vec::as_slice);
        if listing.iter().any(|(_, listed)| **listed == Listed::Resource) {
            return None;
        }
        if let Some((kustomization, Listed::Field(field))) = listing.first() {
            return Some(format!("it is listed under {} of {}", escape_line(field), shown_path(kustomization.path())));
        }
        let (_, governing) = self.around(&file).min_by_key(|(position, _)| *position)?;
        Some(format!("{} does not list it", shown_path(governing.path())))
    }
}

/// Returns only the files of the outermost folders, because an outer kustomization or chart usually builds the
/// kustomizations in its subfolders.
fn outermost(files: Vec<PathBuf>) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = files.iter().filter_map(|file| file.parent().map(Path::to_owned)).collect();
    let inner = |file: &Path| {
        let own = file.parent();
        own.is_some_and(|own| folders.iter().any(|other| own != other && own.starts_with(other)))
    };
    files.into_iter().filter(|file| !inner(file)).collect()
}

fn outermost_folders<'p>(folders: &[&'p Path]) -> Vec<&'p Path> {
    let inner = |path: &Path| folders.iter().any(|other| path != *other && path.starts_with(other));
    folders.iter().copied().filter(|folder| !inner(folder)).collect()
}
