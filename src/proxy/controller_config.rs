//! Writes proxy variables into a ControllerConfig, without converting it to a runtime config.

use std::collections::{BTreeMap, BTreeSet};

use super::edits::env_edits;
use super::package_place::{namespace, role};
use super::planned_state::changed;
use super::required::Role;
use super::variables::Variables;
use super::writer::{ContainerPlace, Writer};
use crate::api::ProxyTarget;
use crate::model::facts::Package;
use crate::model::facts::package::CONTAINER;
use crate::model::{Meta, Model, ObjectId};
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// Packages of the input, by the name of the ControllerConfig that they reference.
pub(super) fn packages_by_config(model: &Model) -> BTreeMap<&str, Vec<(ObjectId, &Meta)>> {
    let mut users: BTreeMap<&str, Vec<(ObjectId, &Meta)>> = BTreeMap::new();
    for (id, meta, package) in model.packages() {
        if let Some(name) = package.controller_config.as_deref() {
            users.entry(name).or_default().push((id, meta));
        }
    }
    users
}

/// Writes proxy variables into ControllerConfig `name` for `packages`, the selected packages that reference it.
/// Reports instead if one of `users`, all packages that reference it, is not selected.
pub(super) fn write(
    writer: &mut Writer<'_>,
    name: &str,
    users: &[(ObjectId, &Meta)],
    packages: &[(ObjectId, &Meta, &Package, &ProxyTarget)],
) {
    let Some((config, found)) = writer.model.controller_config(name) else {
        let create = writer.spec.crossplane.missing_runtime_config.creates();
        let severity = if create { Severity::Warning } else { Severity::Error };
        for (id, meta, ..) in packages {
            let message = format!(
                "{meta} names ControllerConfig {name}, which is not in the input: it gets no variables. Add it to the input"
            );
            writer.add_finding(severity, rule::CONTROLLER_CONFIG, message, *id);
        }
        return;
    };
    let selected: BTreeSet<ObjectId> = packages.iter().map(|(id, ..)| *id).collect();
    let others: Vec<String> =
        users.iter().filter(|(id, _)| !selected.contains(id)).map(|(_, meta)| meta.to_string()).collect();
    if !others.is_empty() {
        for (id, meta, ..) in packages {
            let message = format!(
                "{meta} is not changed: {} has ControllerConfig {name} too, and no target selects it. Select that \
                 object too, or give one of the two its own ControllerConfig",
                others.join(", ")
            );
            writer.add_finding(Severity::Warning, rule::CONTROLLER_CONFIG, message, *id);
        }
        return;
    }
    for (id, meta, _, target) in packages {
        writer.report_missing_containers(*id, meta, target, |name| name == CONTAINER);
    }
    let names_it = |target: &ProxyTarget| {
        target.containers.is_empty() || target.containers.iter().any(|container| container == CONTAINER)
    };
    let wanted = packages.iter().filter(|(.., target)| names_it(target));
    let wanted: Vec<(&ProxyTarget, Role)> = wanted.map(|(_, _, package, target)| (*target, role(package))).collect();
    if wanted.is_empty() {
        return;
    }
    let spec = found.object.get("spec");
    let field = |field: &str| spec.and_then(|spec| spec.get(field));
    let variables = Variables::parse(field("env"), field("envFrom"));
    let place = ContainerPlace {
        object: config,
        path: Path::root().key("spec"),
        package: None,
        name: format!("ControllerConfig {name}"),
        container: None,
        namespace: namespace(writer),
        services: Vec::new(),
    };
    let merged = writer.merged(&place, &variables, &wanted, false);
    writer.record_opaque_packages(&merged, packages.iter().map(|(id, ..)| *id));
    for (id, ..) in packages {
        let written = changed(&variables, &merged);
        writer.written.packages.insert(*id, vec![(CONTAINER.to_owned(), written)]);
    }
    writer.plan.together.extend(env_edits(&place, &variables, merged));
}
