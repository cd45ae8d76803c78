//! The variable `CA_BUNDLE_PATH` of Crossplane's core in `envFrom`: ConfigMaps and Secrets that set it.

use crate::model::Meta;
use lossless_yaml::{NodeRef, Value};

/// The variable with the path of the file with certificates.
pub(super) const VARIABLE: &str = "CA_BUNDLE_PATH";

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
    /// Keys that match the end of the variable's name, since `envFrom` adds a prefix, with their values; null for a
    /// value that is not read.
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
            let Some(key) = key.text().filter(|key| !key.is_empty() && VARIABLE.ends_with(key)) else { continue };
            let text = value.text().filter(|_| (kind, field) == ("ConfigMap", "data"));
            keys.push((key.to_owned(), text.map_or(Value::Null, Value::from)));
        }
    }
    Some(EnvData { kind, name: meta.name.clone(), namespace: meta.namespace.clone(), keys })
}

/// Resolves the variable. The last source with the key counts.
///
/// Source: kubernetes/kubernetes@v1.34.2 `pkg/kubelet/kubelet_pods.go`, `makeEnvironmentVariables`.
pub(super) fn resolve_env_from<'e>(
    sources: &'e [EnvFrom],
    all: &'e [EnvData],
    namespace: Option<&str>,
) -> EnvFromValue<'e> {
    for source in sources.iter().rev() {
        let Some(key) = VARIABLE.strip_prefix(source.prefix.as_str()).filter(|key| !key.is_empty()) else { continue };
        let is_match = |data: &&EnvData| {
            let is_here = data.namespace.is_none() || data.namespace.as_deref() == namespace;
            (data.kind, &data.name) == (source.kind, &source.name) && is_here
        };
        let Some(data) = all.iter().find(is_match) else { return EnvFromValue::Unknown(source) };
        if let Some((key, value)) = data.keys.iter().rev().find(|(known, _)| known == key) {
            return EnvFromValue::Set(key, source, value);
        }
    }
    EnvFromValue::Unset
}
