//! More replicas than nodes: of pods with host ports a node takes one.

use crate::rule::{REPLICAS_NODES, Severity};

use super::{Finding, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in &situation.workloads {
        let Some(held) = workload.template.held_ports().next() else { continue };
        let (Some(replicas), Some(nodes)) =
            (situation.most_replicas(workload), situation.nodes.eligible(workload.template))
        else {
            continue;
        };
        if replicas <= nodes {
            continue;
        }
        let (what, whose) = match workload.update.replicas {
            Some(own) if own < replicas => ("replicas", " (maxReplicas of its HorizontalPodAutoscaler)"),
            _ if workload.meta.is_job() => ("pods at the same time", " (parallelism)"),
            _ => ("replicas", ""),
        };
        let message = format!(
            "{}: {replicas} {what}{whose}, and at most {nodes} of the nodes may run it. Each of them has port {}/{} once, so {} would stay Pending: \
             `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes",
            workload.meta,
            held.number,
            held.protocol,
            replicas - nodes
        );
        let finding = Finding::new(Severity::Error, REPLICAS_NODES, message).on(workload.id);
        findings.push(finding.at(workload.update.path.clone()));
    }
    findings
}
