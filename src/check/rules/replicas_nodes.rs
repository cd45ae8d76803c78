//! More replicas than nodes: of pods with host ports a node takes one.

use crate::rule::{REPLICAS_NODES, Severity};

use super::{Finding, Situation};
use crate::check::Workload;

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in &situation.workloads {
        let Some(held) = workload.template.held_ports().next() else { continue };
        let (Some(replicas), Some(nodes)) =
            (situation.most_replicas(workload), situation.nodes.eligible(workload.template, workload.pods))
        else {
            continue;
        };
        let taken = taken(situation, workload);
        let free = nodes.saturating_sub(u32::try_from(taken.len()).unwrap_or(u32::MAX));
        if replicas <= free {
            continue;
        }
        let (what, whose) = match workload.update.replicas {
            Some(own) if own < replicas => ("replicas", " (maxReplicas of its HorizontalPodAutoscaler)"),
            _ if workload.meta.is_job() => ("pods at the same time", " (parallelism)"),
            _ => ("replicas", ""),
        };
        let held_there = match taken.first() {
            Some((node, pod)) if replicas <= nodes => {
                let example = if taken.len() == 1 { "" } else { ", for one" };
                format!("; on {} of these another Pod has a port of it ({pod} on {node}{example})", taken.len())
            }
            _ => String::new(),
        };
        let message = format!(
            "{}: {replicas} {what}{whose}, and at most {nodes} of the nodes may run it{held_there}. Each of them has port {}/{} once, so {} \
             would stay Pending: `node(s) didn't have free ports for the requested pod ports`. Lower the number, or add nodes",
            workload.meta,
            held.number,
            held.protocol,
            replicas - if replicas <= nodes { free } else { nodes }
        );
        let path = workload.update.path.parent().unwrap_or_default();
        let key = if workload.meta.is_job() { "parallelism" } else { "replicas" };
        findings.push(Finding::new(Severity::Error, REPLICAS_NODES, message).at(workload.id, path.key(key)));
    }
    findings
}

/// The nodes of the input that may run a workload and where a Pod of another one has a port of it, each with that Pod.
fn taken<'s>(situation: &'s Situation<'_>, workload: &'s Workload<'_>) -> Vec<(&'s str, String)> {
    let mut ports: Vec<(u16, &str)> = workload.template.held_ports().map(|held| (held.number, held.protocol)).collect();
    ports.sort_unstable();
    ports.dedup();
    let holder = |node: &str| {
        let mut holders = ports
            .iter()
            .filter_map(|(number, protocol)| situation.running.holder(node, *number, protocol, &workload.key));
        holders.next()
    };
    let nodes = situation.nodes.named(workload.template, workload.pods);
    nodes.filter_map(|node| Some((node, holder(node)?.meta.to_string()))).collect()
}
