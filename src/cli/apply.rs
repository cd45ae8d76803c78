//! `hostnet apply`: applies a config to a stream, files or folders.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use clap::Args;

use super::build::build_command;
use super::config_file::ConfigFile;
use super::input::{
    ConfigFiles, Given, bytes, config_in_resource_list, is_stdin, only_config_given_error, read_inputs,
    refuse_added_selectors, with_config,
};
use super::outermost::{folder_to_build, read_kustomization};
use super::output::{write_all, write_diff};
use super::overriding_patches::ChangedFiles;
use super::progress::Progress;
use super::reports::{self, ResultOutputs, write_results};
use super::repository_builds::{RepositoryBuilds, lost_images_line};
use super::streams::print_stderr;
use super::usage::usage;
use super::verbosity::Verbosity;

use crate::api::{AnyConfig, CHANGING_KINDS, ConfigError, MirrorConfig, no_config};
use crate::kinds::coverage::Coverage;
use crate::kinds::{self, Run, RunError};
use crate::kustomize::outer_kustomizations::renaming;
use crate::render::summary::many;
use krm::files::Changed;
use krm::{Form, Input, escape_line, files, in_place, relative_to_working_dir, shell_path, shown_path};

/// Apply a config to a stream, to files or to folders.
///
/// Without PATH, or with `-`, manifests are read from standard input and written to standard output.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hostnet apply -c hostnet.yaml --diff manifests/
  helm template web ./chart | hostnet apply -c hostnet.yaml | kubectl apply -f -")]
pub(super) struct Apply {
    #[command(flatten)]
    config: ConfigFile,
    /// Files, folders (*.yaml, *.yml, *.json; .krmignore is respected), or `-`.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    changes: Changes,
    /// In folders with a kustomization, transform the files that it lists as resources and components.
    #[arg(long)]
    sources: bool,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    reports: ResultOutputs,
}

/// Flags that set the destination of the changes.
#[derive(Debug, Args)]
struct Changes {
    /// Write changed files in place: all of them, or no file after an error.
    #[arg(long, conflicts_with_all = ["diff", "check"])]
    in_place: bool,
    /// Show what would change as a unified diff.
    #[arg(long, conflicts_with = "check")]
    diff: bool,
    /// Change nothing; exit with 1 when something would change.
    #[arg(long)]
    check: bool,
}

/// Destination of the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    /// Changed manifests on standard output.
    Output,
    /// Changed files (`--in-place`).
    InPlace,
    /// A diff on standard output (`--diff`).
    Diff,
    /// No output; the exit code and a message report whether there are changes (`--check`).
    Nothing,
}

impl Apply {
    /// Warns about kustomizations outside of PATH that rename edited objects.
    fn name_kustomizations_above(&self, inputs: &[Input]) -> anyhow::Result<()> {
        let edited: Vec<&Path> = inputs.iter().filter_map(|input| input.origin().path()).collect();
        let above = renaming(&edited, &self.paths);
        let Some(first) = above.first() else { return Ok(()) };
        let more = match above.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        self.verbosity.note(&format!(
            "info: {}{more}: the kustomization sets {} for files of PATH, so names in the cluster differ from the names in the files and the config; `hostnet check --build {}` checks that build\n",
            shown_path(&first.folder),
            first.fields.join(", "),
            shell_path(&first.folder)
        ))
    }

