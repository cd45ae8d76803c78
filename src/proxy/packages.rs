//! Writes proxy variables for Crossplane packages, into their runtime configs and ControllerConfigs.

use std::collections::{BTreeMap, BTreeSet};

use super::controller_config;
use super::edits::env_edits;
use super::package_place::{WithTarget, namespace, role};
use super::planned_state::changed;
use super::required::Role;
use super::runtime_containers::containers;
use super::variables::Variables;
use super::writer::{ContainerPlace, Writer};
use crate::api::{Ports, ProxyTarget};
use crate::crossplane::{Runtime, Runtimes, SelectedPackage, Terms};
use crate::model::ObjectId;
use crate::model::facts::package::CONTAINER;
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Value};

/// The first version of Crossplane that uses server-side apply for package Deployments; server-side apply rejects
/// duplicate names.
const APPLIES_BY_SERVER: &str = "v2.4.0";

/// Writes proxy variables for the selected packages.
pub(super) fn write(writer: &mut Writer<'_>, packages: &[(ObjectId, &ProxyTarget)]) {
    let model = writer.model;
    let mut by_runtime: Vec<WithTarget<'_, '_>> = Vec::new();
    let mut by_controller: BTreeMap<&str, Vec<WithTarget<'_, '_>>> = BTreeMap::new();
    let are_ignored = writer.crossplane.core.lacks_controller_configs();
    for (id, target) in packages {
        let Some(object) = model.object(*id) else { continue };
        let Some(package) = object.package() else { continue };
        let selected = (*id, &object.meta, package, *target);
        if let Some(by) = writer.crossplane.external_package_controller(package.kind) {
            let message = format!("{} gets no variables: {by} leaves its pods to another controller", object.meta);
            writer.add_finding(Severity::Warning, rule::RUNTIME_CONFIG, message, *id);
            continue;
        }
        if let Some(name) = package.controller_config.as_deref() {
            by_controller.entry(name).or_default().push(selected);
        }
        if are_ignored || package.controller_config.is_none() {
            by_runtime.push(selected);
        }
    }
    let users = if by_controller.is_empty() { BTreeMap::new() } else { controller_config::packages_by_config(model) };
    let users_of = |name: &str| users.get(name).map_or(&[][..], Vec::as_slice);
    for (name, selected) in by_controller.iter().filter(|_| !are_ignored) {
        controller_config::write(writer, name, users_of(name), selected);
    }
    let ports = Ports::Keep;
    let strict = by_runtime.len() == 1;
    let matched: Vec<SelectedPackage<'_>> = by_runtime
        .iter()
        .map(|(id, ..)| SelectedPackage { id: *id, ports: &ports, strict, only_functions: false })
        .collect();
    let crossplane = &writer.spec.crossplane;
    let terms =
        Terms { version: crossplane.version.as_deref(), missing: crossplane.missing_runtime_config, moves: None };
    let runtimes = Runtimes::build(model, &terms, &matched, &mut writer.plan.findings);
    // A runtime config that several packages share is written once.
    let mut documents: Vec<(&Runtime, Vec<WithTarget<'_, '_>>)> = Vec::new();
    let mut positions: BTreeMap<ObjectId, usize> = BTreeMap::new();
    for selected in by_runtime {
        let Some(runtime) = runtimes.get(selected.0) else { continue };
        writer.plan.findings.extend(runtime.findings.iter().cloned());
        let position = *positions.entry(runtime.document).or_insert(documents.len());
        match documents.get_mut(position) {
            Some((_, packages)) => packages.push(selected),
            None => documents.push((runtime, vec![selected])),
        }
    }
    for (runtime, packages) in documents {
        for runtime in std::iter::once(runtime).chain(&runtime.others) {
            runtime_config(writer, runtime, &packages);
        }
    }
    for (name, selected) in by_controller.iter().filter(|_| are_ignored) {
        controller_config::write_ignored(writer, name, users_of(name), selected);
    }
    writer.plan.new = runtimes.new;
    drop_unused(writer);
}

/// Writes variables into the containers of a runtime config for the packages that use it.
fn runtime_config(writer: &mut Writer<'_>, runtime: &Runtime, packages: &[WithTarget<'_, '_>]) {
    let Some((first, meta, ..)) = packages.first().copied() else { return };
    let name = runtime.value.lookup(&Path::dotted("metadata.name")).and_then(Value::as_text).unwrap_or_default();
    let unique = writer.crossplane.version().has(APPLIES_BY_SERVER) == Some(true);
    let containers = containers(&runtime.value);
    for (id, meta, _, target) in packages {
        writer
            .report_missing_containers(*id, meta, target, |name| containers.iter().any(|(_, known, _)| known == name));
    }
    let mut all = Vec::new();
    for (path, container_name, container) in &containers {
        let wanted: Vec<(&ProxyTarget, Role)> = packages
            .iter()
            .filter(|(.., target)| match target.containers.as_slice() {
                [] => container_name == CONTAINER,
                named => named.contains(container_name),
            })
            .map(|(_, _, package, target)| {
                (*target, if container_name == CONTAINER { role(package) } else { Role::Other })
            })
            .collect();
        if wanted.is_empty() {
            continue;
        }
        let place = ContainerPlace {
            object: runtime.document,
            path: path.clone(),
            package: Some(meta.to_string()),
            name: format!("DeploymentRuntimeConfig {name}"),
            container: Some(container_name.to_owned()).filter(|container_name| container_name != CONTAINER),
            namespace: namespace(writer),
            services: Vec::new(),
        };
        let variables = Variables::parse(container.get("env"), container.get("envFrom"));
        let count = writer.plan.findings.len();
        let merged = writer.merged(&place, &variables, &wanted, unique);
        writer.record_opaque_packages(&merged, packages.iter().map(|(id, ..)| *id));
        // A finding about a new object is reported at the package that the object is created for.
        let new = Some(writer.model.objects().len());
        for finding in writer.plan.findings.iter_mut().skip(count).filter(|finding| finding.object >= new) {
            finding.object = Some(first);
            finding.path = None;
        }
        for (id, ..) in packages {
            let written = changed(&variables, &merged);
            writer.written.packages.entry(*id).or_default().push((container_name.clone(), written));
        }
        all.extend(env_edits(&place, &variables, merged));
    }
    // A runtime config without changes is not created.
    if !all.is_empty() {
        writer.plan.edits.extend(runtime.edits.iter().cloned());
        writer.plan.together.extend(all);
    }
}

/// Drops new objects without edits, and renumbers the objects after them.
fn drop_unused(writer: &mut Writer<'_>) {
    let first = writer.model.objects().len();
    let used: BTreeSet<ObjectId> = writer.plan.all_edits().map(|edit| edit.object).filter(|id| *id >= first).collect();
    let renamed: BTreeMap<ObjectId, ObjectId> = used.iter().copied().zip(first..).collect();
    let mut position = first;
    writer.plan.new.retain(|_| {
        position += 1;
        used.contains(&(position - 1))
    });
    let rename = |object: &mut ObjectId| {
        if let Some(id) = renamed.get(object) {
            *object = *id;
        }
    };
    for edit in &mut writer.plan.edits {
        rename(&mut edit.object);
    }
    for all in &mut writer.plan.together {
        rename(&mut all.object);
        all.edits.iter_mut().for_each(|edit| rename(&mut edit.object));
    }
}
