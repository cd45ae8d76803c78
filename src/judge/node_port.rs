//! Processes of the node that use a port.

use super::nodes::Nodes;
use crate::catalog::{self, KUBELET, NodePort, NodePortUse};
use crate::model::pod::{Container, PodTemplate, TCP};
use crate::plan::listed;
use oci::name::ImageRef;

/// Process of nodes that uses a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortOwner {
    /// Name of the process.
    pub name: &'static str,
    /// Nodes on which the port is in use.
    pub seen: NodePortUse,
    /// True for the kubelet, whose certificate clients of the port get.
    pub is_kubelet: bool,
    /// Names of the nodes for messages: `every node`, `n1, n2 and 3 more`.
    pub nodes: String,
}

/// Maximum number of nodes that a message names.
const NAMED: usize = 3;

/// Process of the node that uses a port on nodes where the pods of a template may run. `None` if a container of the pod
/// is that process; a proxy in the same pod may then use the port on its behalf. For Nodes of the input, the kubelet
/// port is the port that they report.
pub fn owner(nodes: &Nodes<'_>, template: &PodTemplate, number: u16, protocol: &str) -> Option<PortOwner> {
    let row = node_port_row(number, protocol).filter(|row| !runs_process_of(template, row));
    let of_row = |row: &NodePort| PortOwner {
        name: row.owner,
        seen: row.seen,
        is_kubelet: row.port == KUBELET,
        nodes: "every node".to_owned(),
    };
    if protocol != TCP || number != KUBELET && !nodes.has_kubelet_at(number) {
        return row.map(of_row);
    }
    let kubelets = nodes.kubelets();
    if kubelets.is_empty() {
        return row.map(of_row);
    }
    let allowed = |name: &&&str| nodes.allows(name, template.into()) != Some(false);
    let own: Vec<&str> = kubelets.get(&number).into_iter().flatten().filter(allowed).copied().collect();
    if own.is_empty() {
        return row.filter(|row| row.port != KUBELET).map(of_row);
    }
    let is_every = kubelets.len() == 1;
    let nodes = if is_every { "every node".to_owned() } else { listed(own, NAMED) };
    Some(PortOwner { name: "kubelet", seen: NodePortUse::Always, is_kubelet: true, nodes })
}

/// Problem of a port that `assigned` of the config records for another workload, for a message that begins with the
/// container.
pub fn recorded_for_another(number: u16, owner: &str) -> String {
    format!(
        "it has port {number} of its node, which `assigned` of the config gives to {owner}: on one node the second one could not start. \
         Give it another number, or list both under `shared`"
    )
}

/// True if a container of the pods runs the process of a catalogue row. If a proxy of the pods has the port, its
/// `--upstream` has to lead to that process.
pub fn runs_process_of(template: &PodTemplate, row: &NodePort) -> bool {
    let upstreams: Vec<u16> =
        template.running().flat_map(|(_, container)| upstreams_of_port(container, row.port)).collect();
    let is_upstream =
        |container: &Container| upstreams.iter().any(|port| *port == row.port || names_port(container, *port));
    let mut owners = template.running().map(|(_, container)| container).filter(|container| is_owner(row, container));
    owners.any(|container| upstreams.is_empty() || is_upstream(container))
}

/// Ports to which a proxy on this port forwards, by its flags; empty for other containers.
///
/// Source: brancz/kube-rbac-proxy `cmd/kube-rbac-proxy/app/options/proxyoptions.go`; oauth2-proxy `pkg/apis/options`.
fn upstreams_of_port(container: &Container, port: u16) -> Vec<u16> {
    let upstream = |word: &str| {
        let url = word.strip_prefix("--upstream=")?.split_once("://")?.1;
        url.split('/').next()?.rsplit_once(':')?.1.parse().ok()
    };
    let words = || container.words().map(|(.., word)| word);
    let is_here = words().any(|word| !word.starts_with("--upstream") && ends_with_port(word, port));
    words().filter(|_| is_here).filter_map(upstream).collect()
}

/// True if a container declares the port or names it in a word.
fn names_port(container: &Container, port: u16) -> bool {
    let text = port.to_string();
    let mut declared = container.ports.iter().flatten().filter_map(|port| port.container_port.as_ref());
    declared.any(|number| *number.text == *text) || container.words().any(|(.., word)| ends_with_port(word, port))
}

fn ends_with_port(word: &str, port: u16) -> bool {
    word.strip_suffix(&port.to_string()).is_some_and(|before| before.ends_with([':', '=']))
}

/// True if the catalog has the port as a node port of this container.
pub fn is_port_of_container(container: &Container, number: u16, protocol: &str) -> bool {
    node_port_row(number, protocol).is_some_and(|row| is_owner(row, container))
}

/// Catalogue row of a port that a process of the nodes uses.
fn node_port_row(number: u16, protocol: &str) -> Option<&'static NodePort> {
    catalog::NODE_PORTS.iter().find(|row| row.port == number && row.protocol == protocol)
}

/// True if a container runs the process of a catalogue row, by its image or by the program that it starts. An
/// image by digest may come from a repository with the images of many programs, such as the releases of `OpenShift`, so
/// the name of the container counts too.
fn is_owner(row: &NodePort, container: &Container) -> bool {
    let starts = || container.words().next().map(|(.., word)| binary(word));
    let image = ImageRef::split(&container.image);
    row.has_image(image.last_segment())
        || image.tag.is_none() && image.digest.is_some() && row.has_image(&container.name)
        || !row.binaries.is_empty() && starts().is_some_and(|started| row.binaries.contains(&started))
}

/// Name of a program: `kruise-daemon` for `/kruise-daemon` and for `C:\kruise-daemon.exe`.
fn binary(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::binary;

    #[test]
    fn a_program_has_a_name() {
        for word in ["/kruise-daemon", "kruise-daemon", "$env:MOUNT/kruise-daemon.exe", r"C:\bin\kruise-daemon.exe"] {
            assert_eq!(binary(word), "kruise-daemon", "{word}");
        }
    }
}