    pub(super) fn run(&self) -> anyhow::Result<ExitCode> {
        if is_stdin(&self.paths)? && self.changes.in_place {
            usage!("--in-place needs files or folders, and the input is standard input; name them");
        }
        // A pipe without a writer would block the run.
        let is_pipe = |path: &&PathBuf| path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
        if let Some(pipe) = self.paths.iter().find(is_pipe).filter(|_| self.changes.in_place) {
            bail!(
                "{}: it is not a regular file, so it cannot be written in place; no file was changed",
                shown_path(pipe)
            );
        }
        let taken = if self.changes.diff { "the diff" } else { "the manifests" };
        let is_printed = !self.changes.in_place && !self.changes.check;
        reports::check(
            &self.reports.output,
            Some(taken).filter(|_| is_printed),
            self.paths.iter().chain(&self.config.config),
        )?;
        // A missing config is reported first.
        let named = self
            .config
            .config
            .as_ref()
            .map(|_| self.config.required(&CHANGING_KINDS, &self.paths, self.verbosity))
            .transpose()?;
        let command = "apply -c CONFIG";
        let skipped = named.as_ref().map(|config| config.path.as_path());
        let manifests = read_inputs(Given::files(&self.paths, self.sources), skipped, command, self.verbosity)?;
        refuse_added_selectors(&manifests.inputs, &manifests.changed, &with_config(command, skipped))?;
        let is_searched = named.is_none();
        let own = if let [input] = manifests.inputs.as_slice() { config_in_resource_list(input) } else { None };
        // A ResourceList contains its config.
        let is_list = matches!(manifests.inputs.as_slice(), [input] if input.form() == Form::ResourceList);
        let config = match named {
            None if !is_list => self.config.read(&CHANGING_KINDS, &self.paths, self.verbosity)?,
            named => named,
        };
        let read = config.as_ref().map(|config| AnyConfig::read(&config.text, &shown_path(&config.path), 1));
        let fails = self.verbosity.fails.fail_on_from_flags();
        let read = read.or(own).map(|read| read.map(|config| config.with_fail_on(fails)));
        let config_read = read.as_ref().and_then(|read| read.as_ref().ok());
        let rows = config_read.map_or(&[][..], AnyConfig::templates);
        let coverage = manifests.coverage.with_templates(rows);
        let destination = match (self.changes.in_place, self.changes.diff, self.changes.check) {
            (true, ..) => Destination::InPlace,
            (_, true, _) => Destination::Diff,
            (.., true) => Destination::Nothing,
            _ => Destination::Output,
        };
        let mut inputs = manifests.inputs;
        // The config that was found may be among the manifests.
        if let Some(config) = config.as_ref().filter(|_| is_searched) {
            let configs = ConfigFiles::new([config.path.as_path()]);
            inputs.retain(|input| input.origin().path().is_none_or(|path| !configs.has(path)));
            if inputs.is_empty() {
                return Err(only_config_given_error(Some(&config.path)).into());
            }
        }
        // `--diff` and `--check` show what `--in-place` would write.
        let inputs = if destination == Destination::Output { inputs } else { files::in_place(inputs, &self.paths) };
        if destination == Destination::InPlace {
            self.name_kustomizations_above(&inputs)?;
        }
        let builds = RepositoryBuilds::new(&inputs, destination != Destination::Output);
        let mut lost = Vec::new();
        if let Some(AnyConfig::Mirror(config)) = config_read {
            lost = lost_images(config, &manifests.images, &inputs)?;
            lost.extend(builds.lost_images(config)?);
        }
        for line in &lost {
            self.verbosity.note(&format!("warning: {line}\n"))?;
        }
        let command = &with_config(command, config.as_ref().map(|config| config.path.as_path()));
        if destination == Destination::Output {
            refuse_unbuilt(&manifests.kustomizations, command)?;
        }
        apply(
            &inputs,
            read,
            (manifests.warnings + lost.len(), &coverage),
            destination,
            self.verbosity,
            Some(Called {
                reports: &self.reports,
                paths: &self.paths,
                changed: &manifests.changed,
                kustomizations: &manifests.kustomizations,
                builds: &builds,
                command,
            }),
        )
    }
}

/// Lines about `images` of kustomizations that find no image after the run, since it renames them in the files.
///
/// Source: kubernetes-sigs/kustomize@v5.8.1 `api/filters/imagetag/updater.go` (an entry matches the whole name).
fn lost_images(
    config: &MirrorConfig,
    images: &[(PathBuf, Vec<String>)],
    inputs: &[Input],
) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    for (folder, names) in images {
        let names = names.iter().filter(|name| inputs.iter().any(|input| input.text().contains(name.as_str())));
        let folder = Some(relative_to_working_dir(folder)).filter(|folder| !folder.as_os_str().is_empty());
        let folder = shown_path(&folder.unwrap_or_else(|| PathBuf::from(".")));
        lines.extend(lost_images_line(&folder, "entries of `images` in its kustomization", config, names)?);
    }
    Ok(lines)
}

/// Command line of a run.
#[derive(Clone, Copy)]
pub(super) struct Called<'c> {
    /// Requested reports.
    reports: &'c ResultOutputs,
    /// Paths of the manifests.
    paths: &'c [PathBuf],
    /// Kustomizations below the paths whose builds differ from their files.
    changed: &'c [Changed],
    /// Folders of all kustomizations below the paths.
    kustomizations: &'c [PathBuf],
    /// Objects of Flux and Argo CD that patch builds.
    builds: &'c RepositoryBuilds<'c>,
    /// Arguments of the command without paths.
    command: &'c str,
}

