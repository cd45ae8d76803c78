//! Reads manifests from files, folders or standard input, and configs.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};

use super::build::{Build, Built, build_command, is_built};
use super::outermost::{folder_to_build, may_set_labels_of, nothing_to_build, outermost};
use super::patched_ports::PatchedPort;
use super::progress::Progress;
use super::source_numbers;
use super::streams::{print_stderr, read_stdin};
use super::usage::usage;
use super::verbosity::Verbosity;
use crate::api::{AnyConfig, ConfigError};
use crate::kinds::chart_values::with_charts;
use crate::kinds::coverage::Coverage;
use crate::kinds::readable::{readable, template};
use crate::model::Meta;
use krm::files::{Changed, FilesError, SelectedFiles};
use krm::functions::ListedConfig;
use krm::in_place::file_identity;
use krm::{Input, Origin, ReadError, escape_line, files, shell_path, shell_word, shown_path, template_error};
use lossless_yaml::NodeRef;

/// Paths of a command line, and options to read folders.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of a command")]
pub(super) struct Given<'a> {
    pub(super) paths: &'a [PathBuf],
    pub(super) sources: bool,
    /// `None` for a command without `--build`.
    pub(super) build: Option<Build>,
    /// True if the command needs the names and ports of built output.
    pub(super) needs_build: bool,
    /// True for a command that evaluates values of Crossplane's chart.
    pub(super) chart_values: bool,
    /// True for a command that skips unreadable documents, reports on all other documents, and then
    /// fails.
    pub(super) skips_unreadable: bool,
    /// True for a command that reads another text from standard input.
    pub(super) stdin_is_taken: bool,
    /// Configs whose function determines the objects read from a build.
    pub(super) functions: &'a [ListedConfig],
}

impl<'a> Given<'a> {
    /// Creates options that read folders without building them.
    pub(super) fn files(paths: &'a [PathBuf], sources: bool) -> Self {
        Self {
            paths,
            sources,
            build: None,
            needs_build: false,
            chart_values: false,
            skips_unreadable: false,
            stdin_is_taken: false,
            functions: &[],
        }
    }

    /// Creates options for a command with `--build`.
    pub(super) fn new(paths: &'a [PathBuf], sources: bool, build: Build) -> Self {
        Self { build: Some(build), ..Self::files(paths, sources) }
    }

    /// Creates options for a command with `--build` that changes no manifest: without `--build` it reads the files that
    /// kustomizations list, and names changes of the builds and charts as not read.
    pub(super) fn reading(paths: &'a [PathBuf], sources: bool, build: Build) -> Self {
        Self::new(paths, sources || !build.build, build)
    }

    /// Computes the coverage. With `skips_unreadable`, prints the errors of unreadable documents and leaves these
    /// documents out; else the first error is returned.
    fn covered(&self, inputs: Vec<Input>, mut unread: Vec<ReadError>) -> anyhow::Result<(Vec<Input>, Coverage)> {
        if !self.skips_unreadable {
            let inputs = self.with_charts(inputs);
            let coverage = Coverage::new(&inputs)?;
            return Ok((inputs, coverage));
        }
        let (inputs, errors) = readable(inputs);
        unread.extend(errors);
        let inputs = self.with_charts(inputs);
        let (coverage, error) = Coverage::readable(&inputs);
        let has_objects = inputs.iter().any(Input::holds_objects);
        if has_objects || unread.is_empty() {
            unread.extend(error);
        }
        let last = if has_objects { None } else { unread.pop() };
        for error in &unread {
            print_stderr(&format!("error: {error}\n"))?;
        }
        match last {
            Some(error) => Err(error.into()),
            None => Ok((inputs, coverage.with_unread(&unread))),
        }
    }

    /// Adds the Deployments of Crossplane's chart for its values, if the command evaluates them.
    fn with_charts(&self, inputs: Vec<Input>) -> Vec<Input> {
        if self.chart_values { with_charts(inputs) } else { inputs }
    }

