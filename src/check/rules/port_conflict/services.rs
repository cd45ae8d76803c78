//! Services with the same node port.

use crate::check::service_ports::{ServicePort, ServicePorts};
use crate::check::{CheckContext, Finding};
use crate::rule::{PORT_CONFLICT, Severity};

/// Reports node ports that several Services have, or that one Service has twice: one finding for
/// each repetition.
///
/// Source: kubernetes v1.36 `pkg/registry/core/service/storage/alloc.go`, `initNodePorts`: a number is allocated once,
/// whatever its protocol; only ports of one Service with the same `port` share it.
/// `pkg/apis/core/validation/validation.go`, `ValidateService`: these ports must have different protocols.
pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let services = ServicePorts::new(context);
    let mut findings = Vec::new();
    for (number, ports) in &services.0 {
        let before = |index: usize, one: &ServicePort<'_>| {
            ports.iter().take(index).copied().find(|other| conflict(context, one, other))
        };
        let pairs = ports.iter().enumerate().filter_map(|(index, one)| Some((*one, before(index, one)?)));
        let pairs = pairs.filter(|(one, other)| context.is_checked(one.id) || context.is_checked(other.id));
        findings.extend(pairs.map(|(one, other)| finding(context, *number, &one, &other)));
    }
    findings
}

/// True if the API server refuses the second of two ports with the same number.
fn conflict(context: &CheckContext<'_>, one: &ServicePort<'_>, other: &ServicePort<'_>) -> bool {
    if one.id == other.id {
        return one.port.protocol == other.port.protocol || one.port.port != other.port.port;
    }
    let (a, b) = (one.meta, other.meta);
    let is_same = a.name == b.name && (a.namespace == b.namespace || a.namespace.is_none() || b.namespace.is_none());
    !is_same && !context.are_alternatives(one.id, other.id)
}

/// Error about two ports of Services with the same node port.
fn finding(context: &CheckContext<'_>, number: u16, one: &ServicePort<'_>, other: &ServicePort<'_>) -> Finding {
    let (about, other) = if context.is_checked(one.id) { (one, other) } else { (other, one) };
    let who = if about.id == other.id {
        format!("{} has the node port {number} twice", about.meta)
    } else {
        format!("{} and {} both have the node port {number}", other.meta, about.meta)
    };
    let is_duplicate = about.id == other.id && about.port.protocol == other.port.protocol;
    let reason = if is_duplicate { "Duplicate value" } else { "provided port is already allocated" };
    let message = format!(
        "{who}: the API server refuses the second one with `{reason}`. Give one of the two another number, or remove it: the API server then \
         chooses a free one"
    );
    let finding = Finding::new(Severity::Error, PORT_CONFLICT, message).on_object(about.id).at(about.port.path());
    let finding = finding.of_port(number).with(other.id, other.port.path());
    let fix = "give one of the two another `nodePort`, or remove it: the API server then chooses a free one";
    finding.brief(fix, number.to_string()).about(about.meta.to_string())
}
