//! Variables of Crossplane's core from ConfigMaps and Secrets: in `envFrom`, and by a reference to a key.

use crate::crossplane::REGISTRY;
use crate::model::Meta;
use lossless_yaml::{NodeRef, Value};

/// The variable with the path of the file with certificates.
pub(super) const VARIABLE: &str = "CA_BUNDLE_PATH";

/// Maximum length of a value under any key that is kept: a registry is a host name, perhaps with a path.
const MAX_VALUE: usize = 253;

/// A reference to a key of a ConfigMap, in `valueFrom` of a variable.
#[derive(Debug, Clone)]
pub(super) struct KeyRef {
    name: String,
    key: String,
}

impl KeyRef {
    /// Reads a variable.
    pub(super) fn read(variable: NodeRef<'_, '_>) -> Option<Self> {
        let reference = variable.get("valueFrom")?.get("configMapKeyRef")?;
        let text = |field: &str| Some(reference.get(field)?.non_null_text()?.to_owned());
        Some(Self { name: text("name")?, key: text("key")? })
    }

    /// The value in the input; `None` for a value that is not read.
    pub(super) fn resolve(&self, all: &[EnvData], namespace: Option<&str>) -> Option<String> {
        let data = all.iter().find(|data| data.is_read_as("ConfigMap", &self.name, namespace))?;
        match data.keys.iter().rev().find(|(key, _)| *key == self.key)? {
            (_, Value::Str(value)) => Some(value.clone()),
            _ => None,
        }
    }
}

/// A source in `envFrom` of a container.
#[derive(Debug, Clone)]
pub(super) struct EnvFrom {
    /// `ConfigMap` or `Secret`.
    kind: &'static str,
    name: String,
    prefix: String,
}

/// A ConfigMap or Secret of the input, with the keys that can become the variable.
#[derive(Debug, Clone)]
pub(super) struct EnvData {
    kind: &'static str,
    name: String,
    namespace: Option<String>,
    /// Keys with short values, and keys that match the end of a variable's name, since `envFrom` adds a prefix; null for
    /// a value that is not read.
    keys: Vec<(String, Value)>,
}

/// The variable that `envFrom` sets, or may set.
pub(super) enum EnvFromValue<'e> {
    /// No source sets it.
    Unset,
    /// A source that is not in the input may set it.
    Unknown(&'e EnvFrom),
    /// The key, its source and the value; null for a value that is not read.
    Set(&'e str, &'e EnvFrom, &'e Value),
}

impl std::fmt::Display for EnvFrom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// Reads `envFrom` of a container.
pub(super) fn sources(container: Option<NodeRef<'_, '_>>) -> Vec<EnvFrom> {
    let items = container.and_then(|container| container.get("envFrom")).into_iter().flat_map(NodeRef::items);
    let source = |item: NodeRef<'_, '_>| {
        let of_kind = |(field, kind)| Some((kind, item.get(field)?.get("name")?.non_null_text()?.to_owned()));
        let (kind, name) = [("configMapRef", "ConfigMap"), ("secretRef", "Secret")].into_iter().find_map(of_kind)?;
        let prefix = item.get("prefix").and_then(NodeRef::non_null_text).unwrap_or_default().to_owned();
        Some(EnvFrom { kind, name, prefix })
    };
    items.filter_map(source).collect()
}

/// Reads a ConfigMap or Secret.
pub(super) fn data(meta: &Meta, node: NodeRef<'_, '_>) -> Option<EnvData> {
    let (kind, fields) = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        ("", "ConfigMap") => ("ConfigMap", ["data", "binaryData"]),
        ("", "Secret") => ("Secret", ["data", "stringData"]),
        _ => return None,
    };
    let mut keys = Vec::new();
    for field in fields {
        for (key, value) in node.get(field).into_iter().flat_map(NodeRef::entries) {
            let Some(key) = key.text().filter(|key| !key.is_empty()) else { continue };
            let text = value.text().filter(|_| (kind, field) == ("ConfigMap", "data"));
            let is_end = [VARIABLE, REGISTRY.variable].iter().any(|variable| variable.ends_with(key));
            if is_end || text.is_some_and(|text| text.len() <= MAX_VALUE) {
                keys.push((key.to_owned(), text.map_or(Value::Null, Value::from)));
            }
        }
    }
    Some(EnvData { kind, name: meta.name.clone(), namespace: meta.namespace.clone(), keys })
}

impl EnvData {
    /// True for the object of this name that a pod of the namespace reads.
    fn is_read_as(&self, kind: &str, name: &str, namespace: Option<&str>) -> bool {
        let is_here = self.namespace.is_none() || self.namespace.as_deref() == namespace;
        (self.kind, self.name.as_str()) == (kind, name) && is_here
    }
}

/// Resolves a variable. The last source with the key counts.
///
/// Source: kubernetes/kubernetes@v1.34.2 `pkg/kubelet/kubelet_pods.go`, `makeEnvironmentVariables`.
pub(super) fn resolve_env_from<'e>(
    sources: &'e [EnvFrom],
    all: &'e [EnvData],
    (namespace, variable): (Option<&str>, &str),
) -> EnvFromValue<'e> {
    for source in sources.iter().rev() {
        let Some(key) = variable.strip_prefix(source.prefix.as_str()).filter(|key| !key.is_empty()) else { continue };
        let is_match = |data: &&EnvData| data.is_read_as(source.kind, &source.name, namespace);
        let Some(data) = all.iter().find(is_match) else { return EnvFromValue::Unknown(source) };
        if let Some((key, value)) = data.keys.iter().rev().find(|(known, _)| known == key) {
            return EnvFromValue::Set(key, source, value);
        }
    }
    EnvFromValue::Unset
}
