//! Container ports, and other settings of containers, in patches that a kustomization lists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::build::build_command;
use crate::host_network::PortRow;
use krm::files::Changed;
use krm::{files, shown_path};
use lossless_yaml::{NodeRef, Tree};

/// Key of a container port.
const PORT: &str = "containerPort";

/// Fields of a container that may set numbers of ports.
const SETTINGS: [&str; 5] = ["args", "command", "env", "envFrom", "ports"];

/// Keys of a pod with its containers.
const CONTAINERS: [&str; 2] = ["containers", "initContainers"];

/// Kinds of kustomizations: the name of such a document is not the name of a patched object.
const KUSTOMIZATIONS: [&str; 2] = ["Kustomization", "Component"];

/// Maximum nesting of texts, such as an inline patch of a kustomization.
const MAX_DEPTH: usize = 2;

/// Container port, or settings of containers, in a patch: in a file, or in a text of a kustomization.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PatchedPort {
    /// File with the patch.
    file: PathBuf,
    /// Line of the port, or of the text that contains the port, counted from 1.
    line: usize,
    /// Number of the port; `None` for other settings.
    number: Option<u16>,
    /// Name of the port.
    name: Option<String>,
    /// Name of the patched object, if the patch or its target has one.
    object: Option<String>,
}

/// Returns the container ports and other settings in patches: in kustomizations that have patches, and in files of
/// patches. A file that cannot be read has no ports.
pub(super) fn patched_ports(changed: &[Changed], patch_files: &[PathBuf]) -> Vec<PatchedPort> {
    let kustomizations = changed.iter().filter(|one| one.patches);
    let kustomizations = kustomizations.flat_map(|one| files::kustomizations_in(&one.folder));
    let mut found = Vec::new();
    for file in kustomizations.chain(patch_files.iter().cloned()) {
        if let Ok(text) = fs::read_to_string(&file) {
            add_ports(&file, (&text, None), None, MAX_DEPTH, &mut found);
        }
    }
    found
}

/// Returns the container ports and other settings in patches that may be about the workloads of these listeners.
pub(super) fn patches_of(rows: &[PortRow], changed: &[Changed], patch_files: &[PathBuf]) -> Vec<PatchedPort> {
    let names: BTreeSet<&str> = rows.iter().filter_map(|row| row.object.rsplit('/').next()).collect();
    let mut found = patched_ports(changed, patch_files);
    found.retain(|port| port.object.as_ref().is_none_or(|object| names.contains(object.as_str())));
    found
}

/// Names of container ports in patches.
pub(super) fn port_names(ports: &[PatchedPort]) -> BTreeSet<String> {
    ports.iter().filter_map(|port| port.name.clone()).collect()
}

/// True if a text may be a patch with container ports or other settings.
fn may_set(text: &str) -> bool {
    text.contains(PORT) || text.contains("ontainers") && SETTINGS.iter().any(|key| text.contains(key))
}

/// True if a node of a patch sets arguments, variables or ports of a container: a pod with such containers, or an
/// operation of a JSON patch.
fn sets_containers(node: NodeRef<'_, '_>) -> bool {
    let has_setting = |container: NodeRef<'_, '_>| SETTINGS.iter().any(|key| container.get(key).is_some());
    let by_path = |path: &str| {
        let mut steps = path.split('/').skip_while(|step| !CONTAINERS.contains(step)).skip(2);
        steps.next().is_some_and(|step| SETTINGS.contains(&step))
    };
    let path = node.get("path").and_then(NodeRef::text).filter(|_| node.get("op").is_some());
    let value = node.get("value").filter(|_| path.is_some_and(|path| path.contains("/containers/")));
    path.is_some_and(by_path)
        || value.is_some_and(has_setting)
        || CONTAINERS.iter().filter_map(|key| node.get(key)).flat_map(NodeRef::items).any(has_setting)
}

