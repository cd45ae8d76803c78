//! Crossplane's packages, and what their runtime configs say of the host network.

use super::situation::Situation;
use crate::model::facts::{Package, package};
use crate::model::text::ProgramVersion;
use crate::model::{Meta, ObjectId};
use crate::yaml::{Path, Value};

/// A package, with the runtime config that it has in the input.
pub(super) struct Configured<'m> {
    pub(super) id: ObjectId,
    pub(super) meta: &'m Meta,
    pub(super) package: &'m Package,
    /// The name of its runtime config.
    pub(super) name: &'m str,
    pub(super) config: Option<Runtime<'m>>,
}

/// A runtime config.
pub(super) struct Runtime<'m> {
    pub(super) id: ObjectId,
    /// The pod spec of its template, if it has one.
    spec: Option<&'m Value>,
}

/// Where a runtime config has the pod spec.
const SPEC: &str = "spec.deploymentTemplate.spec.template.spec";

impl Runtime<'_> {
    pub(super) fn on_host(&self) -> bool {
        self.spec.and_then(|spec| spec.get("hostNetwork")) == Some(&Value::Bool(true))
    }

    pub(super) fn path(key: &'static str) -> Path {
        Path::dotted(SPEC).key(key)
    }

    /// The declared ports of the package's container: name, number, and whether it has a host port.
    pub(super) fn ports(&self) -> Vec<(String, i64, bool)> {
        let list = |value: Option<&Value>| match value {
            Some(Value::Seq(items)) => items.clone(),
            _ => Vec::new(),
        };
        let containers = list(self.spec.and_then(|spec| spec.get("containers")));
        let own = containers.iter().filter(|c| c.get("name") == Some(&Value::from(package::CONTAINER)));
        let ports = own.flat_map(|container| list(container.get("ports")));
        ports
            .filter_map(|port| {
                let Some(Value::Int(number)) = port.get("containerPort") else { return None };
                let name = if let Some(Value::Str(name)) = port.get("name") { name.clone() } else { String::new() };
                Some((name, *number, matches!(port.get("hostPort"), Some(Value::Int(host)) if *host > 0)))
            })
            .collect()
    }
}

/// The packages of the input, each with the runtime config that it names. Where an ImageConfig chooses runtime configs, a
/// package's own reference may not count, and nothing is known.
pub(super) fn configured<'m>(situation: &Situation<'m>) -> Vec<Configured<'m>> {
    let model = situation.model;
    let version = situation.settings.host_network.and_then(|spec| spec.crossplane.version.as_deref());
    let lacks = version.is_some_and(|version| ProgramVersion::read(version).has(package::IMAGE_CONFIGS) == Some(false));
    let chosen = |package: &Package| {
        let mut configs = model.image_configs();
        !lacks
            && configs.any(|(.., config)| config.runtime_config.is_some() && config.matches(&package.image).is_some())
    };
    let packages = model.packages().filter(|(_, meta, package)| !meta.is_local_config() && !chosen(package));
    packages
        .map(|(id, meta, package)| {
            let name = package.runtime_config.as_deref().unwrap_or(package::DEFAULT);
            let config = model.runtime_config(name);
            let config = config.map(|(id, config)| Runtime { id, spec: config.lookup(&Path::dotted(SPEC)) });
            Configured { id, meta, package, name, config }
        })
        .collect()
}
