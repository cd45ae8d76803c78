//! Container ports, and other settings of containers, in patches that a kustomization lists.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::host_network::PortRow;
use crate::releases::ListedPatch;
use krm::files::Changed;
use lossless_yaml::NodeRef;

/// Key of a container port.
pub(super) const PORT: &str = "containerPort";

/// Fields of a container that may set numbers of ports.
const SETTINGS: [&str; 5] = ["args", "command", "env", "envFrom", "ports"];

/// Keys of a pod with its containers.
pub(super) const CONTAINERS: [&str; 2] = ["containers", "initContainers"];

/// Container port, or settings of containers, in a patch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PatchedPort {
    /// Folder of the kustomization that lists the patch.
    pub(super) folder: PathBuf,
    /// Name of the port.
    name: Option<String>,
    /// Name of the patched object, if the patch or its target has a name.
    object: Option<String>,
}

/// Returns the container ports and other settings in patches of kustomizations.
pub(super) fn patched_ports(changed: &[Changed]) -> Vec<PatchedPort> {
    let mut found = Vec::new();
    for one in changed.iter().filter(|one| one.patches) {
        for patch in ListedPatch::read_all(&one.folder) {
            let Some(tree) = patch.tree() else { continue };
            for root in tree.roots() {
                let object = patch.object_name(root);
                let is_port = |node: &NodeRef<'_, '_>| node.get(PORT).is_some();
                let setting = |node: NodeRef<'_, '_>| PatchedPort {
                    folder: one.folder.clone(),
                    name: node
                        .get("name")
                        .filter(|_| is_port(&node))
                        .and_then(NodeRef::non_null_text)
                        .map(str::to_owned),
                    object: object.clone(),
                };
                let nodes = kept(root).into_iter().filter(|node| is_port(node) || sets_containers(*node));
                found.extend(nodes.map(setting));
            }
        }
    }
    found
}

/// Returns the container ports and other settings in patches that may be about the workloads of these listeners.
pub(super) fn patches_of(rows: &[PortRow], changed: &[Changed]) -> Vec<PatchedPort> {
    let names: BTreeSet<&str> = rows.iter().filter_map(|row| row.object.rsplit('/').next()).collect();
    let mut found = patched_ports(changed);
    found.retain(|port| port.object.as_ref().is_none_or(|object| names.contains(object.as_str())));
    found
}

/// Names of container ports in patches.
pub(super) fn port_names(ports: &[PatchedPort]) -> BTreeSet<String> {
    ports.iter().filter_map(|port| port.name.clone()).collect()
}

/// Nodes of a patch, without nodes that the patch removes or only compares.
pub(super) fn kept<'t, 's>(root: NodeRef<'t, 's>) -> Vec<NodeRef<'t, 's>> {
    let (mut found, mut open) = (Vec::new(), vec![root]);
    while let Some(node) = open.pop() {
        let is = |key: &str, word: &str| node.get(key).and_then(NodeRef::text) == Some(word);
        if !(is("$patch", "delete") || is("op", "test") || is("op", "remove")) {
            open.extend(node.children());
            found.push(node);
        }
    }
    found
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
