//! `hostnet charts`: prints a script that renders releases and folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::input::{is_stdin, read_standard_input};
use super::streams::print;
use super::verbosity::Verbosity;
use crate::kinds::charts::charts;
use crate::releases::{RENDERED_FILE_HEADER, Rendered, Renderer, different_folders, root_of};
use crate::render::charts_script::{Settings, script};
use crate::render::summary::many;
use krm::{Input, Origin, escape_line, files, shell_path, shown_path};

/// Print a script that renders charts with their values, and folders, like Flux, Argo CD, k3s and kustomize.
///
/// The script is for the POSIX shell, and starts helm and kustomize. This command itself starts no program and opens no
/// connection.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet charts clusters/ >render.sh
  hostnet charts --kube-version 1.33 . | sh
  kustomize build clusters/prod | hostnet charts - >render.sh")]
pub(super) struct Charts {
    /// Files, folders, or `-` for standard input (default).
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// A file or folder with sources and values to which the objects refer.
    #[arg(long, value_name = "PATH")]
    with: Vec<PathBuf>,
    /// The folder into which the script renders.
    #[arg(long, value_name = "DIR", default_value = "rendered")]
    to: String,
    /// The version of Kubernetes for which charts are rendered.
    #[arg(long, value_name = "VERSION")]
    kube_version: Option<String>,
    #[command(flatten)]
    verbosity: Verbosity,
}

