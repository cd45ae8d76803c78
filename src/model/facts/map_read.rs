//! Reads of ConfigMaps by objects without a pod template: an Argo Workflow, the values of a HelmRelease, the variables
//! of a Flux Kustomization.

use memchr::memmem;

use crate::model::meta::Meta;
use lossless_yaml::NodeRef;

/// Read of a ConfigMap in the namespace of the object that reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapRead {
    /// Name of the ConfigMap.
    pub name: Box<str>,
    /// Key of its data; `None` for all keys.
    pub key: Option<Box<str>>,
}

/// Groups whose objects read no ConfigMap: schemas, roles and local configs; and ConfigMaps, which may hold manifests.
const SILENT: [&str; 6] = [
    "",
    "apiextensions.k8s.io",
    "rbac.authorization.k8s.io",
    "kustomize.config.k8s.io",
    "config.kubernetes.io",
    "hostnet.dev",
];

/// Default file of values of a chart, and default key of a values file in a ConfigMap or Secret.
pub const VALUES_KEY: &str = "values.yaml";

/// Maximum depth of the search.
const MAX_DEPTH: usize = 64;

/// The reads of an object, by the names of fields in which Kubernetes and Flux refer to ConfigMaps.
pub(super) fn config_map_reads(meta: &Meta, object: NodeRef<'_, '_>) -> Vec<MapRead> {
    let mut found = Vec::new();
    if !SILENT.contains(&meta.gvk.group.as_str()) && memmem::find(object.raw().as_bytes(), b"onfigMap").is_some() {
        search(object, MAX_DEPTH, &mut found);
    }
    found
}

/// Collects references to ConfigMaps below a node, to a limited depth.
fn search(node: NodeRef<'_, '_>, depth: usize, found: &mut Vec<MapRead>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for (key, value) in node.entries() {
        match key.text() {
            // `configMap` is a volume, or the choice of one key.
            Some("configMapKeyRef" | "configMapRef" | "configMap") => found.extend(read(value, "key", None)),
            Some("substituteFrom") => found.extend(maps(value).filter_map(|from| read(from, "", None))),
            Some("valuesFrom") => {
                found.extend(maps(value).filter_map(|from| read(from, "valuesKey", Some(VALUES_KEY))));
            }
            _ => {}
        }
        search(value, depth, found);
    }
    for item in node.items() {
        search(item, depth, found);
    }
}

/// The elements of a list that are ConfigMaps, and not Secrets.
fn maps<'t, 's>(list: NodeRef<'t, 's>) -> impl Iterator<Item = NodeRef<'t, 's>> {
    list.items().filter(|from| from.get("kind").and_then(NodeRef::text) == Some("ConfigMap"))
}

/// Read of the ConfigMap that a mapping names.
fn read(from: NodeRef<'_, '_>, key_field: &str, default_key: Option<&str>) -> Option<MapRead> {
    let name = from.get("name").and_then(NodeRef::text)?.into();
    let key = from.get(key_field).and_then(NodeRef::text).or(default_key);
    Some(MapRead { name, key: key.map(Into::into) })
}
