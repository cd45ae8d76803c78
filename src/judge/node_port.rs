//! Processes of the node that use a port.

use crate::catalog::{self, NodePort};
use crate::model::pod::{Container, PodTemplate};
use oci::name::ImageRef;

/// Catalog row of the node process that uses a port. `None` if a container of the pod is that process: a proxy in the
/// same pod may use the port for it.
#[must_use]
pub fn owner(template: &PodTemplate, number: u16, protocol: &str) -> Option<&'static NodePort> {
    row(number, protocol).filter(|row| !template.running().any(|(_, container)| is_of(row, container)))
}

/// True if the catalog has the port as a node port of this container.
#[must_use]
pub fn is_own(container: &Container, number: u16, protocol: &str) -> bool {
    row(number, protocol).is_some_and(|row| is_of(row, container))
}

fn row(number: u16, protocol: &str) -> Option<&'static NodePort> {
    catalog::node_ports().iter().find(|row| row.port == number && row.protocol == protocol)
}

/// True if a container is the owner of a row, by its image or by the program that it starts.
fn is_of(row: &NodePort, container: &Container) -> bool {
    let starts = || container.words().next().map(|(.., word)| binary(word));
    row.images.contains(&ImageRef::split(&container.image).last_segment())
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
