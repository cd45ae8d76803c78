//! Position of a new key in a mapping: the field order of Kubernetes' own types.

use lossless_yaml::{KeyPosition, Path, Step, Value};

/// Fields of every object (`meta/v1`), followed by fields of some kinds.
const OBJECT: &[&str] = &["apiVersion", "kind", "metadata", "spec", "data", "stringData", "status"];
/// Fields of `metadata` (`meta/v1`, `ObjectMeta`), in conventional order.
const METADATA: &[&str] = &["name", "generateName", "namespace", "labels", "annotations"];
/// Fields of a pod spec, in conventional order: fields listed before `containers` are written before it.
const POD: &[&str] =
    &["serviceAccountName", "serviceAccount", "hostNetwork", "dnsPolicy", "initContainers", "containers"];
/// Fields of a container (`core/v1` Container) that are added or adjoin added ones.
const CONTAINER: &[&str] = &["name", "image", "command", "args", "workingDir", "ports", "envFrom", "env", "resources"];
/// Fields of a container port; `hostPort` follows `containerPort`, which it repeats.
const CONTAINER_PORT: &[&str] = &["name", "containerPort", "hostPort", "protocol", "hostIP"];
/// Fields of a Service port (`core/v1` ServicePort).
const SERVICE_PORT: &[&str] = &["name", "protocol", "appProtocol", "port", "targetPort", "nodePort"];
/// Fields of a Deployment's spec (`apps/v1`, `DeploymentSpec`).
const DEPLOYMENT: &[&str] = &["replicas", "selector", "strategy", "template"];
/// Fields of a `DeploymentRuntimeConfig`'s spec (`pkg.crossplane.io/v1beta1`).
const RUNTIME_CONFIG: &[&str] = &["deploymentTemplate", "serviceTemplate", "serviceAccountTemplate"];
/// Fields of a package's spec (`pkg.crossplane.io/v1`, `PackageSpec`); the runtime reference follows the package.
const PACKAGE: &[&str] = &[
    "package",
    "runtimeConfigRef",
    "controllerConfigRef",
    "revisionActivationPolicy",
    "revisionHistoryLimit",
    "packagePullSecrets",
    "packagePullPolicy",
    "ignoreCrossplaneConstraints",
    "skipDependencyResolution",
    "commonLabels",
    "commonAnnotations",
];
/// Fields of an object reference.
const REFERENCE: &[&str] = &["apiVersion", "kind", "name"];

/// Returns the neighbours of a key added at `path`.
pub(super) fn key_position(path: &Path) -> KeyPosition {
    let Some(Step::Key(key)) = path.last() else { return KeyPosition::default() };
    let (before, after) = neighbours_of(path, key);
    KeyPosition {
        after: before.iter().rev().map(|&key| key.into()).collect(),
        before: after.iter().map(|&key| key.into()).collect(),
    }
}

/// Returns the index among `entries` for a key added at `path`.
pub(super) fn position(path: &Path, entries: &[(String, Value)]) -> usize {
    let Some(Step::Key(key)) = path.last() else { return entries.len() };
    let (before, after) = neighbours_of(path, key);
    let there = |key: &&str| entries.iter().position(|(known, _)| known == key);
    let after_predecessor = before.iter().rev().find_map(there).map(|found| found + 1);
    after_predecessor.or_else(|| after.iter().find_map(there)).unwrap_or(entries.len())
}

/// Returns the known keys that precede and follow `key`.
fn neighbours_of(path: &Path, key: &str) -> (&'static [&'static str], &'static [&'static str]) {
    let Some(order) = table(path, key) else { return (&[], &[]) };
    let Some(position) = order.iter().position(|known| *known == key) else { return (&[], &[]) };
    let (before, rest) = order.split_at(position);
    (before, rest.split_first().map_or(&[], |(_, after)| after))
}

/// Returns the field order for the mapping that contains `key`. The parent key selects the table; under an unknown
/// parent (a pod template in a custom resource), the only table with `key` is used.
fn table(path: &Path, key: &str) -> Option<&'static [&'static str]> {
    let steps = path.steps();
    let names: Vec<Option<&str>> =
        steps.iter().map(|step| if let Step::Key(key) = step { Some(key.as_ref()) } else { None }).collect();
    let table = match names.as_slice() {
        [_] | [.., Some("template" | "deploymentTemplate" | "serviceTemplate" | "serviceAccountTemplate"), _] => {
            Some(OBJECT)
        }
        [.., Some("metadata"), _] => Some(METADATA),
        [.., Some("containers" | "initContainers"), None, _] => Some(CONTAINER),
        [.., Some("containers" | "initContainers"), None, Some("ports"), None, _] => Some(CONTAINER_PORT),
        [.., Some("ports"), None, _] => Some(SERVICE_PORT),
        [.., Some("deploymentTemplate"), Some("spec"), _] => Some(DEPLOYMENT),
        [.., Some("template"), Some("spec"), _] => Some(POD),
        [.., Some("runtimeConfigRef" | "controllerConfigRef"), _] => Some(REFERENCE),
        _ => None,
    };
    let has = |order: &&'static [&'static str]| order.contains(&key);
    let known = [POD, CONTAINER_PORT, CONTAINER, SERVICE_PORT, RUNTIME_CONFIG, PACKAGE, DEPLOYMENT];
    // `name` occurs in too many tables to select one.
    let only = || known.iter().copied().find(|order| has(order) && key != "name");
    table.filter(has).or_else(only)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(path: &Path) -> Option<String> {
        key_position(path).after.first().map(ToString::to_string)
    }

    #[test]
    fn keys_follow_their_predecessors() {
        let containers = Path::dotted("spec.template.spec.containers").item(0);
        for (path, predecessor) in [
            (Path::dotted("spec.runtimeConfigRef"), Some("package")),
            (Path::dotted("spec.packagePullPolicy"), Some("packagePullSecrets")),
            (Path::dotted("spec.runtimeConfigRef.name"), Some("kind")),
            (Path::dotted("spec.deploymentTemplate.spec"), Some("metadata")),
            (Path::dotted("spec.deploymentTemplate.spec.template"), Some("strategy")),
            (Path::dotted("spec.serviceAccountTemplate"), Some("serviceTemplate")),
            (Path::dotted("metadata.annotations"), Some("labels")),
            (Path::dotted("spec.template.spec.hostNetwork"), Some("serviceAccount")),
            (Path::dotted("spec.podTemplate.hostNetwork"), Some("serviceAccount")),
            (containers.key("ports"), Some("workingDir")),
            (containers.key("ports").item(0).key("hostPort"), Some("containerPort")),
            (Path::dotted("spec.ports").item(0).key("targetPort"), Some("port")),
            (Path::dotted("data.name"), None),
        ] {
            assert_eq!(after(&path).as_deref(), predecessor, "{path}");
        }
    }

    #[test]
    fn keys_of_new_values_are_ordered_too() {
        let at = |path: &str, keys: &[&str]| {
            let entries: Vec<(String, Value)> = keys.iter().map(|key| ((*key).to_owned(), Value::Null)).collect();
            position(&Path::dotted(path), &entries)
        };
        assert_eq!(at("spec.runtimeConfigRef", &["package", "packagePullPolicy"]), 1);
        assert_eq!(at("spec.runtimeConfigRef", &["other", "packagePullPolicy"]), 1);
        assert_eq!(at("spec.template.spec.hostNetwork", &["containers"]), 0);
        assert_eq!(at("spec.unknown", &["package", "other"]), 2);
    }
}
