//! Listeners of the host network that no port declares.

use super::{Finding, Situation};
use crate::check::listening::may_be_a_mistake;
use crate::rule::{PORT_DECLARED, Severity};

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in situation.on_host() {
        let undeclared = workload.ports.listeners.iter().filter(|listener| listener.declared.is_none());
        for listener in undeclared.filter(|listener| !may_be_a_mistake(situation, workload, listener)) {
            let protocol = match listener.protocol.as_ref() {
                "TCP" => String::new(),
                other => format!(", protocol: {other}"),
            };
            let (label, number) = (&listener.label, listener.number);
            let message = format!(
                "{} is not declared ({}): neither the scheduler nor the autoscaler sees it, and a second pod on the node crashes with \
                 `bind: address already in use` instead of staying Pending. Add to the container's `ports`: \
                 `- {{name: {label}, containerPort: {number}, hostPort: {number}{protocol}}}`",
                workload.call(listener),
                listener.evidence()
            );
            let finding = Finding::new(Severity::Warning, PORT_DECLARED, message);
            findings.push(finding.on(workload.id).at(workload.field(listener)).of_port(number));
        }
    }
    findings
}
