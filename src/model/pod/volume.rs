//! ConfigMaps and Secrets of a pod: volumes and their files, mounts of containers, and variables.

use super::read::without_spare;
use lossless_yaml::NodeRef;

/// Volume with files from ConfigMaps.
#[derive(Debug, Clone)]
pub struct Volume {
    /// Volume name.
    pub name: String,
    /// Sources of the volume; a projected volume may have several.
    pub config_maps: Vec<VolumeSource>,
}

/// A `ConfigMap` in a volume.
#[derive(Debug, Clone)]
pub struct VolumeSource {
    /// ConfigMap name.
    pub config_map: String,
    /// Keys and their paths in the volume (`items`); `None` if each key is a file with the key as name.
    pub items: Option<Vec<(String, String)>>,
}

/// Volume mount of a container.
#[derive(Debug, Clone)]
pub struct Mount {
    /// Volume name.
    pub volume: String,
    /// `mountPath`
    pub path: String,
    /// `subPath`, empty for the whole volume.
    pub sub_path: String,
}

/// Variables from all keys of a `ConfigMap`.
#[derive(Debug, Clone)]
pub struct EnvSource {
    /// Prefix of each key.
    pub prefix: String,
    /// The `ConfigMap`.
    pub config_map: String,
}

/// A `ConfigMap` or Secret that a pod reads, or one key of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConfigDataReference {
    /// Name of the ConfigMap or Secret.
    pub name: String,
    /// Key; `None` for all keys.
    pub key: Option<String>,
}

impl ConfigDataReference {
    /// True if this key of this object is read.
    pub fn has(&self, name: &str, key: &str) -> bool {
        self.name == name && self.key.as_ref().is_none_or(|known| known == key)
    }

    /// True if a list uses this key of this object. The list is sorted, as
    /// [`PodTemplate::config_maps`](super::PodTemplate::config_maps) is.
    pub(crate) fn any_has_key(uses: &[Self], name: &str, key: &str) -> bool {
        // A use of all keys sorts before the uses of one key.
        let first = uses.partition_point(|used| *used.name < *name);
        let all = uses.get(first).is_some_and(|used| used.has(name, key));
        all || uses.binary_search_by(|used| (used.name.as_str(), used.key.as_deref()).cmp(&(name, Some(key)))).is_ok()
    }
}

fn text(node: NodeRef<'_, '_>, key: &str) -> String {
    node.get(key).and_then(NodeRef::non_null_text).unwrap_or_default().to_owned()
}

impl VolumeSource {
    fn read(node: NodeRef<'_, '_>) -> Self {
        let items = node.get("items").filter(|items| items.is_sequence());
        let items = items.map(|items| items.items().map(|item| (text(item, "key"), text(item, "path"))).collect());
        Self { config_map: text(node, "name"), items }
    }

    /// Path of a key in the volume; `None` if `items` omits the key.
    pub fn path<'k>(&'k self, key: &'k str) -> Option<&'k str> {
        match &self.items {
            None => Some(key),
            Some(items) => items.iter().find(|(item_key, _)| item_key == key).map(|(_, path)| path.as_str()),
        }
    }

    /// Key of the file at this path of the volume.
    pub fn key<'p>(&'p self, path: &'p str) -> Option<&'p str> {
        match &self.items {
            None => Some(path),
            Some(items) => items.iter().find(|(_, to)| to == path).map(|(key, _)| key.as_str()),
        }
    }
}

