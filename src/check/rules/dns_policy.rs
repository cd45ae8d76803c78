//! Pods on the host network that silently use the node's resolver.

use super::{Finding, Situation};
use crate::catalog;
use crate::check::Workload;
use crate::image::ImageRef;
use crate::model::listener::{Hints, program_of};
use crate::rule::{DNS_POLICY, Severity};

/// The catalogue's name of Crossplane's core, which finds Functions by their names.
const CROSSPLANE: &str = "crossplane";

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    situation.on_host().filter_map(of).collect()
}

fn of(workload: &Workload<'_>) -> Option<Finding> {
    let written = workload.template.dns_policy.as_ref().filter(|policy| !policy.is_null());
    let text = written.map_or("", |policy| policy.text.as_ref());
    let meta = workload.meta;
    let (severity, message) = match text {
        "" | "ClusterFirst" => {
            let policy = if text.is_empty() { "dnsPolicy is absent" } else { "dnsPolicy is ClusterFirst" };
            let (severity, what) = if is_crossplane(workload) {
                (Severity::Error, ", and every call of a Function fails: `produced zero addresses`")
            } else if is_node_agent(workload) {
                (Severity::Info, "; agents of nodes mostly need none")
            } else {
                (Severity::Warning, "")
            };
            let message = format!(
                "{meta}: {policy}, and on the host network the kubelet then silently gives it the node's resolver: names of the \
                 cluster do not resolve{what}. Write `dnsPolicy: ClusterFirstWithHostNet`, or `Default` when that is meant"
            );
            (severity, message)
        }
        "Default" => {
            let message =
                format!("{meta}: dnsPolicy is Default: names of the cluster do not resolve, which its author wrote");
            (Severity::Info, message)
        }
        _ => return None,
    };
    Some(Finding::new(severity, DNS_POLICY, message).on(workload.id).at(workload.template.spec_path().key("dnsPolicy")))
}

fn is_crossplane(workload: &Workload<'_>) -> bool {
    let programs = workload.template.running().filter_map(|(_, c)| program_of(c, workload.meta, &Hints::default()));
    programs.into_iter().any(|(program, _)| program.name == CROSSPLANE)
}

/// Whether one of its containers is a program that the catalogue knows as one of the nodes'.
fn is_node_agent(workload: &Workload<'_>) -> bool {
    let is_known = |image: &str| {
        let last = ImageRef::of(image).last_segment();
        catalog::node_ports().iter().any(|row| row.images.contains(&last))
    };
    workload.template.running().any(|(_, container)| is_known(&container.image))
}
