//! Crossplane's packages: the variables of what Crossplane makes their containers of.

use std::collections::BTreeSet;

use super::edits::env_edits;
use super::required::Role;
use super::variables::Variables;
use super::writer::{Place, Writer};
use crate::api::{MissingRuntimeConfig, Ports, ProxyTarget};
use crate::crossplane::{Runtimes, SelectedPackage, Terms};
use crate::model::facts::Package;
use crate::model::{Facts, Meta, ObjectId};
use crate::rule::{self, Severity};
use crate::yaml::{Path, Value};

/// The first Crossplane that applies packages' Deployments by server side, which takes no name twice.
const APPLIES_BY_SERVER: &str = "v2.4.0";

/// Writes the variables of packages.
pub(super) fn write(writer: &mut Writer<'_>, packages: &[(ObjectId, &ProxyTarget)]) {
    let mut by_runtime = Vec::new();
    let mut done: BTreeSet<ObjectId> = BTreeSet::new();
    for (id, target) in packages {
        let Some(object) = writer.model.object(*id) else { continue };
        let Facts::Package(package) = &object.facts else { continue };
        match package.controller_config.as_deref().filter(|_| !writer.crossplane.core.lacks_controller_configs()) {
            Some(name) => controller_config(writer, packages, (*id, &object.meta, target), name, &mut done),
            None => by_runtime.push((*id, &object.meta, package.as_ref(), *target)),
        }
    }
    let ports = Ports::Keep;
    let strict = by_runtime.len() == 1;
    let matched: Vec<SelectedPackage<'_>> =
        by_runtime.iter().map(|(id, ..)| SelectedPackage { id: *id, ports: &ports, strict }).collect();
    let crossplane = &writer.spec.crossplane;
    let terms =
        Terms { version: crossplane.version.as_deref(), missing: crossplane.missing_runtime_config, moves: None };
    let runtimes = Runtimes::of(writer.model, &terms, &matched, &mut writer.plan.findings);
    for (id, meta, package, target) in by_runtime {
        let Some(runtime) = runtimes.get(id) else { continue };
        writer.plan.findings.extend(runtime.findings.iter().cloned());
        let name = match runtime.value.lookup(&Path::dotted("metadata.name")) {
            Some(Value::Str(name) | Value::Raw(name)) => name.as_str(),
            _ => "",
        };
        let call = format!("{meta}: DeploymentRuntimeConfig {name}");
        // One that several packages have is written once.
        let mut edits = if done.insert(runtime.document) { runtime.edits.clone() } else { continue };
        let before = edits.len();
        let place =
            Place { object: runtime.document, path: runtime.container.clone(), call, namespace: namespace(writer) };
        let container = runtime.value.lookup(&runtime.container);
        let field = |field: &str| container.and_then(|container| container.get(field));
        let variables = Variables::of(field("env"), field("envFrom"));
        let unique = writer.crossplane.version().has(APPLIES_BY_SERVER) == Some(true);
        let said = writer.plan.findings.len();
        let merged = writer.merged(&place, &variables, target, role(package), unique);
        // What is said of an object that does not exist yet is about the package that it is made for.
        for finding in writer
            .plan
            .findings
            .iter_mut()
            .skip(said)
            .filter(|finding| finding.object >= Some(writer.model.objects().len()))
        {
            finding.object = Some(id);
            finding.path = None;
        }
        env_edits(&place, &variables, merged, &mut edits);
        // A runtime config that would say nothing new is not made.
        if edits.len() > before {
            writer.plan.edits.extend(edits);
        }
    }
    writer.plan.new = runtimes.new;
    drop_unused(writer);
}

/// New objects that nothing is written into are not made, and the ids of those behind them close up.
fn drop_unused(writer: &mut Writer<'_>) {
    let first = writer.model.objects().len();
    let used: BTreeSet<ObjectId> = writer.plan.edits.iter().map(|edit| edit.object).filter(|id| *id >= first).collect();
    let renamed: std::collections::BTreeMap<ObjectId, ObjectId> = used.iter().copied().zip(first..).collect();
    let mut position = first;
    writer.plan.new.retain(|_| {
        position += 1;
        used.contains(&(position - 1))
    });
    for edit in &mut writer.plan.edits {
        if let Some(id) = renamed.get(&edit.object) {
            edit.object = *id;
        }
    }
}

fn role(package: &Package) -> Role {
    match package.kind {
        crate::catalog::PackageKind::Provider => Role::Provider,
        crate::catalog::PackageKind::Function => Role::Other,
    }
}

/// Packages run in the namespace of the core.
fn namespace(writer: &Writer<'_>) -> Option<String> {
    writer.crossplane.namespace.clone()
}

/// A ControllerConfig has variables of its own: they are written there, and it stays what it is.
fn controller_config(
    writer: &mut Writer<'_>,
    packages: &[(ObjectId, &ProxyTarget)],
    (id, meta, target): (ObjectId, &Meta, &ProxyTarget),
    name: &str,
    done: &mut BTreeSet<ObjectId>,
) {
    let Some((config, found)) = writer.model.controller_config(name) else {
        let create = writer.spec.crossplane.missing_runtime_config == MissingRuntimeConfig::CreateNew;
        let severity = if create { Severity::Warning } else { Severity::Error };
        let message = format!(
            "{meta} names ControllerConfig {name}, which is not in the input: it gets no variables. Add it to the input"
        );
        writer.say(severity, rule::CONTROLLER_CONFIG, message, id);
        return;
    };
    let has_it = |package: &Package| package.controller_config.as_deref() == Some(name);
    let others = writer
        .model
        .packages()
        .filter(|(other, _, package)| has_it(package) && !packages.iter().any(|(id, _)| id == other));
    let others: Vec<String> = others.map(|(_, meta, _)| meta.to_string()).collect();
    if !others.is_empty() {
        let message = format!(
            "{meta} stays as it is: {} has ControllerConfig {name} too, and no target selects it. Select it too, or give one of \
             them a ControllerConfig of its own",
            others.join(", ")
        );
        writer.say(Severity::Warning, rule::CONTROLLER_CONFIG, message, id);
        return;
    }
    if !done.insert(config) {
        return;
    }
    let spec = found.object.get("spec");
    let field = |field: &str| spec.and_then(|spec| spec.get(field));
    let variables = Variables::of(field("env"), field("envFrom"));
    let call = format!("ControllerConfig {name}");
    let place = Place { object: config, path: Path::root().key("spec"), call, namespace: namespace(writer) };
    let role =
        writer.model.packages().find(|(other, ..)| *other == id).map_or(Role::Other, |(_, _, package)| role(package));
    let merged = writer.merged(&place, &variables, target, role, false);
    let mut edits = Vec::new();
    env_edits(&place, &variables, merged, &mut edits);
    writer.plan.edits.extend(edits);
}