impl Mount {
    /// True if the container sees the file at a path of the volume.
    pub fn shows(&self, path: &str) -> bool {
        let sub = self.sub_path.trim_matches('/');
        sub.is_empty() || path.strip_prefix(sub).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Path in the volume of the container path `file`; `None` if the mount does not contain it.
    pub fn inside(&self, file: &str) -> Option<String> {
        let rest = file.strip_prefix(self.path.trim_end_matches('/'))?;
        let below = rest.strip_prefix('/');
        if below.is_none() && !rest.is_empty() {
            return None;
        }
        let parts = [self.sub_path.trim_matches('/'), below.unwrap_or_default()];
        Some(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/"))
    }
}

/// True if a volume of the pod spec has a token of a service account.
pub(super) fn projects_token(spec: NodeRef<'_, '_>) -> bool {
    let volumes = spec.get("volumes").into_iter().flat_map(NodeRef::items);
    volumes.flat_map(projected).any(|source| source.get("serviceAccountToken").is_some())
}

/// The sources of a projected volume.
fn projected<'n, 't>(volume: NodeRef<'n, 't>) -> impl Iterator<Item = NodeRef<'n, 't>> {
    volume.get("projected").and_then(|projected| projected.get("sources")).into_iter().flat_map(NodeRef::items)
}

/// The containers of a pod spec, init containers included.
fn containers<'n, 't>(spec: NodeRef<'n, 't>) -> impl Iterator<Item = NodeRef<'n, 't>> {
    ["containers", "initContainers"].into_iter().filter_map(move |list| spec.get(list)).flat_map(NodeRef::items)
}

/// Sources of a container's variables.
fn value_from_nodes<'n, 't>(container: NodeRef<'n, 't>) -> impl Iterator<Item = NodeRef<'n, 't>> {
    let env = container.get("env").into_iter().flat_map(NodeRef::items);
    env.filter_map(|var| var.get("valueFrom"))
}

/// The volumes of a pod spec with ConfigMaps.
pub(in crate::model) fn volumes(spec: NodeRef<'_, '_>) -> Vec<Volume> {
    let volumes = spec.get("volumes").into_iter().flat_map(NodeRef::items).map(|volume| {
        let direct = volume.get("configMap");
        let projected = projected(volume).filter_map(|source| source.get("configMap"));
        let sources = direct.into_iter().chain(projected).map(VolumeSource::read);
        Volume { name: text(volume, "name"), config_maps: sources.collect() }
    });
    volumes.filter(|volume| !volume.config_maps.is_empty()).collect()
}

/// The mounts of a container.
pub(in crate::model) fn mounts(container: NodeRef<'_, '_>) -> Vec<Mount> {
    let mounts = container.get("volumeMounts").into_iter().flat_map(NodeRef::items);
    let mount =
        |node| Mount { volume: text(node, "name"), path: text(node, "mountPath"), sub_path: text(node, "subPath") };
    mounts.map(mount).collect()
}

/// The ConfigMaps of a container's `envFrom`.
pub(in crate::model) fn env_sources(container: NodeRef<'_, '_>) -> Vec<EnvSource> {
    let sources = container.get("envFrom").into_iter().flat_map(NodeRef::items);
    let source = |node: NodeRef<'_, '_>| {
        Some(EnvSource { prefix: text(node, "prefix"), config_map: text(node.get("configMapRef")?, "name") })
    };
    sources.filter_map(source).collect()
}

/// All ConfigMaps that the pods of a spec read, init containers included.
pub(crate) fn config_maps(spec: NodeRef<'_, '_>) -> Vec<ConfigDataReference> {
    config_maps_of(spec, containers(spec))
}

/// All ConfigMaps in the volumes of a pod and the variables of these containers.
pub(crate) fn config_maps_of<'n, 't>(
    spec: NodeRef<'n, 't>,
    containers: impl Iterator<Item = NodeRef<'n, 't>>,
) -> Vec<ConfigDataReference> {
    let containers: Vec<NodeRef<'_, '_>> = containers.collect();
    let mounts: Vec<Mount> = containers.iter().flat_map(|container| mounts(*container)).collect();
    let mut found = Vec::new();
    for volume in volumes(spec) {
        let own = || mounts.iter().filter(|mount| mount.volume == volume.name);
        // If all mounts of the volume have a `subPath`, the container sees only these files.
        let is_in_part = own().next().is_some() && own().all(|mount| !mount.sub_path.trim_matches('/').is_empty());
        for source in volume.config_maps {
            let name = source.config_map;
            let files = match source.items {
                Some(items) => items,
                None if is_in_part => own().map(|mount| (mount.sub_path.clone(), mount.sub_path.clone())).collect(),
                None => {
                    found.push(ConfigDataReference { name, key: None });
                    continue;
                }
            };
            let is_shown = |path: &str| !is_in_part || own().any(|mount| mount.shows(path));
            let keys = files.into_iter().filter(|(_, path)| is_shown(path));
            found.extend(keys.map(|(key, _)| ConfigDataReference { name: name.clone(), key: Some(key) }));
        }
    }
    for container in containers {
        found.extend(env_sources(container).into_iter().map(|s| ConfigDataReference { name: s.config_map, key: None }));
        let keys = value_from_nodes(container).filter_map(|from| from.get("configMapKeyRef"));
        found.extend(keys.map(|from| ConfigDataReference { name: text(from, "name"), key: Some(text(from, "key")) }));
    }
    // Sorted without duplicates, for binary search.
    found.sort();
    found.dedup();
    without_spare(found)
}

/// All Secrets that the pods of a spec read, init containers included.
pub(in crate::model) fn secrets(spec: NodeRef<'_, '_>) -> Vec<ConfigDataReference> {
    let mut found = Vec::new();
    let mut add = |node: Option<NodeRef<'_, '_>>, name: &str| {
        let Some(node) = node else { return };
        let name = text(node, name);
        match node.get("items").filter(|items| items.is_sequence()) {
            Some(items) => {
                let key = |item| ConfigDataReference { name: name.clone(), key: Some(text(item, "key")) };
                found.extend(items.items().map(key));
            }
            None => found
                .push(ConfigDataReference { name, key: node.get("key").and_then(NodeRef::text).map(str::to_owned) }),
        }
    };
    for volume in spec.get("volumes").into_iter().flat_map(NodeRef::items) {
        add(volume.get("secret"), "secretName");
        for source in projected(volume) {
            add(source.get("secret"), "name");
        }
    }
    for container in containers(spec) {
        for source in container.get("envFrom").into_iter().flat_map(NodeRef::items) {
            add(source.get("secretRef"), "name");
        }
        for from in value_from_nodes(container) {
            add(from.get("secretKeyRef"), "name");
        }
    }
    without_spare(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_contains_the_files_below_its_path() {
        let inside = |path: &str, sub_path: &str, file: &str| {
            Mount { volume: "v".to_owned(), path: path.to_owned(), sub_path: sub_path.to_owned() }.inside(file)
        };
        assert_eq!(inside("/etc/app", "", "/etc/app/x.yaml").as_deref(), Some("x.yaml"));
        assert_eq!(inside("/etc/app/", "", "/etc/app/d/x.yaml").as_deref(), Some("d/x.yaml"));
        assert_eq!(inside("/etc/app", "dir/", "/etc/app/x.yaml").as_deref(), Some("dir/x.yaml"));
        assert_eq!(inside("/etc/app.yaml", "x.yaml", "/etc/app.yaml").as_deref(), Some("x.yaml"));
        assert_eq!(inside("/", "", "/x.yaml").as_deref(), Some("x.yaml"));
        assert_eq!(inside("/etc/app", "", "/etc/apps/x.yaml"), None);
        assert_eq!(inside("/etc/app", "", "/etc/x.yaml"), None);
    }

    #[test]
    fn a_key_is_read_alone_or_with_all_others() {
        let used =
            |name: &str, key: Option<&str>| ConfigDataReference { name: name.to_owned(), key: key.map(str::to_owned) };
        let mut all =
            vec![used("b", Some("x")), used("b", Some("z")), used("c", None), used("c", Some("y")), used("a", None)];
        all.sort();
        for (name, key) in ["a", "b", "c", "d", ""].iter().flat_map(|name| ["x", "y", "z"].map(|key| (name, key))) {
            assert_eq!(
                ConfigDataReference::any_has_key(&all, name, key),
                all.iter().any(|one| one.has(name, key)),
                "{name} {key}"
            );
        }
    }

    #[test]
    fn items_map_keys_to_files() {
        let items = vec![("a".to_owned(), "x.yaml".to_owned()), ("b".to_owned(), "d/y.yaml".to_owned())];
        let some = VolumeSource { config_map: "web".to_owned(), items: Some(items) };
        assert_eq!((some.key("x.yaml"), some.key("d/y.yaml"), some.key("a")), (Some("a"), Some("b"), None));
        let all = VolumeSource { config_map: "web".to_owned(), items: None };
        assert_eq!(all.key("x.yaml"), Some("x.yaml"));
    }
}
