//! Service meshes: the labels and annotations that put a pod into each, the proxy of each, and whether it leaves out pods on the host network.

use super::data;
use super::fits::is_container;

/// A service mesh.
#[derive(Debug)]
pub struct Mesh {
    /// Its name.
    pub name: &'static str,
    /// Whether it leaves out pods on the host network. One that does not redirects the traffic of the node.
    pub skips: bool,
    /// What keeps a pod out of it, for a person.
    pub opt_out: &'static str,
    /// What puts a pod into it: the first of these that says something decides.
    pub says: &'static [MeshKey],
    /// Names of its proxy's container.
    pub(super) proxy_names: &'static [&'static str],
    /// Ends of the path of its proxy's image.
    pub(super) proxy_images: &'static [&'static str],
}

impl Mesh {
    /// True for a container of this name and image (its path without tag and digest) that is the mesh's proxy.
    #[must_use]
    pub fn is_proxy(&self, name: &str, image: &str) -> bool {
        is_container(self.proxy_names, self.proxy_images, name, image)
    }
}

/// A label or annotation that puts pods into a mesh, or keeps them out.
#[derive(Debug)]
pub struct MeshKey {
    /// Where it stands.
    pub at: MeshPlace,
    /// Its key.
    pub key: &'static str,
    /// The values that put a pod into the mesh; `*` is every value.
    pub(super) joins: &'static [&'static str],
    /// The values that keep it out, where none of the others is there.
    pub(super) leaves: &'static [&'static str],
}

/// Where a label or annotation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshPlace {
    /// A label of the pods.
    PodLabel,
    /// An annotation of the pods.
    PodAnnotation,
    /// A label of their Namespace.
    NamespaceLabel,
    /// An annotation of their Namespace.
    NamespaceAnnotation,
}

/// What a value says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// The pod is in the mesh.
    Joins,
    /// It is not.
    Leaves,
}

impl MeshKey {
    /// What this value says, if anything.
    #[must_use]
    pub fn says(&self, value: &str) -> Option<Says> {
        let has = |values: &[&str]| values.iter().any(|known| *known == "*" || known.eq_ignore_ascii_case(value));
        match value {
            "" => None,
            _ if has(self.joins) => Some(Says::Joins),
            _ => has(self.leaves).then_some(Says::Leaves),
        }
    }
}

/// All meshes.
#[must_use]
pub fn meshes() -> &'static [Mesh] {
    data::MESHES
}
