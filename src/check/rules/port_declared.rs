//! Listeners of the host network that no port declares.

use super::{Finding, Situation};
use crate::check::Workload;
use crate::model::listener::{Listener, Witness};
use crate::rule::{PORT_DECLARED, Severity};

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in situation.on_host() {
        let undeclared = workload.ports.listeners.iter().filter(|listener| listener.declared.is_none());
        for listener in undeclared.filter(|listener| !may_be_a_mistake(workload, listener)) {
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

/// Whether nothing but one who dials it shows a listener, in a pod whose ports are known otherwise: then the number there may be
/// wrong, which is a finding of its own.
fn may_be_a_mistake(workload: &Workload<'_>, listener: &Listener) -> bool {
    is_dialled_only(listener) && workload.ports.listeners.iter().any(|other| !is_dialled_only(other))
}

/// Whether only a probe, or only a Service shows a listener.
pub(super) fn is_dialled_only(listener: &Listener) -> bool {
    let by = |witness: Witness| listener.witnesses.has(witness) && listener.witnesses.len() == 1;
    by(Witness::Probe) || by(Witness::Service)
}
