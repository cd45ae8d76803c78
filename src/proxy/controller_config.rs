//! Writes proxy variables into a ControllerConfig, without converting it to a runtime config.

use std::collections::{BTreeMap, BTreeSet};

use super::edits::env_edits;
use super::merge::Merged;
use super::package_place::{WithTarget, namespace, role};
use super::planned_state::changed;
use super::required::Role;
use super::variables::{Variables, is_proxy_name};
use super::writer::{ContainerPlace, Writer};
use crate::api::ProxyTarget;
use crate::model::facts::ControllerConfig;
use crate::model::facts::package::CONTAINER;
use crate::model::{Meta, Model, ObjectId};
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Value};

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
pub(super) fn write(writer: &mut Writer<'_>, name: &str, users: &[(ObjectId, &Meta)], packages: &[WithTarget<'_, '_>]) {
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
    let others = other_users(users, packages);
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
    let Some((place, variables, merged)) = merged(writer, config, found, packages) else { return };
    writer.record_opaque_packages(&merged, packages.iter().map(|(id, ..)| *id));
    for (id, ..) in packages {
        let written = changed(&variables, &merged);
        writer.written.packages.insert(*id, vec![(CONTAINER.to_owned(), written)]);
    }
    writer.plan.together.extend(env_edits(&place, &variables, merged));
}

/// Merges proxy variables into ControllerConfig `name`, which this version of Crossplane ignores, if it has some: a
/// HostNetwork writes its settings over the settings of the runtime config. A config that a package without a target
/// references is reported instead.
pub(super) fn write_ignored(
    writer: &mut Writer<'_>,
    name: &str,
    users: &[(ObjectId, &Meta)],
    packages: &[WithTarget<'_, '_>],
) {
    let Some((config, found)) = writer.model.controller_config(name) else { return };
    let variables = env(found);
    if !variables.own.iter().any(|variable| is_proxy_name(&variable.name)) {
        return;
    }
    let others = other_users(users, packages);
    if !others.is_empty() {
        for (id, meta, ..) in packages {
            let message = format!(
                "{meta}: {} ignores ControllerConfig {name}, which has other proxy variables. It is not changed, since {} names it \
                 too, and a HostNetwork would write them over the new ones: remove `controllerConfigRef`",
                writer.crossplane.core.display_name(),
                others.join(", ")
            );
            writer.add_finding(Severity::Warning, rule::CONTROLLER_CONFIG, message, *id);
        }
        return;
    }
    let count = writer.plan.findings.len();
    if let Some((place, variables, merged)) = merged(writer, config, found, packages) {
        writer.plan.together.extend(env_edits(&place, &variables, merged));
    }
    // These settings are not in force.
    writer.plan.findings.truncate(count);
}

/// Packages that reference a ControllerConfig and that no target selects.
fn other_users(users: &[(ObjectId, &Meta)], packages: &[WithTarget<'_, '_>]) -> Vec<String> {
    let selected: BTreeSet<ObjectId> = packages.iter().map(|(id, ..)| *id).collect();
    users.iter().filter(|(id, _)| !selected.contains(id)).map(|(_, meta)| meta.to_string()).collect()
}

/// Variables of a ControllerConfig.
fn env(found: &ControllerConfig) -> Variables {
    let spec = found.object.get("spec");
    let field = |field: &str| spec.and_then(|spec| spec.get(field));
    Variables::parse(field("env"), field("envFrom"))
}

/// Merges the variables of the packages into the variables of a ControllerConfig; `None` if no target is about its
/// container.
fn merged(
    writer: &mut Writer<'_>,
    config: ObjectId,
    found: &ControllerConfig,
    packages: &[WithTarget<'_, '_>],
) -> Option<(ContainerPlace, Variables, Merged)> {
    let names_it = |target: &ProxyTarget| {
        target.containers.is_empty() || target.containers.iter().any(|container| container == CONTAINER)
    };
    let wanted = packages.iter().filter(|(.., target)| names_it(target));
    let wanted: Vec<(&ProxyTarget, Role)> = wanted.map(|(_, _, package, target)| (*target, role(package))).collect();
    if wanted.is_empty() {
        return None;
    }
    let variables = env(found);
    let name = found.object.lookup(&Path::dotted("metadata.name")).and_then(Value::as_text).unwrap_or_default();
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
    Some((place, variables, merged))
}
