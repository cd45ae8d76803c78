//! Service meshes: labels and annotations that add pods to a mesh, sidecar proxies, and behaviour for pods on the host
//! network.

use super::data;
use super::matching::is_container;

/// Service mesh.
#[derive(Debug)]
pub struct Mesh {
    /// Name of the mesh.
    pub name: &'static str,
    /// True if the mesh ignores pods on the host network. Other meshes redirect the traffic of the node.
    pub skips: bool,
    /// Label or annotation that excludes a pod, for messages.
    pub opt_out: &'static str,
    /// Labels and annotations that add pods to the mesh or exclude them; the first one with a matching value decides.
    pub enrollment: &'static [MeshKey],
    /// Container names of the proxy.
    pub(super) proxy_names: &'static [&'static str],
    /// Suffixes of the image path of the proxy.
    pub(super) proxy_images: &'static [&'static str],
}

impl Mesh {
    /// True if a container with this name and image path (without tag and digest) is the proxy of the mesh.
    pub fn is_proxy(&self, name: &str, image: &str) -> bool {
        is_container(self.proxy_names, self.proxy_images, name, image)
    }
}

/// Label or annotation that adds pods to a mesh, or excludes them.
#[derive(Debug)]
pub struct MeshKey {
    /// Object and map that contain the key.
    pub at: MeshPlace,
    /// Key of the label or annotation.
    pub key: &'static str,
    /// Values that add a pod to the mesh; `*` matches every value.
    pub(super) joins: &'static [&'static str],
    /// Values that exclude a pod, unless `joins` matches.
    pub(super) leaves: &'static [&'static str],
}

/// Place of a label or annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshPlace {
    /// Label of the pods.
    PodLabel,
    /// Annotation of the pods.
    PodAnnotation,
    /// Label of the Namespace of the pods.
    NamespaceLabel,
    /// Annotation of the Namespace of the pods.
    NamespaceAnnotation,
}

/// Effect of the value of a label or annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshEffect {
    /// Adds the pod to the mesh.
    Joins,
    /// Excludes the pod from the mesh.
    Leaves,
}

impl MeshKey {
    /// Effect of a value; `None` for an empty value and for values that match neither list.
    pub fn effect_of(&self, value: &str) -> Option<MeshEffect> {
        let has = |values: &[&str]| values.iter().any(|known| *known == "*" || known.eq_ignore_ascii_case(value));
        match value {
            "" => None,
            _ if has(self.joins) => Some(MeshEffect::Joins),
            _ => has(self.leaves).then_some(MeshEffect::Leaves),
        }
    }
}

/// Returns all meshes.
pub static MESHES: &[Mesh] = data::MESHES;
