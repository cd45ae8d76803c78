//! Pods on the host network that use the resolver of the node without an explicit choice.

use crate::catalog;
use crate::check::facts::KindFacts;
use crate::check::{CheckContext, Finding, Workload};
use crate::crossplane::runs_core;
use crate::judge::windows;
use crate::model::listener::{Hints, program_of};
use crate::rule::{DNS_POLICY, Severity};
use oci::name::ImageRef;

/// Catalogue name of Crossplane's core, which resolves Functions by DNS name.
const CROSSPLANE: &str = "crossplane";

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let of_node = |workload: &Workload<'_>| {
        if windows::is_windows(workload.template) { windows_finding(workload) } else { wrong_policy(context, workload) }
    };
    context.on_host().filter_map(of_node).collect()
}

/// Finding about a `dnsPolicy` that does not resolve names of the cluster on the host network.
fn wrong_policy(context: &CheckContext<'_>, workload: &Workload<'_>) -> Option<Finding> {
    let written = workload.template.dns_policy.as_ref().filter(|policy| !policy.is_null());
    let text = written.map_or("", |policy| policy.text.as_ref());
    let meta = workload.meta;
    let (severity, message, fix) = match text {
        "" | "ClusterFirst" => {
            let policy = if text.is_empty() { "dnsPolicy is absent" } else { "dnsPolicy is ClusterFirst" };
            let (severity, what) = if is_crossplane(workload) {
                (Severity::Error, ", and every call of a Function fails: `produced zero addresses`")
            } else if is_node_agent(context, workload) {
                (Severity::Info, "; agents of nodes usually do not need them")
            } else {
                (Severity::Warning, "")
            };
            let message = format!(
                "{meta}: {policy}, and on the host network the kubelet then silently gives it the node's resolver: names of the cluster \
                 do not resolve{what}. Write `dnsPolicy: ClusterFirstWithHostNet`, or `Default` if that is intended"
            );
            let fails = if severity == Severity::Error {
                "no Function can be called"
            } else {
                "names of the cluster do not resolve"
            };
            (
                severity,
                message,
                format!("write `dnsPolicy: ClusterFirstWithHostNet` (or `Default` on purpose): {fails}"),
            )
        }
        "Default" => {
            let message = format!(
                "{meta}: dnsPolicy is Default: names of the cluster do not resolve; the manifest sets this policy explicitly"
            );
            (Severity::Info, message, "nothing to do: `dnsPolicy: Default` is written".to_owned())
        }
        _ => return None,
    };
    let finding = Finding::new(severity, DNS_POLICY, message).brief(fix, "");
    Some(finding.on_object(workload.object).at(workload.template.spec_path().key("dnsPolicy")))
}

/// Reports `ClusterFirstWithHostNet`, which Windows nodes do not support.
fn windows_finding(workload: &Workload<'_>) -> Option<Finding> {
    workload.template.dns_policy.as_ref().filter(|policy| *policy.text == *"ClusterFirstWithHostNet")?;
    let instead = if windows::stays_in_pod_network(workload.template) { "ClusterFirst" } else { "Default" };
    let message = format!(
        "{}: dnsPolicy is ClusterFirstWithHostNet, which Windows nodes do not support. Write `dnsPolicy: {instead}`",
        workload.meta
    );
    let finding = Finding::new(Severity::Warning, DNS_POLICY, message);
    let finding = finding
        .brief(format!("write `dnsPolicy: {instead}`: Windows nodes do not support ClusterFirstWithHostNet"), "");
    Some(finding.on_object(workload.object).at(workload.template.spec_path().key("dnsPolicy")))
}

/// True for the pods of Crossplane's core.
fn is_crossplane(workload: &Workload<'_>) -> bool {
    let programs = workload.template.running().filter_map(|(_, c)| program_of(c, workload.meta, &Hints::default()));
    programs.into_iter().any(|(program, _)| program.name == CROSSPLANE) || runs_core(workload.template)
}

/// True for a `DaemonSet` or Pod that installs a network plugin, or with a container whose image is a known agent of
/// nodes. Other kinds may use such an image for a controller.
fn is_node_agent(context: &CheckContext<'_>, workload: &Workload<'_>) -> bool {
    let is_known = |image: &str| {
        let last = ImageRef::split(image).last_segment();
        catalog::NODE_PORTS.iter().any(|row| row.images.contains(&last))
    };
    let is_of_nodes = workload.meta.gvk.kind == "DaemonSet" || workload.meta.is_pod();
    let facts = context.facts.get(workload.object).map(|facts| &facts.by_kind);
    matches!(facts, Some(KindFacts::NetworkPlugin))
        || is_of_nodes && workload.template.running().any(|(_, container)| is_known(&container.image))
}
