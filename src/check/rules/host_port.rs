//! Host ports of pods on the host network that differ from their container ports, or that are not written.

use crate::catalog;
use crate::judge::openkruise::{Refuses, refuses, words};
use crate::model::pod::{ContainerPort, Role};
use crate::rule::{HOST_PORT, Severity};

use super::{Finding, Situation};
use crate::check::Workload;

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in situation.on_host() {
        let mut absent = Vec::new();
        for (_, container) in workload.template.running() {
            for (index, port) in container.ports.iter().flatten().enumerate() {
                let path = container.port_path(index).key("hostPort");
                match (port.number(), port.host_number()) {
                    (Some(number), Some(host)) if number != host => {
                        let (severity, why) = match container.role {
                            Role::Sidecar => (
                                Severity::Warning,
                                "nobody validates the ports of init containers, and on the host network the mapping has no effect"
                                    .to_owned(),
                            ),
                            _ => (Severity::Error, refusal(situation, workload, &path.to_string(), number, host)),
                        };
                        let message = format!(
                            "{}, container {}: hostPort is {host} and containerPort {number}; {why}. Write `hostPort: {number}`",
                            workload.meta, container.name
                        );
                        findings
                            .push(Finding::new(severity, HOST_PORT, message).on(workload.id).at(path).of_port(number));
                    }
                    (Some(number), None) if container.role == Role::Regular && is_absent(port) => {
                        absent.push((path, number));
                    }
                    _ => {}
                }
            }
        }
        findings.extend(not_written(situation, workload, &absent));
    }
    findings
}

/// Absent, null and 0 are the same to the API server.
fn is_absent(port: &ContainerPort) -> bool {
    port.host_port.as_ref().is_none_or(|written| written.is_null() || *written.text == *"0")
}

/// Who refuses a host port that differs, and in which words.
fn refusal(situation: &Situation<'_>, workload: &Workload<'_>, path: &str, number: u16, host: u16) -> String {
    let now = format!("\"{path}: Invalid value: {host}: must match `containerPort` when `hostNetwork` is true\"");
    let before = "the same of `containerPort`, which \"must match `hostPort`\"";
    let words = match situation.versions.kubernetes.has("v1.28.0") {
        Some(true) => now,
        Some(false) => format!(
            "\"{}: Invalid value: {number}: must match `hostPort` when `hostNetwork` is true\"",
            path.replace(".hostPort", ".containerPort")
        ),
        None => format!("{now} (up to v1.27 it says {before})"),
    };
    let gvk = &workload.meta.gvk;
    let who = match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("apps", "StatefulSet") => match situation.versions.kubernetes.has("v1.34.0") {
            Some(true) => "the API server refuses it",
            Some(false) => "the API server accepts the StatefulSet, and refuses each of its Pods",
            None => "the API server refuses it from v1.34 on; before, it refuses each of its Pods",
        },
        ("" | "apps" | "batch", _) => "the API server refuses it",
        _ => "the API server refuses each of its Pods",
    };
    format!("{who}: {words}")
}

/// What is said of ports without a host port, once a workload: a webhook may refuse it; Kubernetes fills it in, in Pods only.
fn not_written(
    situation: &Situation<'_>,
    workload: &Workload<'_>,
    absent: &[(crate::yaml::Path, u16)],
) -> Option<Finding> {
    let (path, _) = absent.first()?;
    let numbers: Vec<String> = absent.iter().map(|(_, number)| number.to_string()).collect();
    let gvk = &workload.meta.gvk;
    let row = catalog::admission().iter().find(|row| row.group == gvk.group && row.kind == gvk.kind);
    let finding = |severity, message: String| {
        let ports = absent.iter().map(|(_, number)| *number).collect();
        Some(Finding { ports, ..Finding::new(severity, HOST_PORT, message).on(workload.id).at(path.clone()) })
    };
    let list = numbers.join(", ");
    if let Some(row) = row {
        let version = &situation.versions.openkruise;
        let words = words(version, row, &path.to_string());
        let refused = format!("{}: no hostPort for {list}; {words}", workload.meta);
        match refuses(version, row) {
            Refuses::Yes => return finding(Severity::Error, format!("{refused}. Write it out")),
            Refuses::Maybe => {
                let message = format!(
                    "{refused}. Which version you have is not known: write it out, or give `versions: {{openkruise: v1.9.0}}` in the config"
                );
                return finding(Severity::Warning, message);
            }
            Refuses::No => {}
        }
    }
    if workload.meta.is_pod() || situation.versions.kubernetes.has("v1.28.0") == Some(false) {
        return None;
    }
    let message = format!(
        "{}: no hostPort for {list}: since Kubernetes v1.28 it is filled in in Pods only, so the template does not show which ports of \
         the node it takes. Write it out",
        workload.meta
    );
    finding(Severity::Info, message)
}
