//! What commands read: manifests from files, folders or standard input, and configs.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::progress::Progress;
use super::said::Said;
use super::streams::read_stdin;
use super::usage::usage;
use crate::api::{AnyConfig, ConfigError};
use crate::kinds::coverage::Coverage;
use crate::wire::files::Renamed;
use crate::wire::{Input, Origin, ReadError, files, shell_path, shown_path};
use crate::yaml::NodeRef;

/// Manifests that were read.
#[derive(Debug)]
pub(super) struct Manifests {
    pub(super) inputs: Vec<Input>,
    /// How many warnings were said about the files.
    pub(super) warnings: usize,
    /// Coverage of the inputs: files and objects that were not read.
    pub(super) coverage: Coverage,
    /// The kustomizations that give their resources other names than the files have.
    pub(super) renamed: Vec<Renamed>,
    /// What is not known of the images that they name, for a person.
    pub(super) unknown_images: Vec<String>,
}

/// Whether paths mean standard input: `-`, or none at all.
pub(super) fn is_stdin(paths: &[PathBuf]) -> anyhow::Result<bool> {
    let stdin = paths.is_empty() || paths.iter().any(|path| path.as_os_str() == "-");
    if stdin && paths.len() > 1 {
        usage!("`-` stands for standard input and goes with no other PATH");
    }
    Ok(stdin)
}

/// Reads files and folders, or standard input for `-` and for nothing. `command` are the arguments that the call needs
/// when it gets its input from another program.
pub(super) fn read_inputs(
    paths: &[PathBuf],
    sources: bool,
    config: Option<&Path>,
    command: &str,
    said: Said,
) -> anyhow::Result<Manifests> {
    if is_stdin(paths)? {
        let inputs = vec![read_standard_input()?];
        let coverage = Coverage::of(&inputs)?;
        return Ok(Manifests { inputs, warnings: 0, coverage, renamed: Vec::new(), unknown_images: Vec::new() });
    }
    let found = files::collect(paths, sources, command)?;
    for note in &found.notes {
        said.note(&format!("info: {note}\n"))?;
    }
    if let Some(note) = names_of_files(&found.renamed) {
        said.note(&note)?;
    }
    for warning in &found.warnings {
        said.note(&format!("warning: {warning}\n"))?;
    }
    let mut warnings = found.warnings.len();
    let progress = Progress::start();
    let (mut inputs, count) = (Vec::new(), found.paths.len());
    for (index, path) in found.paths.into_iter().enumerate() {
        progress.at(|| format!("reading file {} of {count}: {}", index + 1, shown_path(&path)));
        // The config may lie among the manifests; it is not one of them.
        if config.is_some_and(|config| same_file(&path, config)) {
            continue;
        }
        let bytes = std::fs::read(&path).with_context(|| shown_path(&path))?;
        let input = Input::read(Origin::file(path), bytes)?;
        if let Some(line) = template(&input) {
            warnings += 1;
            said.note(&format!(
                "warning: {}:{line}: this is a template and not a manifest yet: give what is made of it, such as `helm template NAME \
                 CHART` prints\n",
                input.origin()
            ))?;
        }
        inputs.push(input);
    }
    if inputs.is_empty() {
        return Err(only_config(config).into());
    }
    let coverage = Coverage::of(&inputs)?.with_charts(&found.charts);
    let (renamed, unknown_images) = (found.renamed, found.unknown_images);
    Ok(Manifests { inputs, warnings, coverage, renamed, unknown_images })
}

/// The line about kustomizations that give their resources other names than the files have.
pub(super) fn names_of_files(renamed: &[Renamed]) -> Option<String> {
    let first = renamed.first()?;
    let more = match renamed.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!(
        "info: {}{more}: the kustomization sets {}, and names here are those of its files; `kustomize build {}` prints those of the build\n",
        first.folder,
        first.fields.join(", "),
        shell_path(Path::new(&first.folder))
    ))
}

/// The error of a run whose only file is its config.
pub(super) fn only_config(config: Option<&Path>) -> ReadError {
    let config = config.map_or_else(|| "a config".to_owned(), |config| format!("the config {}", shown_path(config)));
    ReadError::of_run(format!("the only file of PATH is {config}: give the manifests too"))
}

/// The line of an object's first `{{ ... }}` that stands where a value should: for YAML that is a mapping which is a key.
fn template(input: &Input) -> Option<usize> {
    if !input.text().contains("{{") {
        return None;
    }
    let look = |place: crate::wire::Place<'_>, object: NodeRef<'_, '_>| {
        let mut open = vec![object];
        while let Some(node) = open.pop() {
            if node.entries().any(|(key, _)| key.is_mapping() && key.raw().starts_with('{')) {
                return Some(place.line_of(node));
            }
            open.extend(node.children());
        }
        None
    };
    input.objects(look).ok()?.into_iter().flatten().min()
}

/// PATH as a next command takes it: quoted for a shell, `-` for standard input.
pub(super) fn quoted(paths: &[PathBuf]) -> String {
    let quoted: Vec<String> = paths.iter().map(|path| shell_path(path)).collect();
    if quoted.is_empty() { "-".to_owned() } else { quoted.join(" ") }
}

/// The paths, with `--sources` where a command that changes files needs it: PATH holds a kustomization or a chart.
pub(super) fn quoted_sources(paths: &[PathBuf]) -> String {
    let needs_sources = matches!(files::collect(paths, false, ""), Err(files::FilesError::Sources { .. }));
    format!("{}{}", if needs_sources { "--sources " } else { "" }, quoted(paths))
}

pub(super) fn read_standard_input() -> anyhow::Result<Input> {
    Ok(Input::read(Origin::stdin(), read_stdin()?)?)
}

pub(super) fn read_config(path: &Path) -> anyhow::Result<String> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("config {}: there is no such file; `hostnet init PATH` writes a config", shown_path(path))
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

/// The config that a `ResourceList` brings.
pub(super) fn own_config(input: &Input) -> Option<Result<AnyConfig, ConfigError>> {
    input.function_config().map(|config| AnyConfig::of_host(config.text))
}

pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
