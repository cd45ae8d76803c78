//! Updates that cannot end: the new pod waits for the port that the old one has.

use crate::judge::rollout_surge::{Judged, Update, When, spare};
use crate::rule::{ROLLOUT_SURGE, Severity};

use super::{Finding, Situation};

/// What a person writes.
const FIX: &str = "`maxSurge: 0, maxUnavailable: 1`";

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut waiting = Vec::new();
    for workload in &situation.workloads {
        let held = workload.template.held_ports().next();
        let Some((held, rollout)) = held.zip(workload.template.rollout.as_deref()) else { continue };
        let update = Update {
            name: workload.meta,
            rollout,
            port: (held.number, held.protocol),
            nodes: situation.nodes.eligible(workload.template),
            when: When::Now,
            fix: FIX,
        };
        let (severity, message) = match update.judge() {
            None => continue,
            Some(Judged::Never(message)) => (Severity::Error, message),
            Some(Judged::Unsure(message)) => (Severity::Warning, message),
            Some(Judged::Spare) => {
                waiting.extend(Some(workload.key.as_str()).filter(|_| situation.is_judged(workload.id)));
                continue;
            }
        };
        let finding = Finding::new(severity, ROLLOUT_SURGE, message).on(workload.id).at(rollout.path.clone());
        findings.push(finding.of_port(held.number));
    }
    findings.extend(spare(&waiting, FIX));
    findings
}
