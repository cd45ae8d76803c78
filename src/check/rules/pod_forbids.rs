//! Fields that the API server refuses together with `hostNetwork: true`.
//!
//! Source: kubernetes v1.37 `pkg/apis/core/validation/validation.go`, and `pkg/features/kube_features.go` for the
//! versions that enable the fields by default: if a feature is disabled, the API server drops its field. Sysctls: v1.29
//! and `pkg/kubelet/sysctl/allowlist.go`.

use crate::catalog::{MarkPlace, RefusingMark};
use crate::judge::pod_network::{
    NetworkDevice, RefusedMark, namespace_annotation_warnings, network_devices, plugin_annotations, refused,
    virtual_machine,
};
use crate::judge::windows;
use crate::model::pod::{Forbidding, ForbiddingField};
use crate::rule::{POD_FORBIDS, Severity};

use crate::check::{CheckContext, Finding, Workload};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let version = &context.versions.kubernetes;
    let mut findings = Vec::new();
    for workload in context.on_host() {
        if windows::stays_in_pod_network(workload.template) {
            let message = format!(
                "{}: hostNetwork is true, and its pods run on Windows nodes: {}, so they stay in the pod network, but \
                 the scheduler still reserves their ports on the node. Remove `hostNetwork`, or make it a HostProcess \
                 pod",
                workload.meta,
                windows::WINDOWS_POD_NETWORK_REASON
            );
            let finding = Finding::new(Severity::Warning, POD_FORBIDS, message);
            let finding = finding.on_object(workload.object).at(workload.template.spec_path().key("hostNetwork"));
            findings.push(finding.brief("remove `hostNetwork`: on Windows nodes it is only for HostProcess pods", ""));
        }
        for waiting in workload.template.redirects.iter().filter(|redirect| redirect.waits) {
            let message = format!(
                "{}: hostNetwork is true, and container {} waits until the traffic of its pod is redirected ({}): on \
                 the host network no CNI plugin redirects this traffic, so the pod never starts. Remove the container \
                 or `hostNetwork`",
                workload.meta, waiting.container, waiting.shown
            );
            let finding = Finding::new(Severity::Warning, POD_FORBIDS, message)
                .on_object(workload.object)
                .at(waiting.path.clone());
            let fix = "remove this container or `hostNetwork`: it waits until a CNI plugin redirects traffic, which no \
                       plugin does on the host network";
            findings.push(finding.brief(fix, waiting.container.clone()));
        }
        findings.extend(
            virtual_machine(context.model, workload.meta, workload.template)
                .map(|finding| finding.on_object(workload.object)),
        );
        for (key, gives) in plugin_annotations(workload.template) {
            let message = format!(
                "{}: hostNetwork is true, and the annotation `{key}` requests {gives} from a network plugin, but the \
                 kubelet calls no network plugin for pods on the host network. Remove the annotation or `hostNetwork`",
                workload.meta
            );
            let path = workload.template.path.key("metadata").key("annotations").key(key);
            let finding = Finding::new(Severity::Warning, POD_FORBIDS, message).on_object(workload.object).at(path);
            let fix = "remove this annotation or `hostNetwork`: no plugin is called for pods on the host network";
            findings.push(finding.brief(fix, key));
        }
        let of_namespace = namespace_annotation_warnings(context.model, workload.pods_view()).into_iter();
        findings.extend(of_namespace.map(|finding| finding.on_object(workload.object)));
        // Programs of the nodes, such as the metadata server of GKE, select nodes by the same labels.
        let counts = |found: &RefusedMark| !found.mark.starts || found.mark.at != MarkPlace::NodeLabel;
        for found in refused(context.model, workload.pods_view()).into_iter().filter(counts) {
            let RefusedMark { mark, path, other, has } = found;
            let (key, RefusingMark { why, starts, .. }) = (mark.shown(), mark);
            let message = format!(
                "{}: hostNetwork is true, {has} `{key}`, and {why}. Remove this setting or `hostNetwork`",
                workload.meta
            );
            let (severity, fix) = match starts {
                true => (Severity::Warning, "remove this or `hostNetwork`: it has no effect on the host network"),
                false => (Severity::Error, "remove this or `hostNetwork`: Pods with both never start"),
            };
            let finding = Finding::new(severity, POD_FORBIDS, message).on_object(workload.object).at(path);
            findings.push(Finding { other, ..finding.brief(fix, key) });
        }
        findings.extend(device_findings(context, workload));
        for Forbidding { field, path, value } in &workload.template.forbidding {
            let (since, words) = match field {
                ForbiddingField::HostUsers => match version.has("v1.34.0") {
                    Some(false) => ("v1.33.0", "Forbidden: when `pod.Spec.HostUsers` is false"),
                    _ => ("v1.33.0", "Forbidden: when `hostUsers` is false"),
                },
                ForbiddingField::HostnameOverride => {
                    ("v1.35.0", "Forbidden: may not be specified when hostNetwork is true")
                }
                ForbiddingField::Sysctl => {
                    ("v1.29.0", "Invalid value: may not be specified when 'hostNetwork' is true")
                }
            };
            let refusal_text = match version.has(since) {
                Some(true) => format!("which the API server refuses together with `hostNetwork: true`: {words}"),
                None => format!(
                    "which the API server refuses together with `hostNetwork: true` (from {} on): {words}",
                    since.trim_end_matches(".0")
                ),
                Some(false) if *field == ForbiddingField::Sysctl => {
                    "which the kubelet refuses on the host network: each Pod fails with `SysctlForbidden`".to_owned()
                }
                // This version drops the field, so there is no conflict.
                Some(false) => continue,
            };
            let message =
                format!("{}: {path} is `{value}`, {refusal_text}. Remove the field or `hostNetwork`", workload.meta);
            let finding =
                Finding::new(Severity::Error, POD_FORBIDS, message).on_object(workload.object).at(path.clone());
            findings.push(
                finding.brief("remove this field or `hostNetwork`: Pods with both are refused", path.to_string()),
            );
        }
    }
    findings
}

/// Findings about claims of network devices by pods on the host network.
fn device_findings(context: &CheckContext<'_>, workload: &Workload<'_>) -> Vec<Finding> {
    let devices = network_devices(context.model, workload.pods_view()).into_iter();
    let finding = |device: NetworkDevice| {
        let message = format!(
            "{}: hostNetwork is true, {device}: they never start. Remove the claim or `hostNetwork`",
            workload.meta
        );
        let finding = Finding::new(Severity::Error, POD_FORBIDS, message).on_object(workload.object).at(device.path);
        finding.brief("remove this or `hostNetwork`: Pods with both never start", device.claim)
    };
    devices.map(finding).collect()
}