/// Applies a config, or the config in a `ResourceList`, which is written with results even if the run failed.
/// `warnings` is the number of warnings already reported; `coverage` adds unread input to the summary line. `called` is
/// `None` for a function, which has no command line.
pub(super) fn apply(
    inputs: &[Input],
    config: Option<Result<AnyConfig, ConfigError>>,
    (warnings, coverage): (usize, &Coverage),
    destination: Destination,
    verbosity: Verbosity,
    called: Option<Called<'_>>,
) -> anyhow::Result<ExitCode> {
    let is_list = matches!(inputs, [input] if input.form() == Form::ResourceList);
    let progress = Progress::work("planning", bytes(inputs));
    let config =
        config.unwrap_or_else(|| Err(ConfigError::new(if is_list { "ResourceList" } else { "hostnet" }, no_config())));
    let moves_workloads = matches!(config, Ok(AnyConfig::HostNetwork(_)));
    let run = config.map_err(RunError::Config).and_then(|config| kinds::run(inputs, &config, verbosity.is_verbose()));
    drop(progress);
    let run = match run {
        Ok(run) => run,
        Err(RunError::Config(error)) if is_list => Run::from_config_error(inputs, &error),
        // An unreadable input, or an input that is not a list, cannot contain results.
        Err(error) => return Err(error.into()),
    };
    let verbosity = if run.in_kustomize { verbosity.in_kustomize() } else { verbosity };
    let warnings = warnings + verbosity.print_results(&run.results, inputs)?;
    if let Some(Called { reports, .. }) = called {
        let is_dry_run = matches!(destination, Destination::Diff | Destination::Nothing);
        write_results(&reports.output, &reports.from, &run.results, inputs, is_dry_run.then_some(run.changes))?;
    }
    let stops = verbosity.has_failing_results(run.fail_on, &run.results, warnings)?;
    let called_with_changes = called.filter(|_| !stops && !run.changed.is_empty());
    if let Some(Called { changed, kustomizations, builds, command, .. }) = called_with_changes {
        let files = ChangedFiles { inputs, objects: &run.changed, changed, kustomizations, builds: builds.all() };
        files.refuse_overriding_patches(command)?;
    }
    match destination {
        // kustomize reads neither results nor the output of a failed function.
        Destination::Output if !stops || is_list && !run.in_kustomize => write_all(inputs, &run.splices)?,
        Destination::InPlace if !stops => {
            refuse_symlinks_outside(inputs, &run, called.map_or(&[], |called| called.paths))?;
            in_place::write(inputs, &run.splices)?;
        }
        Destination::Diff if !stops => write_diff(inputs, &run.splices)?,
        Destination::Nothing if !stops => would_change(inputs, &run)?,
        Destination::Output | Destination::InPlace | Destination::Diff | Destination::Nothing => {}
    }
    let mut done = if stops {
        vec!["nothing was written".to_owned()]
    } else {
        completed(inputs, &run, destination, moves_workloads)
    };
    done.extend(coverage.parts());
    verbosity.rendered(coverage)?;
    verbosity.print_changes_summary(&done, &run.results, warnings, run.changes)?;
    let fails = stops || destination == Destination::Nothing && run.changes;
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Refuses to print manifests of kustomizations whose builds differ from their files: the output is applied.
fn refuse_unbuilt(kustomizations: &[PathBuf], command: &str) -> anyhow::Result<()> {
    let different = |folder: &PathBuf| Some((folder.clone(), read_kustomization(folder)?.difference()?.to_owned()));
    let Some((folder, field)) = kustomizations.iter().find_map(different) else { return Ok(()) };
    bail!(
        "{}: the kustomization sets {}, which its files do not show, so no manifests are printed: run hostnet on the build, `{} | hostnet {command} -`",
        shown_path(&folder),
        escape_line(&field),
        build_command(folder_to_build(&folder, kustomizations.iter().map(PathBuf::as_path)))
    )
}

/// Refuses to write through symlinks to files outside of the given folders.
fn refuse_symlinks_outside(inputs: &[Input], run: &Run, paths: &[PathBuf]) -> anyhow::Result<()> {
    let is_outside = |input: &Input| input.origin().path().is_some_and(|file| files::is_outside(paths, file));
    for (input, splices) in inputs.iter().zip(&run.splices) {
        if input.is_changed_by(splices) && is_outside(input) {
            bail!(
                "{}: a symlink that leads out of the given folders, so no file was changed; give the file itself as \
                 PATH too, or remove the symlink",
                input.origin()
            );
        }
    }
    Ok(())
}

/// Prints the names of files that would change.
fn would_change(inputs: &[Input], run: &Run) -> anyhow::Result<()> {
    let changed = inputs.iter().zip(&run.splices).filter(|(input, splices)| input.is_changed_by(splices));
    for (input, _) in changed.filter(|_| run.changes) {
        print_stderr(&format!("{}: would change\n", input.origin()))?;
    }
    Ok(())
}

/// Parts of the summary line about completed changes.
fn completed(inputs: &[Input], run: &Run, destination: Destination, moves_workloads: bool) -> Vec<String> {
    let changed =
        inputs.iter().zip(&run.splices).filter(|(input, splices)| run.changes && input.is_changed_by(splices));
    let files = many(changed.filter(|(input, _)| input.origin().path().is_some()).count(), "file");
    let is_asked = matches!(destination, Destination::Diff | Destination::Nothing);
    // A HostNetwork also changes pods that are already on the host network, such as their DNS policy.
    let mut done = if !moves_workloads || run.workloads == 0 && run.objects > 0 {
        vec![format!("{} {}", many(run.objects, "object"), if is_asked { "to change" } else { "changed" })]
    } else {
        vec![
            format!("{} {}", many(run.workloads, "workload"), if is_asked { "to move" } else { "moved" }),
            many(run.ports, "port"),
        ]
    };
    if run.kept > 0 {
        done.push(format!("{} with kept ports", many(run.kept, "workload")));
    }
    match destination {
        Destination::InPlace => done.push(format!("{files} changed")),
        Destination::Diff | Destination::Nothing => done.push(format!("{files} to change")),
        Destination::Output => {}
    }
    done
}
