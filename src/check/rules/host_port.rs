//! Host ports of pods on the host network that differ from the container port, or that are not written.

use crate::catalog::PackageKind;
use crate::judge::openkruise::{WebhookRefusal, ports_without_host_port, refuses, rejection_message, row};
use crate::model::pod::Role;
use crate::rule::{HOST_PORT, Severity};

use crate::check::{CheckContext, Finding, Workload};

/// Path, in a runtime config of Crossplane, of the Deployment that the API server validates.
const DEPLOYMENT: &str = "spec.deploymentTemplate";

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in context.on_host() {
        for (_, container) in workload.template.running() {
            for (index, port) in container.ports.iter().flatten().enumerate() {
                let path = container.port_path(index).key("hostPort");
                match (port.number(), port.host_number()) {
                    (Some(number), Some(host)) if number != host => {
                        let (severity, why) = match container.role {
                            Role::Sidecar => (
                                Severity::Warning,
                                "the API server does not validate ports of init containers, and on the host network the mapping has no \
                                 effect"
                                    .to_owned(),
                            ),
                            _ => (Severity::Error, refusal(context, workload, &path.to_string(), number, host)),
                        };
                        let message = format!(
                            "{}, container {}: hostPort is {host} and containerPort {number}; {why}. Write `hostPort: {number}`",
                            workload.meta, container.name
                        );
                        let finding = Finding::new(severity, HOST_PORT, message).on_object(workload.object).at(path);
                        let rest = if severity == Severity::Error {
                            "the API server refuses anything else"
                        } else {
                            "another one has no effect"
                        };
                        let fix = format!("make hostPort equal containerPort: on the host network {rest}");
                        let finding = finding.of_port(number).of_port(host);
                        let finding = finding.brief(fix, format!("`hostPort: {number}` (is {host})"));
                        findings.push(finding.about(format!("{}, container {}", workload.meta, container.name)));
                    }
                    _ => {}
                }
            }
        }
        findings.extend(not_written(context, workload));
    }
    findings
}

/// Component that refuses a host port that differs from the container port, with its error message.
fn refusal(context: &CheckContext<'_>, workload: &Workload<'_>, path: &str, number: u16, host: u16) -> String {
    let now = format!("\"{path}: Invalid value: {host}: must match `containerPort` when `hostNetwork` is true\"");
    let before = "the same error for `containerPort`: \"must match `hostPort`\"";
    let error = match context.versions.kubernetes.has("v1.28.0") {
        Some(true) => now,
        Some(false) => format!(
            "\"{}: Invalid value: {number}: must match `hostPort` when `hostNetwork` is true\"",
            path.replace(".hostPort", ".containerPort")
        ),
        None => format!("{now} (up to v1.27 the message is {before})"),
    };
    let gvk = &workload.meta.gvk;
    if PackageKind::from_meta(workload.meta).is_some() {
        let error = error.replace(&format!("{DEPLOYMENT}."), "");
        return format!("the API server refuses the Deployment that Crossplane makes of it: {error}");
    }
    let refusal_text = match (gvk.group.as_str(), gvk.kind.as_str()) {
        ("apps", "StatefulSet") => match context.versions.kubernetes.has("v1.34.0") {
            Some(true) => "the API server refuses it",
            Some(false) => "the API server accepts the StatefulSet, and refuses each of its Pods",
            None => "the API server refuses it from v1.34 on; before, it refuses each of its Pods",
        },
        ("" | "apps" | "batch", _) => "the API server refuses it",
        _ => "the API server refuses each of its Pods",
    };
    format!("{refusal_text}: {error}")
}

/// Reports ports without `hostPort`, once per workload. An OpenKruise webhook may refuse such a workload, and since
/// v1.28 Kubernetes fills in the missing `hostPort` in Pods only.
fn not_written(context: &CheckContext<'_>, workload: &Workload<'_>) -> Option<Finding> {
    let absent = ports_without_host_port(workload.template);
    let (path, _) = absent.first()?;
    let numbers: Vec<String> = absent.iter().map(|(_, number)| number.to_string()).collect();
    let list = numbers.join(", ");
    let finding = |severity, message: String, fix: &str| {
        let ports = absent.iter().map(|(_, number)| *number).collect();
        let finding =
            Finding::new(severity, HOST_PORT, message).on_object(workload.object).at(path.clone()).brief(fix, &list);
        Some(Finding { ports, ..finding })
    };
    let template = workload.template.path.to_string();
    if let Some(row) = row(workload.meta, &template) {
        let version = &context.versions.openkruise;
        let shown = path.to_string().replacen(&template, row.shown, 1);
        let refused = format!("{}: no hostPort for {list}; {}", workload.meta, rejection_message(version, row, &shown));
        match refuses(version, row) {
            WebhookRefusal::Yes => {
                let fix = "write the hostPort of each port: this version of OpenKruise refuses the object without them";
                return finding(Severity::Error, format!("{refused}. Write it out"), fix);
            }
            WebhookRefusal::Maybe => {
                let message = format!(
                    "{refused}. The version is not known: write it out, or give `versions: {{openkruise: v1.9.0}}` in the config"
                );
                let fix = "write the hostPort of each port: some versions of OpenKruise refuse the object without them";
                return finding(Severity::Warning, message, fix);
            }
            WebhookRefusal::No => {}
        }
    }
    if workload.meta.is_pod() || context.versions.kubernetes.has("v1.28.0") == Some(false) {
        return None;
    }
    let message = format!(
        "{}: no hostPort for {list}: since v1.28 Kubernetes fills it in only in Pods, so the template does not show which ports of the node it uses. Write it in the template",
        workload.meta
    );
    finding(
        Severity::Info,
        message,
        "write the hostPort of each port: the template does not show which ports of the node it uses",
    )
}
