//! Ports that are filled in later (`${PORT}`): reports the decisions that depend on their numbers.

use std::collections::BTreeMap;

use super::assignments::Assignments;
use super::workload::Workload;
use crate::api::{HostNetworkConfig, Ports};
use crate::model::Model;
use crate::model::listener::{Declared, Role, declared};
use crate::model::reference::{AllPods, Dialled, NumberWithoutListener, Relation, dialled, undecided};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Reports placeholder ports of all selected workloads.
pub(super) fn report_placeholders(
    all: &AllPods<'_>,
    config: &HostNetworkConfig,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
    findings: &mut Vec<Finding>,
) {
    let mut seen: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for workload in workloads {
        for port in declared(workload.template) {
            findings.push(kept_port_finding(config, workload, &port));
            let label = port_name(workload, &port);
            if let Some(other) = seen.insert((port.text, port.protocol), label.clone()) {
                findings.push(shared_placeholder_finding(workload, &port, &other, &label));
            }
        }
        findings.extend(duplicate_warnings(workload, assignments));
        findings
            .extend(undecided(workload.pods()).iter().map(|found| possible_reference_finding(config, workload, found)));
        let moved = moving_listeners(workload, assignments);
        let fields = all.fields_of(workload.id, workload.meta, workload.template);
        for port in dialled(workload.pods(), &fields) {
            findings.extend(unknown(all.model, workload, &port, &moved));
        }
    }
}

/// `Deployment shop/web, container web, port http`
fn port_name(workload: &Workload<'_>, port: &Declared<'_>) -> String {
    format!("{}, container {}, port {}", workload, port.container.name, port.name())
}

/// Reports a declared port with a placeholder: it stays unchanged, and conflicts of its later number cannot be found.
fn kept_port_finding(config: &HostNetworkConfig, workload: &Workload<'_>, port: &Declared<'_>) -> Finding {
    let auto = is_auto(config, workload);
    let (severity, effect) = match auto {
        true => (Severity::Warning, "`auto` does not move it"),
        false => (Severity::Info, "it stays"),
    };
    let message = format!(
        "{}: containerPort is `{}`, which is filled in later: {effect}, and hostnet cannot check that its number is free on the node. Fill \
         in a number that nothing else on the node uses{}",
        port_name(workload, port),
        port.text,
        if auto { ", or write a number for `auto` to move" } else { "" }
    );
    port_finding(workload, port, severity, message)
}

/// Reports two ports with the same placeholder: both get the same number, unless it is filled in with two values.
fn shared_placeholder_finding(workload: &Workload<'_>, port: &Declared<'_>, other: &str, label: &str) -> Finding {
    let message = format!(
        "{other} and {label} both use port `{}` of their node: the second one could not start, unless the placeholder gets two values",
        port.text
    );
    port_finding(workload, port, Severity::Warning, message)
}

/// Warnings about undeclared listeners whose number may be the number of a port with a placeholder in the same
/// container.
fn duplicate_warnings(workload: &Workload<'_>, assignments: &Assignments) -> Vec<Finding> {
    let mut found = Vec::new();
    for (position, listener) in
        workload.listeners.iter().enumerate().filter(|(_, listener)| listener.declared.is_none())
    {
        let Some(container) = workload.container(listener) else { continue };
        let may_be = |port: &Declared<'_>| {
            container.path == port.container.path
                && listener.protocol == port.protocol
                && Role::from_name(port.name()).is_none_or(|role| role == listener.role)
        };
        let Some(number) = assignments.final_number(workload, position) else { continue };
        found.extend(declared(workload.template).filter(may_be).map(|port| {
            let message = format!(
                "{}: is declared as {number}, next to {} (`{}`), which is filled in later: if both are the same port, \
                 it is declared twice. Write the number there, or fill in another number",
                workload.display_name(listener),
                port.name(),
                port.text
            );
            port_finding(workload, &port, Severity::Warning, message)
        }));
    }
    found
}

/// Reports a number that may be the number of a port with a placeholder; like the port, it stays unchanged.
fn possible_reference_finding(
    config: &HostNetworkConfig,
    workload: &Workload<'_>,
    found: &NumberWithoutListener<'_>,
) -> Finding {
    let NumberWithoutListener { port, path, number } = found;
    let severity = if is_auto(config, workload) { Severity::Warning } else { Severity::Info };
    let message = format!(
        "{}: its number is filled in later, and may be the {number} at {path}, which is therefore not changed. Write \
         the number as containerPort",
        port_name(workload, port)
    );
    let finding =
        Finding::new(severity, rule::PORT_PLACEHOLDER, message).on_object(workload.id.object).at(path.clone());
    Finding { current: Some((*number).into()), ..finding }
}

/// True if the target of the workload has `ports: auto`.
fn is_auto(config: &HostNetworkConfig, workload: &Workload<'_>) -> bool {
    let target = config.host_network.spec.targets.get(workload.target);
    target.is_some_and(|target| target.ports == Ports::Auto)
}

/// Creates a finding about a declared port whose number is a placeholder.
fn port_finding(workload: &Workload<'_>, port: &Declared<'_>, severity: Severity, message: String) -> Finding {
    let path = port.container.port_path(port.index).key("containerPort");
    let finding = Finding::new(severity, rule::PORT_PLACEHOLDER, message).on_object(workload.id.object).at(path);
    Finding { current: Some(port.text.into()), ..finding }
}

/// Listeners that move, as `http (8080 -> 20080)`.
fn moving_listeners(workload: &Workload<'_>, assignments: &Assignments) -> Vec<String> {
    let listeners = workload.listeners.iter().enumerate();
    let moved = listeners.filter_map(|(position, listener)| {
        let to = assignments.number(workload, position).filter(|to| *to != listener.number)?;
        Some(format!("{} ({} -> {to})", listener.label, listener.number))
    });
    moved.collect()
}

/// Reports a placeholder that may refer to a listener of the workload.
fn unknown(model: &Model, workload: &Workload<'_>, port: &Dialled, moved: &[String]) -> Option<Finding> {
    let other = model.object(port.object).filter(|_| port.object != workload.id.object);
    let place = other.map(|object| format!(": {}", object.meta)).unwrap_or_default();
    let description = format!("{}{place} at {}: `{}` is filled in later", workload, port.path, port.text);
    let (severity, message) = if moved.is_empty() || port.relation == Relation::Listens {
        let message = format!(
            "{description}: if it is a port that no container declares, it is missing among the host ports. Declare it with the same \
             placeholder"
        );
        (Severity::Info, (port.relation != Relation::Elsewhere).then_some(message)?)
    } else {
        let message = format!(
            "{description}, and may mean a port that moves: {}. If so, fill in the new number, or write the port's name where the \
             field takes one",
            moved.join(", ")
        );
        (Severity::Warning, message)
    };
    let finding = Finding::new(severity, rule::PORT_PLACEHOLDER, message).on_object(port.object).at(port.path.clone());
    Some(Finding { current: Some(port.text.as_str().into()), ..finding })
}
