//! Checks the containers of Crossplane packages, as set by runtime configs and ControllerConfigs.

use super::api_client::ApiAccess;
use super::container::{Container, effective};
use super::destinations;
use super::input::CheckInput;
use super::row::RouteRow;
use crate::catalog::PackageKind;
use crate::crossplane::chosen_runtime_config;
use crate::model::facts::Package;
use crate::model::facts::package::CONTAINER;
use crate::model::{Meta, ObjectId};
use crate::proxy::required::Role;
use crate::proxy::runtime_containers::containers;
use crate::proxy::variables::Variables;
use lossless_yaml::Value;

/// Adds rows for all destinations of a package's containers.
pub(super) fn rows(input: &CheckInput<'_>, (id, meta, package): (ObjectId, &Meta, &Package), rows: &mut Vec<RouteRow>) {
    let containers = match input.facts.package(id) {
        Some(written) => written.to_vec(),
        None => read(input, package),
    };
    let namespace = input.crossplane.namespace.as_deref();
    for (name, variables) in containers {
        let is_own = name == CONTAINER;
        let subject = if is_own { meta.to_string() } else { format!("{meta}, container {name}") };
        let role = if is_own && package.kind == PackageKind::Provider { Role::Provider } else { Role::Other };
        let effective = effective(input, namespace, &variables, role);
        // Crossplane gives the service account of a Function no rights.
        let api = if package.kind == PackageKind::Function { ApiAccess::Never } else { ApiAccess::Certain };
        rows.extend(destinations::rows(input, &Container::new(id, subject, role, &effective).with_api(api)));
    }
}

/// Containers of a package as written in its runtime config or ControllerConfig, with their variables.
fn read(input: &CheckInput<'_>, package: &Package) -> Vec<(String, Variables)> {
    let (model, core) = (input.model, &input.crossplane.core);
    let old = package.controller_config.as_deref().filter(|_| !core.lacks_controller_configs());
    if let Some((_, config)) = old.and_then(|name| model.controller_config(name)) {
        let spec = config.object.get("spec");
        return spec.map(|spec| (CONTAINER.to_owned(), variables_of(spec))).into_iter().collect();
    }
    let configs = model.runtime_configs_named(chosen_runtime_config(model, core, package).name);
    let containers = configs.flat_map(|(_, value)| containers(value));
    containers.map(|(_, name, container)| (name, variables_of(container))).collect()
}

fn variables_of(container: &Value) -> Variables {
    Variables::parse(container.get("env"), container.get("envFrom"))
}
