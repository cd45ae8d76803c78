//! Updates that cannot end: the new pod waits for the port that the old one has.
//!
//! Source: kubernetes v1.36 `pkg/controller/deployment/util/deployment_util.go`, `ResolveFenceposts`: maxSurge is rounded up,
//! maxUnavailable down; `pkg/apis/apps/v1/defaults.go`: both are 25 % where nothing is written.

use crate::rule::{ROLLOUT_SURGE, Severity};
use crate::yaml::Path;

use super::{Finding, Situation};
use crate::check::Workload;
use crate::check::facts::update::Strategy;

/// What is known of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check) enum Verdict {
    /// It ends.
    Ends,
    /// It never ends.
    NeverEnds,
    /// It ends where there is one node more than replicas.
    NeedsSpareNode,
}

/// Whether the update of a Deployment of so many replicas with fixed host ports ends: a node takes one of its pods. `surge` and
/// `unavailable` are rounded already; `nodes` are those that may run it, none when that is not known.
pub(in crate::check) fn verdict(replicas: u32, surge: u32, unavailable: u32, nodes: Option<u32>) -> Verdict {
    // Both zero is an error of the API server's own, and `ResolveFenceposts` makes it one unavailable.
    if replicas == 0 || unavailable > 0 || surge == 0 {
        return Verdict::Ends;
    }
    match nodes {
        Some(nodes) if nodes <= replicas => Verdict::NeverEnds,
        Some(_) => Verdict::Ends,
        None => Verdict::NeedsSpareNode,
    }
}

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut spare = Vec::new();
    for workload in &situation.workloads {
        let Some(held) = workload.template.held_ports().next() else { continue };
        let port = format!("{}/{}", held.number, held.protocol);
        match workload.update.strategy {
            Strategy::OldFirst => {}
            Strategy::PerNode { surge } if surge.is_zero() => {}
            Strategy::PerNode { .. } => {
                let message = format!(
                    "{}: maxSurge starts the new pod beside the old one, which has port {port} of the node: the new one stays Pending for \
                     ever, and the old one is never removed. Write `maxSurge: 0, maxUnavailable: 1`",
                    workload.meta
                );
                findings.push(finding(workload, Severity::Error, message, held.number));
            }
            Strategy::Rolling { surge, unavailable, is_unavailable_written, is_surge_written } => {
                // With its own number the update ends as little as with that of an autoscaler, which may not be reached.
                let Some(replicas) = workload.update.replicas else { continue };
                let (surge, unavailable) = (surge.up(replicas), unavailable.down(replicas));
                let nodes = situation.nodes.eligible(workload.template, workload.pods);
                let how = if is_unavailable_written {
                    "maxUnavailable"
                } else {
                    "maxUnavailable, which is 25% rounded down,"
                };
                match verdict(replicas, surge, unavailable, nodes) {
                    Verdict::Ends => {}
                    Verdict::NeverEnds => {
                        let message = format!(
                            "{}: its update never ends. {how} is 0, so the new pod starts first; at most {} of the nodes may run it, and its \
                             {} port {port} there: the new one stays Pending, and no old one is removed. Write `maxSurge: 0, \
                             maxUnavailable: 1`, or add a node",
                            workload.meta,
                            nodes.unwrap_or_default(),
                            if replicas == 1 { "pod has".to_owned() } else { format!("{replicas} pods have") }
                        );
                        findings.push(finding(workload, Severity::Error, message, held.number));
                    }
                    Verdict::NeedsSpareNode if is_unavailable_written && is_surge_written => {
                        let message = format!(
                            "{}: its update ends only where {} nodes may run it: maxUnavailable is 0, so the new pod needs a node where \
                             port {port} is free. How many nodes there are is not known: give `nodes` in the config, or write \
                             `maxSurge: 0, maxUnavailable: 1`",
                            workload.meta,
                            replicas.saturating_add(1)
                        );
                        findings.push(finding(workload, Severity::Warning, message, held.number));
                    }
                    Verdict::NeedsSpareNode if situation.is_judged(workload.id) => spare.push(workload.key.as_str()),
                    Verdict::NeedsSpareNode => {}
                }
            }
        }
    }
    if !spare.is_empty() {
        let (count, needs) = (spare.len(), if spare.len() == 1 { "workload needs" } else { "workloads need" });
        let message = format!(
            "{count} {needs} a spare node to update (one more than replicas, since maxUnavailable comes to 0): {}. Give `nodes` in the \
             config to have it judged, or write `maxSurge: 0, maxUnavailable: 1`",
            spare.join(", ")
        );
        findings.push(Finding::new(Severity::Info, ROLLOUT_SURGE, message));
    }
    findings
}

fn finding(workload: &Workload<'_>, severity: Severity, message: String, port: u16) -> Finding {
    let path: Path = workload.update.path.clone();
    Finding::new(severity, ROLLOUT_SURGE, message).at(workload.id, path).of_port(port)
}

#[cfg(test)]
mod tests {
    use super::{Verdict, verdict};
    use crate::check::facts::update::Amount;

    /// A Deployment's controller and a scheduler that puts one pod on a node, step by step. True when all pods are new in the end.
    fn simulate(replicas: u32, surge: u32, unavailable: u32, nodes: u32) -> bool {
        let (mut old, mut new) = (replicas, 0);
        // The old pods that run: the others never found a node.
        let mut old_running = old.min(nodes);
        loop {
            let new_running = new.min(nodes - old_running);
            let available = old_running + new_running;
            let before = (old, new, old_running);
            // Up: as many as the surge allows.
            new += (replicas + surge).saturating_sub(old + new).min(replicas - new);
            // Down: old ones that do not run go first, then as many as may be missing.
            let stuck = old - old_running;
            old -= stuck;
            let may_go = available.saturating_sub(replicas.saturating_sub(unavailable));
            let going = may_go.min(old_running);
            old -= going;
            old_running -= going;
            if old == 0 && new == replicas {
                return true;
            }
            if before == (old, new, old_running) {
                return false;
            }
        }
    }

    #[test]
    fn the_verdict_is_what_the_controller_does() {
        for replicas in 1..=12 {
            for nodes in replicas..=14 {
                for surge in 0..=4 {
                    for unavailable in 0..=4 {
                        if surge == 0 && unavailable == 0 {
                            continue;
                        }
                        let ends = simulate(replicas, surge, unavailable, nodes);
                        let wanted = if ends { Verdict::Ends } else { Verdict::NeverEnds };
                        let said = verdict(replicas, surge, unavailable, Some(nodes));
                        assert_eq!(said, wanted, "{replicas} {surge} {unavailable} {nodes}");
                    }
                }
            }
        }
    }

    #[test]
    fn shares_are_rounded_as_kubernetes_does() {
        let quarter = Amount::Percent(25);
        assert_eq!((quarter.up(1), quarter.down(1)), (1, 0));
        assert_eq!((quarter.up(3), quarter.down(3)), (1, 0));
        assert_eq!((quarter.up(4), quarter.down(4)), (1, 1));
        assert_eq!((quarter.up(5), quarter.down(7)), (2, 1));
    }
}
