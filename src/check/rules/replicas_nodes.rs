//! More replicas than nodes: of pods with host ports a node takes one.

use crate::rule::{REPLICAS_NODES, Severity};

use crate::check::scale::Replicas;
use crate::check::sharing::SharedPorts;
use crate::check::{Finding, Situation, Workload};
use crate::judge::nodes::Asked;
use crate::judge::parts::{Part, parts};
use crate::judge::replicas_nodes::Pods;
use crate::yaml::Path;

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let shared = SharedPorts::of(situation);
    let mut findings = Vec::new();
    for workload in &situation.workloads {
        for part in parts(workload.template) {
            let replicas = situation.replicas_of(situation.updated(workload), part);
            findings.extend(replicas.and_then(|replicas| of(situation, &shared, workload, replicas, part)));
        }
    }
    findings
}

fn of(
    situation: &Situation<'_>,
    shared: &SharedPorts<'_, '_>,
    workload: &Workload<'_>,
    replicas: Replicas,
    part: Part<'_>,
) -> Option<Finding> {
    let held = workload.template.held_ports().next()?;
    let updated = situation.updated(workload);
    let nodes = situation.nodes.eligible(part.asked())?;
    let (taken, others) = (taken(situation, workload, part.asked()), shared.others(situation, workload));
    // Where Pods are seen on nodes, those of others are among them.
    let gone = u32::try_from(taken.len()).unwrap_or(u32::MAX).max(others.pods);
    let count = replicas.most;
    let what = match updated.meta.is_job() {
        _ if replicas.is_scaled => "replicas (the most that its autoscaler makes)",
        true => "pods at the same time (parallelism)",
        false => "replicas",
    };
    let why = match taken.first() {
        _ if count > nodes => String::new(),
        Some((node, pod)) => {
            let example = if taken.len() == 1 { "" } else { ", for one" };
            format!("; on {} of these another Pod has a port of it ({pod} on {node}{example})", taken.len())
        }
        None => format!("; {gone} of these are taken by {}, which it shares the port with", others.names.join(" and ")),
    };
    let name = part.name(updated.meta);
    let message =
        Pods { name: &name, count, what, port: (held.number, held.protocol), nodes, taken: gone, why: &why }.judge()?;
    let key = if updated.meta.is_job() { "parallelism" } else { "replicas" };
    let path = Path::root().key("spec").key(key);
    let free = nodes.saturating_sub(gone);
    // Pods of a Job end, and the next ones have their nodes. Whether an autoscaler makes more than its fewest depends on the load.
    let is_doubtful = updated.meta.is_job() || replicas.fewest <= free;
    let severity = if is_doubtful { Severity::Warning } else { Severity::Error };
    let finding = Finding::new(severity, REPLICAS_NODES, message).on(updated.id).at(path).of_port(held.number);
    let fix = format!("lower `{key}` (or the autoscaler's most), or add nodes: a node takes one pod with a host port");
    let free = if count > nodes { nodes } else { free };
    Some(finding.brief(fix, format!("pods: {count}, nodes: {free}")).about(name))
}

/// The nodes of the input that may run a workload and where a Pod of another one has a port of it, each with that Pod.
fn taken<'s>(situation: &'s Situation<'_>, workload: &Workload<'_>, asked: Asked<'s>) -> Vec<(&'s str, String)> {
    let mut ports: Vec<(u16, &str)> = workload.template.held_ports().map(|held| (held.number, held.protocol)).collect();
    ports.sort_unstable();
    ports.dedup();
    let holder = |node: &str| {
        let mut holders = ports
            .iter()
            .filter_map(|(number, protocol)| situation.running.holder(node, *number, protocol, &workload.key));
        holders.next()
    };
    let nodes = situation.nodes.named(asked);
    nodes.filter_map(|node| Some((node, holder(node)?.meta.to_string()))).collect()
}