impl Charts {
    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        let (mut warnings, mut folders) = (0, Vec::new());
        let mut inputs = if is_stdin(&self.paths)? {
            vec![read_standard_input()?]
        } else {
            let without = self.output_folder(&self.paths);
            let inputs;
            (inputs, warnings) = repository_with_warnings(&self.paths, &without, self.verbosity)?;
            folders = outside(files::charts(&self.paths)?, &without);
            inputs
        };
        let count = inputs.len();
        if !self.with.is_empty() {
            let own: BTreeSet<PathBuf> = inputs.iter().filter_map(resolved).collect();
            let without = self.output_folder(&self.with);
            let (others, more) = repository_with_warnings(&self.with, &without, self.verbosity)?;
            inputs.extend(others.into_iter().filter(|other| resolved(other).is_none_or(|path| !own.contains(&path))));
            warnings += more;
        }
        let all = charts(&inputs, count, root(&self.paths), &folders);
        let made = script(&all, Settings { to: &self.to, kube_version: self.kube_version.as_deref() });
        for left in &made.left {
            self.verbosity.note(&format!("not rendered: {}\n", escape_line(left)))?;
        }
        for remark in &made.remarks {
            self.verbosity.note(&format!("info: {}\n", escape_line(remark)))?;
        }
        if let Some(remark) = several_clusters(&all) {
            self.verbosity.note(&format!("info: {remark}\n"))?;
        }
        // Manifests of an object that is not rendered are missing, which `--strict` refuses.
        let stops = self.verbosity.stops(&[], warnings + made.failed)?;
        if !stops {
            print(&made.text)?;
        }
        let mut done = vec![many(made.releases, "release"), many(made.builds, "kustomization")];
        done.extend((made.others > 0).then(|| format!("{} of other programs", made.others)));
        done.extend((!made.left.is_empty()).then(|| format!("{} not rendered", made.left.len())));
        self.verbosity.end(&done, &[], warnings)?;
        Ok(if stops { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// The output folder, whose files are left out; empty if a path leads into it, such as to the render of a chart with
    /// Applications.
    fn output_folder(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        let to = PathBuf::from(&self.to);
        if outside(paths.to_vec(), std::slice::from_ref(&to)).len() == paths.len() { vec![to] } else { Vec::new() }
    }
}

/// Remark about objects of one name in different folders, which the script renders and which may be of two clusters.
fn several_clusters(all: &[Rendered]) -> Option<String> {
    let mut known: BTreeMap<String, &Path> = BTreeMap::new();
    let (mut count, mut first) = (0, None);
    for (rendered, file) in all.iter().filter_map(|one| Some((one, one.file.as_deref()?))) {
        let is_rendered = match &rendered.by {
            Renderer::Helm(release) => release.chart.obstacle().is_none(),
            Renderer::Kustomize(_) | Renderer::Program { .. } => true,
            Renderer::Operator { .. } | Renderer::Directory { .. } | Renderer::Foreign(_) | Renderer::Nothing(_) => {
                false
            }
        };
        let object = rendered.object();
        let other = is_rendered.then(|| *known.entry(object.clone()).or_insert(file));
        if let Some(folders) = other.and_then(|other| different_folders(other, file)) {
            count += 1;
            first.get_or_insert((object, folders));
        }
    }
    let (object, (one, other)) = first?;
    let more = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
    Some(format!(
        "{object}{more} is in {} and in {}: if these are two clusters, render one at a time, `hostnet charts {}`",
        shown_path(&one),
        shown_path(&other),
        shell_path(&one)
    ))
}

/// Resolved path of an input's file.
fn resolved(input: &Input) -> Option<PathBuf> {
    input.origin().path()?.canonicalize().ok()
}

/// Paths that are not below the folders `without`.
pub(super) fn outside(mut paths: Vec<PathBuf>, without: &[PathBuf]) -> Vec<PathBuf> {
    let without: Vec<PathBuf> = without.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let is_below = |path: PathBuf| without.iter().any(|folder| path.starts_with(folder));
    paths.retain(|path| !path.canonicalize().is_ok_and(is_below));
    paths
}

/// Manifests of a repository outside of the folders `without`, and a message for each file that cannot be read
/// completely.
pub(super) fn repository(paths: &[PathBuf], without: &[PathBuf]) -> anyhow::Result<(Vec<Input>, Vec<String>)> {
    let (mut inputs, mut broken) = (Vec::new(), Vec::new());
    let found = outside(files::manifests(paths)?, without);
    // A symlink to another file of the list is the same file.
    let own: BTreeSet<PathBuf> =
        found.iter().filter(|path| !path.is_symlink()).filter_map(|path| path.canonicalize().ok()).collect();
    let is_copy = |path: &PathBuf| path.is_symlink() && path.canonicalize().is_ok_and(|path| own.contains(&path));
    for path in found.into_iter().filter(|path| !is_copy(path)) {
        let read = std::fs::read(&path).map_err(|error| format!("{}: {error}", shown_path(&path)));
        let input = read.and_then(|bytes| Input::read(Origin::file(&path), bytes).map_err(|error| error.to_string()));
        // Reads all objects to find invalid documents.
        let whole = input.and_then(|input| match input.objects(|_, _| ()) {
            Ok(_) => Ok(input),
            Err(error) => Err(error.to_string()),
        });
        match whole {
            // A render (output of the script of `hostnet charts`) found in a folder is not a source; one that the
            // command line names is.
            Ok(input) if input.text().starts_with(RENDERED_FILE_HEADER) && !paths.contains(&path) => {}
            Ok(input) => inputs.push(input),
            Err(error) => broken.push(error),
        }
    }
    Ok((inputs, broken))
}

/// Manifests of [`repository`], and the number of warnings printed about files that cannot be read completely.
pub(super) fn repository_with_warnings(
    paths: &[PathBuf],
    without: &[PathBuf],
    verbosity: Verbosity,
) -> anyhow::Result<(Vec<Input>, usize)> {
    let (inputs, broken) = repository(paths, without)?;
    for line in &broken {
        verbosity.note(&format!("warning: {line}; it is skipped\n"))?;
    }
    Ok((inputs, broken.len()))
}

/// Repository root of the first path.
pub(super) fn root(paths: &[PathBuf]) -> PathBuf {
    let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
    root_of(if first.as_os_str() == "-" { Path::new(".") } else { first })
}
