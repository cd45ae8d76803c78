//! Differences between the manifests that are read and the build that runs a config or is applied, which affect port
//! numbers: the key of a number contains the namespace and the name of the workload, and the image determines the
//! listeners of a program.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::build::build_command;
use super::outermost::is_part_of_build;
use crate::kinds::build_patches::renaming_builds;
use crate::model::Meta;
use krm::kustomization::{Changed, Kustomization};
use krm::{Input, escape_line, files, shell_path, shown_path};
use lossless_yaml::NodeRef;
use oci::name::ImageRef;

/// Returns the folder of a kustomization whose build may have other port numbers than these files,
/// and the setting that causes the difference. `images` are the images that kustomizations change,
/// with their folders.
pub(super) fn folder_with_other_ports<'c>(
    inputs: &[Input],
    changed: &'c [Changed],
    images: &'c [(PathBuf, Vec<String>)],
) -> Option<(&'c Path, String)> {
    if changed.is_empty() && images.is_empty() {
        return None;
    }
    let read = Names::read(inputs);
    let of_names = changed.iter().find(|one| one.fields != ["namespace"] || !read.are_all_in(one.namespace.as_deref()));
    let of_names = of_names.map(|one| (one.folder.as_path(), one.fields.join(", ")));
    of_names.or_else(|| {
        let is_used = |name: &&String| read.images.contains(name.as_str());
        let (folder, name) = images.iter().find_map(|(folder, names)| Some((folder, names.iter().find(is_used)?)))?;
        Some((folder.as_path(), format!("the image {}", escape_line(name))))
    })
}

/// Error for a command that needs the numbers of a build; `arguments` read that build.
pub(super) fn needs_build_error(folder: &Path, setting: &str, arguments: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "{}: the kustomization sets {setting}, so its build differs from its files, and numbers are chosen from the build: run \
         `hostnet {arguments}`",
        shown_path(folder),
    )
}

/// Returns the folder of a kustomization that runs the config after it changes these inputs, and its settings. The
/// keys of the config name objects of its build.
pub(super) fn running_build_with_other_ports(config: &Path, inputs: &[Input]) -> Option<(PathBuf, String)> {
    let around = changes_of_running_kustomizations(config);
    let changes_input = |one: &Changed| inputs.iter().any(|input| is_part_of_build(&one.folder, input.origin()));
    let around: Vec<Changed> = around.into_iter().filter(changes_input).collect();
    let (folder, setting) = folder_with_other_ports(inputs, &around, &[])?;
    Some((folder.to_owned(), setting))
}

/// Lines about builds in which workloads have other names than in the inputs, with their severities. `changed` are
/// kustomizations of the inputs that are reported already; `command` are the arguments of the run, if it has `--build`.
pub(super) fn other_name_notes(
    (config, inputs): (&Path, &[Input]),
    changed: &[Changed],
    command: Option<&str>,
) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    let running = || running_build_with_other_ports(config, inputs);
    if let Some((folder, setting)) = changed.is_empty().then(running).flatten() {
        let next = match command {
            Some(command) => format!("`hostnet {command} --build {}` reads the build", shell_path(&folder)),
            None => format!("`{}` prints the build", build_command(&folder)),
        };
        let folder = shown_path(&folder);
        let line = format!("{folder}: the kustomization sets {setting}, which the input does not show; {next}");
        notes.push(("info", line));
    }
    for build in renaming_builds(inputs) {
        let read: Vec<&Input> = inputs.iter().filter(|input| build.reads_input(input)).collect();
        if read.is_empty() || Names::read(read.iter().copied()).are_all_in(build.only_namespace()) {
            continue;
        }
        let (file, names) = (shown_path(&build.file), build.names.join(", "));
        let line = format!(
            "{file}: {} sets {names} for files of the input, so its build has other keys and numbers than the files: \
             `hostnet charts {} | sh` renders the build",
            build.object,
            shell_path(&build.file)
        );
        notes.push(("warning", line));
    }
    notes
}

/// Returns the changes of the kustomizations that run a config.
fn changes_of_running_kustomizations(config: &Path) -> Vec<Changed> {
    let folder = config.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let kustomizations = files::kustomizations_in(folder).filter_map(|file| Kustomization::read(&file).ok());
    let changed = |one: Kustomization| {
        let namespace = one.namespace().map(str::to_owned);
        Some(Changed { namespace, ..one.changed()? })
    };
    kustomizations.filter(|one| one.runs(config)).filter_map(changed).collect()
}

/// Names in the objects of inputs.
struct Names {
    /// Namespaces of the objects; empty for a workload without a namespace, and for an input that cannot be read.
    namespaces: BTreeSet<String>,
    /// Names of the images in fields `image`, without tag and digest.
    images: BTreeSet<String>,
}

impl Names {
    fn read<'i>(inputs: impl IntoIterator<Item = &'i Input>) -> Self {
        let mut names = Self { namespaces: BTreeSet::new(), images: BTreeSet::new() };
        for input in inputs {
            let Ok(objects) = input.objects(|_, node| (namespace_of(node), images_of(node))) else {
                names.namespaces.insert(String::new());
                continue;
            };
            for (namespace, images) in objects {
                names.namespaces.extend(namespace);
                names.images.extend(images);
            }
        }
        names
    }

    /// True if all objects with a namespace, and all workloads, are in this namespace.
    fn are_all_in(&self, namespace: Option<&str>) -> bool {
        namespace.is_some_and(|namespace| self.namespaces.iter().all(|own| own == namespace))
    }
}

/// The namespace of an object; empty for a workload without a namespace, `None` for any other object without a
/// namespace.
fn namespace_of(node: NodeRef<'_, '_>) -> Option<String> {
    let has = |field: &str| node.get("spec").is_some_and(|spec| spec.get(field).is_some());
    let is_workload = || ["template", "jobTemplate", "containers"].into_iter().any(has);
    Meta::read(node).namespace.or_else(|| is_workload().then(String::new))
}

/// Names of the images in the fields `image` of an object.
fn images_of(node: NodeRef<'_, '_>) -> Vec<String> {
    let images = node.descendants().filter_map(|node| node.get("image")?.text());
    images.map(|image| ImageRef::split(image).name.to_owned()).collect()
}
