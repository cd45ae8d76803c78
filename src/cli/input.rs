//! What commands read: manifests from files, folders or standard input, and configs.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::progress::Progress;
use super::said::Said;
use super::streams::read_stdin;
use crate::api::{AnyConfig, ConfigError};
use crate::wire::{Input, Origin, files, shown_path};
use crate::yaml::NodeRef;

/// Manifests that were read.
#[derive(Debug)]
pub(super) struct Manifests {
    pub(super) inputs: Vec<Input>,
    /// How many warnings were said about the files.
    pub(super) warnings: usize,
    /// What is not known of the images that they name, for a person.
    pub(super) unknown_images: Vec<String>,
}

/// Whether paths mean standard input: `-`, or none at all.
pub(super) fn is_stdin(paths: &[PathBuf]) -> anyhow::Result<bool> {
    let stdin = paths.is_empty() || paths.iter().any(|path| path.as_os_str() == "-");
    if stdin && paths.len() > 1 {
        bail!("`-` stands for standard input and goes with no other PATH");
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
        return Ok(Manifests { inputs, warnings: 0, unknown_images: Vec::new() });
    }
    let found = files::collect(paths, sources, command)?;
    for note in &found.notes {
        said.note(&format!("info: {note}\n"))?;
    }
    for warning in &found.warnings {
        said.note(&format!("warning: {warning}\n"))?;
    }
    let named: HashSet<&Path> = paths.iter().map(PathBuf::as_path).collect();
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
        let is_named = named.contains(path.as_path());
        let input = Input::read(Origin::file(path), bytes)?;
        let is_empty = || input.objects(|_, _| ()).is_ok_and(|objects| objects.is_empty());
        if is_named && !input.text().contains("apiVersion") && has_content(input.text()) && is_empty() {
            bail!("{}: {}", input.origin(), not_manifests(input.text()));
        }
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
    Ok(Manifests { inputs, warnings, unknown_images: found.unknown_images })
}

/// What a file without an object seems to be.
fn not_manifests(text: &str) -> &'static str {
    if text.contains("{{") {
        return "this is a template and not a manifest yet: give what is made of it, such as `helm template NAME CHART` prints";
    }
    "there is no Kubernetes object in it (`apiVersion` and `kind`). If it holds the values of a Helm chart, give what `helm template` \
     prints of the chart with them"
}

/// Whether a text holds more than comments.
fn has_content(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with(['#', '-', '.']))
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