/// Adds the container ports and other settings in a text, without those that a patch removes. `text` comes with the line of the file for a
/// text within the file; `target` is the name of the patched object, if the kustomization has it.
fn add_ports(
    file: &Path,
    (text, line): (&str, Option<usize>),
    target: Option<&str>,
    depth: usize,
    found: &mut Vec<PatchedPort>,
) {
    let Some(depth) = depth.checked_sub(1).filter(|_| may_set(text)) else { return };
    let Ok(tree) = Tree::parse(text) else { return };
    for root in tree.roots() {
        let is_patch = root.get("kind").and_then(NodeRef::text).is_some_and(|kind| !KUSTOMIZATIONS.contains(&kind));
        let own = root.get("metadata").filter(|_| is_patch).and_then(|metadata| metadata.get("name")?.non_null_text());
        let object = own.or(target);
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            let is = |key: &str, word: &str| node.get(key).and_then(NodeRef::text) == Some(word);
            // A JSON patch with `test` or `remove` sets nothing.
            if is("$patch", "delete") || is("op", "test") || is("op", "remove") {
                continue;
            }
            open.extend(node.children());
            let line_of = |node: NodeRef<'_, '_>| line.unwrap_or_else(|| tree.line(node.start()));
            let object = object.map(str::to_owned);
            if let Some(port) = node.get(PORT) {
                found.push(PatchedPort {
                    file: file.to_owned(),
                    line: line_of(port),
                    number: port.text().and_then(|number| number.parse().ok()),
                    name: node.get("name").and_then(NodeRef::non_null_text).map(str::to_owned),
                    object,
                });
            } else if sets_containers(node) {
                found.push(PatchedPort {
                    file: file.to_owned(),
                    line: line_of(node),
                    number: None,
                    name: None,
                    object,
                });
            }
            // The target of a patch may be a pattern.
            let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            let target = node.get("target").and_then(|target| target.get("name")?.text()).filter(is_name);
            for child in node.children() {
                if let Some(text) = child.text() {
                    add_ports(file, (text, Some(line_of(child))), target, depth, found);
                }
            }
        }
    }
}

/// Refuses to change files if a patch sets a container port that has another number in the changed files, since the
/// build would have both numbers, or that the files declare too, since the build would have one of the two names.
/// `moved` and `declared` are names of workloads with their old numbers, `command` the arguments of this call.
pub(super) fn refuse_patched_ports(
    patched: &[PatchedPort],
    moved: &BTreeSet<(String, u16)>,
    declared: &BTreeSet<(String, u16)>,
    command: &str,
) -> anyhow::Result<()> {
    let is_in = |port: &PatchedPort, numbers: &BTreeSet<(String, u16)>| {
        let is_same = |(name, number): &(String, u16)| {
            port.number == Some(*number) && port.object.as_ref().is_none_or(|object| object == name)
        };
        numbers.iter().any(is_same)
    };
    let effect = |port: &PatchedPort| {
        let number = port.number?;
        match (is_in(port, moved), is_in(port, declared)) {
            (true, _) => Some(format!(
                "sets {PORT} {number}, which moves in the files, so the build would have the old number too"
            )),
            (false, true) => Some(format!(
                "declares {PORT} {number}, and so would the files, so the build could lose the port's name"
            )),
            (false, false) => None,
        }
    };
    let Some((port, effect)) = patched.iter().find_map(|port| Some((port, effect(port)?))) else {
        return Ok(());
    };
    bail!(
        "{}:{}: this patch {effect}: run hostnet on the build, `{} | hostnet {command} -`",
        shown_path(&port.file),
        port.line,
        build_command(port.folder())
    )
}

impl PatchedPort {
    /// Folder of the kustomization with the patch: the nearest folder above the file that has one, else the folder of the
    /// file.
    pub(super) fn folder(&self) -> &Path {
        let mut folders = self.file.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let nearest = folders.clone().find(|folder| files::has_kustomization(folder));
        nearest.or_else(|| folders.next()).unwrap_or(Path::new("."))
    }
}
