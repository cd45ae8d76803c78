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
use crate::model::pod::{Forbidding, ForbiddingField, Redirect};
use crate::rule::{POD_FORBIDS, Severity};
use crate::version::ProgramVersion;

use crate::check::{CheckContext, Finding, Workload};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in context.on_host() {
        let (model, pods) = (context.model, workload.pods_view());
        findings.extend(windows_finding(workload));
        findings.extend(waiting_containers(workload));
        findings.extend(
            virtual_machine(model, workload.meta, workload.template).map(|finding| finding.on_object(workload.object)),
        );
        findings.extend(annotations_of_plugins(workload));
        let of_namespace = namespace_annotation_warnings(model, pods).into_iter();
        findings.extend(of_namespace.map(|finding| finding.on_object(workload.object)));
        findings.extend(refused_marks(context, workload));
        findings.extend(device_findings(context, workload));
        findings.extend(forbidding_fields(workload, &context.versions.kubernetes));
    }
    findings
}

/// Warning about `hostNetwork` of pods on Windows nodes.
fn windows_finding(workload: &Workload<'_>) -> Option<Finding> {
    if !windows::stays_in_pod_network(workload.template) {
        return None;
    }
    let message = format!(
        "{}: hostNetwork is true, and its pods run on Windows nodes: {}, so they stay in the pod network, but the \
         scheduler still reserves their ports on the node. Remove `hostNetwork`, or make it a HostProcess pod",
        workload.meta,
        windows::WINDOWS_POD_NETWORK_REASON
    );
    let finding = Finding::new(Severity::Warning, POD_FORBIDS, message);
    let finding = finding.on_object(workload.object).at(workload.template.spec_path().key("hostNetwork"));
    Some(finding.brief("remove `hostNetwork`: on Windows nodes it is only for HostProcess pods", ""))
}

/// Warnings about containers that wait for a network plugin.
fn waiting_containers(workload: &Workload<'_>) -> Vec<Finding> {
    let finding = |waiting: &Redirect| {
        let message = format!(
            "{}: hostNetwork is true, and container {} waits until the traffic of its pod is redirected ({}): on the \
             host network no CNI plugin redirects this traffic, so the pod never starts. Remove the container or \
             `hostNetwork`",
            workload.meta, waiting.container, waiting.shown
        );
        let finding =
            Finding::new(Severity::Warning, POD_FORBIDS, message).on_object(workload.object).at(waiting.path.clone());
        let fix = "remove this container or `hostNetwork`: it waits until a CNI plugin redirects traffic, which no \
                   plugin does on the host network";
        finding.brief(fix, waiting.container.clone())
    };
    workload.template.redirects.iter().filter(|redirect| redirect.waits).map(finding).collect()
}

/// Warnings about annotations of the pods for a network plugin.
fn annotations_of_plugins(workload: &Workload<'_>) -> Vec<Finding> {
    let finding = |(key, gives): (&'static str, &str)| {
        let message = format!(
            "{}: hostNetwork is true, and the annotation `{key}` requests {gives} from a network plugin, but the \
             kubelet calls no network plugin for pods on the host network. Remove the annotation or `hostNetwork`",
            workload.meta
        );
        let path = workload.template.path.key("metadata").key("annotations").key(key);
        let finding = Finding::new(Severity::Warning, POD_FORBIDS, message).on_object(workload.object).at(path);
        let fix = "remove this annotation or `hostNetwork`: no plugin is called for pods on the host network";
        finding.brief(fix, key)
    };
    plugin_annotations(workload.template).into_iter().map(finding).collect()
}

/// Findings about marks of the pods that other programs refuse, or that have no effect, on the host network.
fn refused_marks(context: &CheckContext<'_>, workload: &Workload<'_>) -> Vec<Finding> {
    // Programs of the nodes, such as the metadata server of GKE, select nodes by the same labels.
    let counts = |found: &RefusedMark| !found.mark.starts || found.mark.at != MarkPlace::NodeLabel;
    let finding = |found: RefusedMark| {
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
        Finding { other, ..finding.brief(fix, key) }
    };
    refused(context.model, workload.pods_view()).into_iter().filter(counts).map(finding).collect()
}

/// Errors about fields of the pods that this version of Kubernetes refuses on the host network.
fn forbidding_fields(workload: &Workload<'_>, kubernetes: &ProgramVersion) -> Vec<Finding> {
    let finding = |Forbidding { field, path, value }: &Forbidding| {
        let (since, words) = match field {
            ForbiddingField::HostUsers => match kubernetes.has("v1.34.0") {
                Some(false) => ("v1.33.0", "Forbidden: when `pod.Spec.HostUsers` is false"),
                _ => ("v1.33.0", "Forbidden: when `hostUsers` is false"),
            },
            ForbiddingField::HostnameOverride => {
                ("v1.35.0", "Forbidden: may not be specified when hostNetwork is true")
            }
            ForbiddingField::Sysctl => ("v1.29.0", "Invalid value: may not be specified when 'hostNetwork' is true"),
        };
        let refusal_text = match kubernetes.has(since) {
            Some(true) => format!("which the API server refuses together with `hostNetwork: true`: {words}"),
            None => format!(
                "which the API server refuses together with `hostNetwork: true` (from {} on): {words}",
                since.trim_end_matches(".0")
            ),
            Some(false) if *field == ForbiddingField::Sysctl => {
                "which the kubelet refuses on the host network: each Pod fails with `SysctlForbidden`".to_owned()
            }
            // This version drops the field, so there is no conflict.
            Some(false) => return None,
        };
        let message =
            format!("{}: {path} is `{value}`, {refusal_text}. Remove the field or `hostNetwork`", workload.meta);
        let finding = Finding::new(Severity::Error, POD_FORBIDS, message).on_object(workload.object).at(path.clone());
        Some(finding.brief("remove this field or `hostNetwork`: Pods with both are refused", path.to_string()))
    };
    workload.template.forbidding.iter().filter_map(finding).collect()
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