    /// Adds to an error the flag with which the folder can be read, if the command has that flag.
    pub(super) fn with_flag_advice(&self, error: FilesError, command: &str) -> anyhow::Error {
        if self.stdin_is_taken
            && let Some(folder) = error.folder()
        {
            return anyhow!(
                "{}: its files are only inputs of a build: run `{} > built.yaml`, and give built.yaml as PATH",
                shown_path(folder),
                build_command(folder)
            );
        }
        match (self.build, error) {
            (Some(_), FilesError::Outside { path, .. }) => anyhow!(
                "{}: its kustomization lists no file of this folder; `hostnet {command} --build {}` reads its build",
                shown_path(&path),
                shell_path(&path)
            ),
            (Some(_), FilesError::Sources { files, command: by_hand }) => {
                let error = FilesError::Sources { files, command: by_hand };
                let folder = shell_path(error.folder().unwrap_or(Path::new(".")));
                anyhow!("{error}\nor read the build of such a folder: hostnet {command} --build {folder}")
            }
            (_, error) => error.into(),
        }
    }

    /// Builds the given folders; returns the builds and the paths to read unbuilt.
    pub(super) fn built(&self, command: &str, verbosity: Verbosity) -> anyhow::Result<(Vec<Built>, Vec<PathBuf>)> {
        let Some(build) = self.build.filter(|build| build.build) else { return Ok((Vec::new(), self.paths.to_vec())) };
        if self.sources {
            usage!("--build reads what folders build, and --sources reads their files: give one of them");
        }
        if is_stdin(self.paths)? {
            usage!("--build builds folders, and the input is standard input: give the folders as PATH");
        }
        let (folders, files): (Vec<_>, Vec<_>) = self.paths.iter().cloned().partition(|path| is_built(path));
        if folders.is_empty() {
            usage!("{}", nothing_to_build(self.paths, command));
        }
        let mut all = Vec::new();
        for folder in folders {
            let progress = Progress::step(format!("building {}", shown_path(&folder)));
            let output = build.read(&folder, command, self.functions)?;
            drop(progress);
            if !output.passed.is_empty() {
                let passed = escape_line(&output.passed.join(", ")).into_owned();
                verbosity.note(&format!(
                    "info: {}: objects are read as they are before these functions of the build change them: {passed}\n",
                    shown_path(&folder)
                ))?;
            }
            all.push(output);
        }
        Ok((all, files))
    }
}

/// Name of the command that writes the first config.
pub(super) const INIT: &str = "init";

/// Manifests of a run.
#[derive(Debug)]
pub(super) struct Manifests {
    pub(super) inputs: Vec<Input>,
    /// Number of warnings printed about files.
    pub(super) warnings: usize,
    /// Coverage of the inputs: files and objects that were not read.
    pub(super) coverage: Coverage,
    /// Folders of kustomizations, each with the names in its `images`.
    pub(super) images: Vec<(PathBuf, Vec<String>)>,
    /// Messages about images that are unknown.
    pub(super) unknown_images: Vec<String>,
    /// Kustomizations whose builds have other names or values than the files that were read.
    pub(super) changed: Vec<Changed>,
    /// Folders of all kustomizations.
    pub(super) kustomizations: Vec<PathBuf>,
}

/// Size of all files in bytes; a file without a known size counts as empty.
pub(super) fn size(files: &[PathBuf]) -> u64 {
    files.iter().filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum()
}

/// Size of all inputs in bytes.
pub(super) fn bytes(inputs: &[Input]) -> u64 {
    inputs.iter().map(|input| u64::try_from(input.text().len()).unwrap_or(u64::MAX)).fold(0, u64::saturating_add)
}

/// True if standard input is read: for `-`, and without paths.
pub(super) fn is_stdin(paths: &[PathBuf]) -> anyhow::Result<bool> {
    let stdin = paths.is_empty() || paths.iter().any(|path| path.as_os_str() == "-");
    if stdin && paths.len() > 1 {
        usage!("`-` means standard input and cannot be combined with another PATH");
    }
    Ok(stdin)
}

