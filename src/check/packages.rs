//! Crossplane packages and the host network settings in their runtime configs.

use std::collections::HashMap;

use super::versions::Versions;
use crate::crossplane::runtime_config_among;
use crate::model::facts::{Package, package};
use crate::model::{Meta, Model, ObjectId};
use lossless_yaml::{Path, Value};

/// Package with its runtime config.
pub(super) struct Configured<'m> {
    pub(super) id: ObjectId,
    pub(super) meta: &'m Meta,
    pub(super) package: &'m Package,
    /// Name of the runtime config.
    pub(super) name: &'m str,
    pub(super) config: Option<Runtime<'m>>,
}

impl Configured<'_> {
    /// True if both are the same package. Namespaces are ignored: packages are cluster-scoped.
    pub(super) fn is_same(&self, other: &Configured<'_>) -> bool {
        self.package.kind == other.package.kind && self.meta.name == other.meta.name
    }
}

/// Runtime config of packages.
pub(super) struct Runtime<'m> {
    pub(super) id: ObjectId,
    /// Whole object.
    pub(super) value: &'m Value,
}

impl<'m> Runtime<'m> {
    /// Pod spec of the runtime config; `None` if it is missing.
    fn spec(&self) -> Option<&'m Value> {
        self.value.lookup(&Path::dotted(package::POD_SPEC))
    }

    /// True if the runtime config sets `hostNetwork: true`.
    pub(super) fn on_host(&self) -> bool {
        self.spec().and_then(|spec| spec.get("hostNetwork")) == Some(&Value::Bool(true))
    }

    /// Path of a field of the pod spec.
    pub(super) fn path(key: &'static str) -> Path {
        Path::dotted(package::POD_SPEC).key(key)
    }

    /// Declared ports of the package container: name, number, and true if the port has a host port.
    pub(super) fn ports(&self) -> Vec<(String, i64, bool)> {
        let containers = self.spec().and_then(|spec| spec.get("containers")).into_iter().flat_map(Value::items);
        let own = containers.filter(|c| c.get("name") == Some(&Value::from(package::CONTAINER)));
        let ports = own.filter_map(|container| container.get("ports")).flat_map(Value::items);
        ports
            .filter_map(|port| {
                let Some(Value::Int(number)) = port.get("containerPort") else { return None };
                let name = if let Some(Value::Str(name)) = port.get("name") { name.clone() } else { String::new() };
                Some((name, *number, matches!(port.get("hostPort"), Some(Value::Int(host)) if *host > 0)))
            })
            .collect()
    }
}

/// Packages of the input, sorted by kind and name, with their runtime configs. `are_alternatives` returns true for two
/// objects that are never applied together.
pub(super) fn configured<'m>(
    model: &'m Model,
    versions: &Versions,
    are_alternatives: impl Fn(ObjectId, ObjectId) -> bool,
) -> Vec<Configured<'m>> {
    let has_image_configs = versions.crossplane.has(package::IMAGE_CONFIGS) != Some(false);
    let mut configs: HashMap<&str, Vec<(ObjectId, &Value)>> = HashMap::new();
    for (id, object) in model.objects().iter().enumerate().filter(|(_, object)| !object.meta.is_local_config()) {
        if let Some(config) = object.runtime_config() {
            configs.entry(object.meta.name.as_str()).or_default().push((id, config));
        }
    }
    let packages = model.packages().filter(|(_, meta, _)| !meta.is_local_config());
    let mut all: Vec<Configured<'m>> = packages
        .map(|(id, meta, package)| {
            let applies = |config: ObjectId| has_image_configs && !are_alternatives(config, id);
            let name = runtime_config_among(model, package, applies).name;
            let mut configs = configs.get(name).into_iter().flatten();
            let config = configs.find(|(config, _)| !are_alternatives(*config, id));
            let config = config.map(|(id, value)| Runtime { id: *id, value });
            Configured { id, meta, package, name, config }
        })
        .collect();
    all.sort_by(|a, b| (&a.meta.gvk.kind, &a.meta.name).cmp(&(&b.meta.gvk.kind, &b.meta.name)));
    all
}
