//! Membership of pods in service meshes, by their labels, annotations, containers and Namespace.

use std::fmt;

use super::model::Model;
use crate::catalog::{MESHES, Mesh, MeshEffect, MeshPlace};
use crate::model::facts::PodsView;
use crate::model::meta::Meta;
use crate::model::pod::{Container, PodTemplate};
use crate::model::text::Labels;
use lossless_yaml::Path;
use oci::name::ImageRef;

/// The reason why pods are in a mesh.
#[derive(Debug, Clone)]
pub struct MeshMembership<'m> {
    /// The mesh.
    pub mesh: &'static Mesh,
    /// The label, annotation or container that puts the pods into the mesh.
    pub by: MeshMembershipCause<'m>,
    /// Path of the label, annotation or container in the object of the template; `None` for a label or annotation of
    /// the Namespace.
    pub path: Option<Path>,
}

/// A label, annotation or container that puts pods into a mesh.
#[derive(Debug, Clone, Copy)]
pub enum MeshMembershipCause<'m> {
    /// A label or annotation: its object, key and value.
    Key(MeshPlace, &'static str, &'m str),
    /// The mesh's proxy, which the template already contains.
    Proxy(&'m str),
}

/// Formats the reason for messages: ``label `istio-injection: enabled` of its Namespace puts its pods into Istio``.
impl fmt::Display for MeshMembership<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (at, key, value) = match self.by {
            MeshMembershipCause::Key(at, key, value) => (at, key, value),
            MeshMembershipCause::Proxy(container) => {
                return write!(f, "container {container} is a proxy of {}", self.mesh.name);
            }
        };
        let (list, owner) = match at {
            MeshPlace::PodLabel => ("label", ""),
            MeshPlace::PodAnnotation => ("annotation", ""),
            MeshPlace::NamespaceLabel => ("label", " of its Namespace"),
            MeshPlace::NamespaceAnnotation => ("annotation", " of its Namespace"),
        };
        write!(f, "{list} `{key}: {value}`{owner} puts its pods into {}", self.mesh.name)
    }
}

impl MeshMembership<'_> {
    /// The change that removes the pods from the mesh, as an imperative sentence.
    pub fn remedy(&self) -> String {
        match self.by {
            MeshMembershipCause::Key(..) => format!("remove it from {} with the {}", self.mesh.name, self.mesh.opt_out),
            MeshMembershipCause::Proxy(container) => format!("remove container {container} from its template"),
        }
    }

    /// The effect of the host network on the mesh, as a relative clause.
    pub fn effect(&self) -> &'static str {
        match self.by {
            MeshMembershipCause::Proxy(_) => {
                "whose traffic is redirected only in a pod network: on the host network calls bypass it, and where the mesh demands mTLS, \
                 calls to these pods and from them fail"
            }
            MeshMembershipCause::Key(..) if self.mesh.skips => {
                "which leaves out pods on the host network: they have no proxy, and where the mesh demands mTLS, calls to them and \
                 from them fail"
            }
            MeshMembershipCause::Key(..) => {
                "whose injector ignores hostNetwork: the containers that it adds to the pods redirect the traffic of the node itself, \
                 unless a CNI plugin of the mesh does that instead"
            }
        }
    }
}

/// The meshes of pods, as far as the input shows them. A pod with only a proxy is a gateway, not a member.
pub fn joined<'m>(model: &'m Model, pods: PodsView<'m>) -> impl Iterator<Item = MeshMembership<'m>> {
    let namespace = pods.namespace().and_then(|name| model.namespace(name));
    let template = pods.template;
    MESHES.iter().filter_map(move |mesh| {
        mesh_membership_by_key(mesh, namespace, template).or_else(|| mesh_membership_by_proxy(mesh, template))
    })
}

/// Decides by the first label or annotation that concerns the mesh; `None` if it does not add the pods to the mesh.
fn mesh_membership_by_key<'m>(
    mesh: &'static Mesh,
    namespace: Option<&'m Meta>,
    template: &'m PodTemplate,
) -> Option<MeshMembership<'m>> {
    mesh.enrollment.iter().find_map(|row| {
        let of_namespace = |labels: fn(&Meta) -> &Labels| namespace.map(labels);
        let (list, labels) = match row.at {
            MeshPlace::PodLabel => ("labels", Some(&template.labels)),
            MeshPlace::PodAnnotation => ("annotations", Some(&template.annotations)),
            MeshPlace::NamespaceLabel => ("labels", of_namespace(|meta| &meta.labels)),
            MeshPlace::NamespaceAnnotation => ("annotations", of_namespace(|meta| &meta.annotations)),
        };
        let value = labels?.get(row.key)?;
        let is_own = matches!(row.at, MeshPlace::PodLabel | MeshPlace::PodAnnotation);
        let path = is_own.then(|| template.path.key("metadata").key(list).key(row.key));
        let joined = MeshMembership { mesh, by: MeshMembershipCause::Key(row.at, row.key, value), path };
        Some((row.effect_of(value)? == MeshEffect::Joins).then_some(joined))
    })?
}

/// Membership in a mesh, shown by a proxy container of the mesh.
fn mesh_membership_by_proxy<'m>(mesh: &'static Mesh, template: &'m PodTemplate) -> Option<MeshMembership<'m>> {
    let is_proxy = |container: &&Container| mesh.is_proxy(&container.name, ImageRef::split(&container.image).name);
    let proxy = template.running().map(|(_, container)| container).find(is_proxy)?;
    let is_sidecar = template.running().any(|(_, container)| container.name != proxy.name);
    let joined =
        || MeshMembership { mesh, by: MeshMembershipCause::Proxy(&proxy.name), path: Some(proxy.path.clone()) };
    is_sidecar.then(joined)
}