/// Reads or builds files and folders, or reads standard input for `-` and without paths. `command` contains the
/// arguments of a call that gets its input from another program, for messages.
pub(super) fn read_inputs(
    given: Given<'_>,
    config: Option<&Path>,
    command: &str,
    verbosity: Verbosity,
) -> anyhow::Result<Manifests> {
    let with_config = with_config(command, config);
    let (built, paths) = given.built(&with_config, verbosity)?;
    if built.is_empty() && is_stdin(&paths)? {
        let (inputs, coverage) = given.covered(vec![read_standard_input()?], Vec::new())?;
        let coverage = coverage.with_paths("-".to_owned());
        let (images, unknown_images) = (Vec::new(), Vec::new());
        let (changed, kustomizations) = (Vec::new(), Vec::new());
        return Ok(Manifests { inputs, warnings: 0, coverage, images, unknown_images, changed, kustomizations });
    }
    refuse_url(&paths, &with_config)?;
    // `init` has no default PATH.
    let input = if command.starts_with(INIT) { " -" } else { "" };
    let piped = format!("hostnet {with_config}{input}");
    let collected = if given.skips_unreadable {
        files::collect_readable(&paths, given.sources, &piped)
    } else {
        files::collect(&paths, given.sources, &piped).map(|found| (found, Vec::new()))
    };
    let (found, mut unread) = collected.map_err(|error| given.with_flag_advice(error, &with_config))?;
    for note in skipped_file_note_lines(&found.notes, verbosity.is_verbose()) {
        verbosity.note(&note)?;
    }
    let of_changed = changed_builds_note(&found.changed, &given, &with_config);
    // `init` prints this note later, because the next command depends on it. A command that needs the build refuses
    // files that differ from the build.
    if !command.starts_with(INIT) && !given.needs_build {
        verbosity.note(&of_changed)?;
    }
    let about_files = found.warnings.iter().chain(&found.unread);
    for warning in about_files.clone() {
        verbosity.note(&format!("warning: {warning}\n"))?;
    }
    let mut warnings = about_files.count() + usize::from(changes_values(&found.changed));
    let mut inputs: Vec<Input> = built.into_iter().map(|built| built.input).collect();
    let progress = Progress::files(size(&found.paths));
    let configs = ConfigFiles::new(config);
    for path in found.paths {
        progress.show_file(|| shown_path(&path));
        if configs.has(&path) {
            continue;
        }
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if given.skips_unreadable => {
                unread.push(ReadError::of_file(&path, &error));
                continue;
            }
            Err(error) => return Err(error).with_context(|| shown_path(&path)),
        };
        progress.read(bytes.len());
        let input = match Input::read(Origin::file(path), bytes) {
            Ok(input) => input,
            Err(error) if given.skips_unreadable => {
                unread.push(error);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        if let Some(line) = template(&input) {
            warnings += 1;
            let error = template_error(input.text());
            verbosity.note(&format!("warning: {}:{line}: {error}\n", input.origin()))?;
        }
        inputs.push(input);
    }
    if inputs.is_empty() && unread.is_empty() {
        return Err(only_config_given_error(config).into());
    }
    if given.needs_build {
        let own = source_numbers::folder_with_other_ports(&inputs, &found.changed, &found.images);
        let own = own.map(|(folder, what)| (folder.to_owned(), what, build_arguments(given.paths, &found.changed)));
        let of_config = || {
            let (folder, what) = source_numbers::running_build_with_other_ports(config?, &inputs)?;
            let flags = format!("--build {}", shell_path(&folder));
            Some((folder, what, flags))
        };
        if let Some((folder, what, flags)) = own.or_else(of_config) {
            return Err(source_numbers::needs_build_error(&folder, &what, &format!("{with_config} {flags}")));
        }
    }
    let (inputs, coverage) = given.covered(inputs, unread)?;
    let coverage = coverage
        .with_absent(&found.absent, &inputs)
        .with_chart_folders(&found.chart_folders, &inputs)
        .with_paths(quoted(Given { build: None, ..given }));
    let SelectedFiles { images, unknown_images, changed, kustomizations, .. } = found;
    Ok(Manifests { inputs, warnings, coverage, images, unknown_images, changed, kustomizations })
}

/// Refuses to change files in which a Service gets its selector from a kustomization: the pods of its target ports
/// are unknown.
///
/// Source: kubernetes-sigs/kustomize@v5.8.1 `api/internal/konfig/builtinpluginconsts/commonlabels.go` (`spec/selector`
/// of a Service, `create: true`).
pub(super) fn refuse_added_selectors(inputs: &[Input], changed: &[Changed], command: &str) -> anyhow::Result<()> {
    let labelled: Vec<&Changed> = changed.iter().filter(|one| one.labels().is_some()).collect();
    if labelled.is_empty() {
        return Ok(());
    }
    let service = |node: NodeRef<'_, '_>| {
        let meta = Meta::read(node);
        let spec = node.get("spec").filter(|_| meta.is_service())?;
        let is_pods = spec.get("type").and_then(NodeRef::text) != Some("ExternalName");
        let has_selector = spec.get("selector").is_some_and(|selector| selector.entries().next().is_some());
        (is_pods && !has_selector).then_some(meta)
    };
    for input in inputs {
        let found = input.objects(|_, node| service(node))?;
        if let Some(service) = found.into_iter().flatten().next() {
            let labelling =
                labelled.iter().copied().filter(|one| may_set_labels_of(&one.folder, input.origin().path()));
            let Some((folder, field)) = outermost(labelling).and_then(|one| Some((&one.folder, one.labels()?))) else {
                continue;
            };
            bail!(
                "{}: {service} has no selector, and {field} of the kustomization in {} may add one: run hostnet on the build, \
                 `{} | hostnet {command} -`",
                input.origin(),
                shown_path(folder),
                build_command(folder_to_build(folder, changed.iter().map(|one| one.folder.as_path())))
            );
        }
    }
    Ok(())
}

/// Refuses a URL in place of a file: this program opens no connection for manifests.
pub(super) fn refuse_url(paths: &[PathBuf], command: &str) -> anyhow::Result<()> {
    let is_url = |path: &&PathBuf| {
        let start = path.to_string_lossy();
        (start.starts_with("https://") || start.starts_with("http://")) && !path.exists()
    };
    if let Some(url) = paths.iter().find(is_url) {
        usage!(
            "{} is a URL, and PATH is a file or a folder: `curl -sSfL {} | hostnet {command} -`",
            escape_line(&url.to_string_lossy()),
            shell_word(&url.to_string_lossy())
        );
    }
    Ok(())
}

/// Adds the path of the config to a command's arguments.
pub(super) fn with_config(command: &str, config: Option<&Path>) -> String {
    config.map_or_else(|| command.to_owned(), |config| command.replace("CONFIG", &shell_path(config)))
}

/// Notes about skipped files, as lines; only the first notes if there are many and `verbose` is not set.
pub(super) fn skipped_file_note_lines(notes: &[String], verbose: bool) -> Vec<String> {
    let shown = if verbose || notes.len() <= MAX_SHOWN_NOTES + 1 { notes.len() } else { MAX_SHOWN_NOTES };
    let mut lines: Vec<String> = notes.iter().take(shown).map(|note| format!("info: {note}\n")).collect();
    if shown < notes.len() {
        lines.push(format!("info: {} more files are skipped (-v shows all)\n", notes.len() - shown));
    }
    lines
}

/// Maximum number of skipped files that a run names.
const MAX_SHOWN_NOTES: usize = 3;

/// True if a build changes values, and not only names, compared with the files that were read.
fn changes_values(changed: &[Changed]) -> bool {
    changed.iter().any(|one| one.patches)
}

/// Note about kustomizations whose builds have other names or values than the files that were read; empty without such
/// kustomizations.
pub(super) fn changed_builds_note(changed: &[Changed], given: &Given<'_>, command: &str) -> String {
    let severity = if changes_values(changed) { "warning" } else { "info" };
    changed_builds_line(changed, given, command).map(|line| format!("{severity}: {line}\n")).unwrap_or_default()
}

/// Line about kustomizations whose builds have other names or values than the files that were read; `None` without such
/// kustomizations.
pub(super) fn changed_builds_line(changed: &[Changed], given: &Given<'_>, command: &str) -> Option<String> {
    let first = outermost(changed)?;
    let more = match changed.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let next = match given.build {
        Some(_) => format!("`hostnet {command} {}` reads the build", build_arguments(given.paths, changed)),
        None => format!("`{}` prints the build", build_command(&first.folder)),
    };
    let (folder, fields) = (shown_path(&first.folder), first.fields.join(", "));
    Some(format!(
        "{folder}{more}: the kustomization sets {fields}, which the files that are read here do not show; {next}"
    ))
}

/// Arguments that build the given paths: `--build PATH`.
pub(super) fn build_arguments(paths: &[PathBuf], changed: &[Changed]) -> String {
    let built = |path: &PathBuf| {
        let inside = outermost(changed.iter().filter(|one| one.folder.starts_with(path))).map(|one| &one.folder);
        shell_path(inside.filter(|_| !is_built(path)).unwrap_or(path))
    };
    let paths: Vec<String> = paths.iter().map(built).collect();
    format!("--build {}", paths.join(" "))
}

/// Error for a run whose only file is its config.
pub(super) fn only_config_given_error(config: Option<&Path>) -> ReadError {
    let config = config.map_or_else(|| "a config".to_owned(), |config| format!("the config {}", shown_path(config)));
    ReadError::for_run(format!("the only file of PATH is {config}: give the manifests too"))
}

/// PATH arguments for a suggested command: shell-quoted, `-` for standard input.
pub(super) fn quoted(given: Given<'_>) -> String {
    let quoted: Vec<String> = given.paths.iter().map(|path| shell_path(path)).collect();
    let build = if given.build.is_some_and(|build| build.build) { "--build " } else { "" };
    if quoted.is_empty() { "-".to_owned() } else { format!("{build}{}", quoted.join(" ")) }
}

/// The command that shows a config's changes. `config` is empty or `-c FILE `. A build is piped to the command; for the
/// folder of a kustomization or a chart it gets `--sources`, unless patches set ports or arguments of containers: `apply`
/// may refuse these files, or miss settings.
pub(super) fn next_apply_command(
    given: Given<'_>,
    config: &str,
    patched: &[PatchedPort],
    kustomizations: &[PathBuf],
) -> String {
    let paths = Given { build: None, ..given };
    // A command that reads standard input does not search for a config.
    let flag = if config.is_empty() { "-c hostnet.yaml " } else { config };
    let of_build = |folder: &Path| format!("{} | hostnet apply {flag}--diff -", build_command(folder));
    if given.build.is_some_and(|build| build.build) {
        return match given.paths {
            [folder] => of_build(folder),
            _ => format!("hostnet apply {config}--diff --sources {}", quoted(paths)),
        };
    }
    let needs_sources = matches!(files::collect(given.paths, false, ""), Err(files::FilesError::Sources { .. }));
    if let Some(port) = patched.first().filter(|_| needs_sources) {
        return of_build(folder_to_build(&port.folder, kustomizations.iter().map(PathBuf::as_path)));
    }
    let sources = if needs_sources { "--sources " } else { "" };
    format!("hostnet apply {config}--diff {sources}{}", quoted(paths))
}

pub(super) fn read_standard_input() -> anyhow::Result<Input> {
    Ok(Input::read(Origin::stdin(), read_stdin()?)?)
}

pub(super) fn read_config(path: &Path) -> anyhow::Result<String> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("config {}: the file does not exist; `hostnet init PATH` writes a config", shown_path(path))
        }
        bytes => bytes.with_context(|| format!("config {}", shown_path(path)))?,
    };
    String::from_utf8(bytes).map_err(|error| {
        anyhow::anyhow!(
            "config {}: not UTF-8 at byte {}: save it as UTF-8",
            shown_path(path),
            error.utf8_error().valid_up_to()
        )
    })
}

/// The config in a `ResourceList`.
pub(super) fn config_in_resource_list(input: &Input) -> Option<Result<AnyConfig, ConfigError>> {
    input.function_config().map(AnyConfig::from_host)
}

/// Configs of a run, which may be among the manifests, by [`file_identity`].
///
/// One `stat` for each manifest finds a config under any name; a canonical path costs a call for each folder above it.
pub(super) struct ConfigFiles(Vec<(u64, u64)>);

impl ConfigFiles {
    pub(super) fn new<'p>(configs: impl IntoIterator<Item = &'p Path>) -> Self {
        Self(configs.into_iter().filter_map(identity).collect())
    }

    /// True if a file is in the list of configs.
    pub(super) fn has(&self, file: &Path) -> bool {
        !self.0.is_empty() && identity(file).is_some_and(|file| self.0.contains(&file))
    }
}

/// Device and inode of a file.
fn identity(file: &Path) -> Option<(u64, u64)> {
    file_identity(&file.metadata().ok()?)
}
