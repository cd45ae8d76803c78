//! Whether the pods of a template are in a service mesh: what their labels, annotations and Namespace say.

use std::fmt;

use super::model::Model;
use crate::catalog::{Mesh, MeshPlace, Says, meshes};
use crate::model::meta::Meta;
use crate::model::pod::PodTemplate;
use crate::model::text::Labels;
use crate::yaml::Path;

/// A label or annotation that puts pods into a mesh.
#[derive(Debug, Clone)]
pub struct Joined<'m> {
    /// The mesh.
    pub mesh: &'static Mesh,
    /// Where the label or annotation stands.
    pub at: MeshPlace,
    /// Its key.
    pub key: &'static str,
    /// Its value.
    pub value: &'m str,
    /// Its path in the object of the template; none when the Namespace has it.
    pub path: Option<Path>,
}

/// What puts them there, as messages write it: ``label `istio-injection: enabled` of its Namespace``.
impl fmt::Display for Joined<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, whose) = match self.at {
            MeshPlace::PodLabel => ("label", ""),
            MeshPlace::PodAnnotation => ("annotation", ""),
            MeshPlace::NamespaceLabel => ("label", " of its Namespace"),
            MeshPlace::NamespaceAnnotation => ("annotation", " of its Namespace"),
        };
        write!(f, "{what} `{}: {}`{whose}", self.key, self.value)
    }
}

/// The meshes that the pods of a template are in, as far as the input shows it.
pub fn joined<'m>(model: &'m Model, meta: &Meta, template: &'m PodTemplate) -> impl Iterator<Item = Joined<'m>> {
    let namespace = meta.namespace.as_deref().and_then(|name| model.namespace(name));
    meshes().iter().filter_map(move |mesh| {
        mesh.says.iter().find_map(|row| {
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
            let joined = Joined { mesh, at: row.at, key: row.key, value, path };
            Some((row.says(value)? == Says::Joins).then_some(joined))
        })?
    })
}
