//! Services with a target port that no container of their pods has.

use std::collections::BTreeSet;

use crate::check::listener_evidence::may_be_a_mistake;
use crate::check::{CheckContext, Finding, Workload};
use crate::judge::called_service;
use crate::judge::sidecars::injectors;
use crate::model::facts::{Service, ServicePort};
use crate::model::listener::{EvidenceKind, has_placeholder};
use crate::model::{Meta, ObjectId};
use crate::rule::{SERVICE_TARGET, Severity};
use lossless_yaml::{Path, Step};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (id, meta, service) in context.model.services() {
        findings.extend(missing_ports(context, id, meta, service));
    }
    // Clients of a headless Service dial the container port itself.
    for (id, meta, service) in context.model.services().filter(|(.., service)| !service.headless) {
        let mut workloads: Vec<&Workload<'_>> =
            context.model.selected_by(meta, service).filter_map(|(id, _)| context.workload(id)).collect();
        // A Service of one cluster does not select pods of another cluster.
        workloads.retain(|workload| !context.are_alternatives(id, workload.object));
        workloads.sort_by(|a, b| a.key.cmp(&b.key));
        // A placeholder may become the target port.
        let mut containers = workloads.iter().flat_map(|workload| workload.template.running());
        if workloads.is_empty() || containers.any(|(_, container)| has_placeholder(container)) {
            continue;
        }
        // Rule `document` reports a number that is not a valid port.
        let is_number = |port: &ServicePort| port.target_name().is_some_and(|name| name.parse::<i64>().is_ok());
        for port in service.ports.iter().filter(|port| port.placeholder.is_none() && !is_number(port)) {
            findings.extend(check_port(context, (id, meta, service), port, &workloads));
        }
    }
    findings
}

/// Findings about calls of the API server to ports that a Service does not have.
fn missing_ports(context: &CheckContext<'_>, id: ObjectId, meta: &Meta, service: &Service) -> Vec<Finding> {
    let callers = context.model.calls_with_cause(meta).filter(|(caller, _)| !context.are_alternatives(*caller, id));
    let missing = called_service::missing_ports(meta, service, callers).into_iter();
    let findings = missing.map(|(caller, port, severity, message)| {
        let fix = "call a port that the Service has: every call of the API server fails";
        let finding = Finding::new(severity, SERVICE_TARGET, message).brief(fix, format!("{port} of {meta}"));
        finding.on_object(caller).at(Path::root()).of_port(port)
    });
    findings.collect()
}

/// Finding about a port of a Service that targets no port of its workloads.
fn check_port(
    context: &CheckContext<'_>,
    (id, meta, _): (ObjectId, &Meta, &Service),
    port: &ServicePort,
    workloads: &[&Workload<'_>],
) -> Option<Finding> {
    let mut callers = context.model.calls_with_cause(meta).filter(|(caller, _)| !context.are_alternatives(*caller, id));
    let by = callers.find(|(_, call)| Some(call.port) == port.port).map(|(_, call)| call.by.as_str());
    let pods = without_duplicates(workloads.iter().map(|workload| workload.meta.to_string()));
    let (what, severity) = if let Some(name) = port.target_name() {
        let is_name = |workload: &&Workload<'_>| {
            declares_name(workload, name, &port.protocol) || is_port_injected(context, workload, name, &port.protocol)
        };
        // A patch of the kustomization has a port of this name, so the build has it too. Other code
        // reports that patches are not read.
        if workloads.iter().any(is_name) || context.settings.patched_ports.is_some_and(|ports| ports.contains(name)) {
            return None;
        }
        let severity = if by.is_some() { Severity::Error } else { Severity::Warning };
        (format!("targetPort `{name}` is not the name of a {} port", port.protocol), severity)
    } else {
        let number = port.target_number()?;
        // Report this only on the host network: in the pod network a port need not be declared.
        if !workloads.iter().all(|workload| {
            workload.on_host() && is_missing_from_known_ports(context, workload, number, &port.protocol)
        }) {
            return None;
        }
        (format!("no {} port with the number {number} is known", port.protocol), Severity::Warning)
    };
    let calls = by.map(|by| format!(" The API server calls it because of {by}.")).unwrap_or_default();
    let names = without_duplicates(workloads.iter().flat_map(|workload| names(workload)));
    let names = if names.is_empty() { String::new() } else { format!("; its ports are {}", names.join(", ")) };
    let on_host = if workloads.iter().any(|workload| workload.on_host()) {
        " On the host network another process of the node may listen on that number."
    } else {
        ""
    };
    let (effect, remedy, fix) = if port.target_name().is_some() {
        (
            "Kubernetes accepts this: the endpoints silently lack the port.",
            "Write the name of the port of the container",
            "correct `targetPort`: no container has a port of this name, so it has no target",
        )
    } else {
        (
            on_host.trim_start(),
            "Correct the number, or declare the port in the container that listens on it",
            "correct `targetPort`, or declare the port: nothing but this Service shows that the pods have it",
        )
    };
    let message = format!("{meta}: {what} of {}{names}. {effect}{calls} {remedy}", pods.join(", "));
    let path = if port.target.is_some() { port.path.key("targetPort") } else { port.path.key("port") };
    let finding = Finding::new(severity, SERVICE_TARGET, message).on_object(id).at(path);
    let target = port
        .target_name()
        .map_or_else(|| port.target_number().map(|n| n.to_string()).unwrap_or_default(), |n| format!("`{n}`"));
    let finding = finding.brief(fix, format!("{target}{names}"));
    let other = workloads.first()?;
    let finding = finding.with(other.object, other.template.spec_path());
    Some(port.port.map_or(finding.clone(), |number| finding.of_port(number)))
}

/// Removes duplicates, keeping the first of each text.
fn without_duplicates(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(text.clone())).collect()
}

/// True if a container declares a port with this name and protocol.
fn declares_name(workload: &Workload<'_>, name: &str, protocol: &str) -> bool {
    let mut ports = workload.template.running().flat_map(|(_, container)| container.ports.iter().flatten());
    ports.any(|port| port.name.as_deref() == Some(name) && port.protocol == protocol)
}

/// True if another object of the input adds a port with this name to the pods.
fn is_port_injected(context: &CheckContext<'_>, workload: &Workload<'_>, name: &str, protocol: &str) -> bool {
    injectors(context.model).iter().any(|injector| {
        let mut ports = injector.ports.iter().filter(|(_, _, port_protocol)| port_protocol == protocol);
        let is_match = |path: &Path| matches!(path.last(), Some(Step::Item { name: Some(own), .. }) if **own == *name);
        ports.any(|(path, ..)| is_match(path)) && injector.selects(context.model, workload.pods_view())
    })
}

/// Named ports of a workload, as `NAME (NUMBER)`.
fn names(workload: &Workload<'_>) -> Vec<String> {
    let ports = workload.template.running().flat_map(|(_, container)| container.ports.iter().flatten());
    ports.filter_map(|port| Some(format!("{} ({})", port.name.as_deref()?, port.number()?))).collect()
}

/// True if ports of the workload are known, and no evidence other than Services shows this number.
fn is_missing_from_known_ports(
    context: &CheckContext<'_>,
    workload: &Workload<'_>,
    number: u16,
    protocol: &str,
) -> bool {
    let all = &workload.ports.listeners;
    match all.iter().find(|listener| listener.number == number && listener.protocol == protocol) {
        Some(own) => {
            let is_alone = own.evidence_kinds.has(EvidenceKind::Service) && own.evidence_kinds.len() == 1;
            is_alone && may_be_a_mistake(context, workload, own)
        }
        None => !all.is_empty(),
    }
}
