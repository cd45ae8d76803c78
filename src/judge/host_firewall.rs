//! Firewalls of nodes in the input that close a port of pods on the host network.

use std::collections::HashSet;

use crate::catalog::PolicyForm;
use crate::model::facts::{HostFirewall, HostPart, PortEffect, UnevaluatedPolicy};
use crate::model::text::Labels;
use crate::model::{Meta, Model, ObjectId, WorkloadId};
use crate::plan::{Finding, listed};
use crate::rule::{NETWORK_POLICY, Severity};

/// Port of pods on the host network.
pub(crate) struct HostPort<'m> {
    /// Workload of the pods.
    pub(crate) id: WorkloadId,
    /// Metadata of the workload.
    pub(crate) meta: &'m Meta,
    /// Number on the nodes.
    pub(crate) number: u16,
    /// `TCP`, `UDP` or `SCTP`.
    pub(crate) protocol: &'m str,
}

/// Maximum number of ports in a message.
const LISTED: usize = 20;

/// Warnings about firewalls of nodes that refuse connections to these ports, or do not open them. `together` is true if
/// a policy and a workload may be applied together.
pub(crate) fn host_firewalls(
    model: &Model,
    ports: &[HostPort<'_>],
    together: impl Fn(ObjectId, WorkloadId) -> bool,
) -> Vec<Finding> {
    let mut endpoints: Vec<&Labels> = Vec::new();
    let mut firewalls: Vec<(ObjectId, &UnevaluatedPolicy, &HostFirewall)> = Vec::new();
    for (id, policy) in model.unread_policies() {
        for part in &policy.hosts {
            match part {
                HostPart::Endpoint(labels) => endpoints.push(labels),
                HostPart::Firewall(firewall) => firewalls.push((id, policy, firewall)),
            }
        }
    }
    firewalls.retain(|(.., firewall)| firewall.is_used(&endpoints));
    let mut findings = Vec::new();
    // Cache: each firewall is compared with each port.
    let mut opened: HashSet<(PolicyForm, u16, &str)> = HashSet::new();
    for (_, policy, firewall) in &firewalls {
        let open = ports.iter().filter(|port| firewall.effect(port.number, port.protocol) == PortEffect::Opens);
        opened.extend(open.map(|port| (policy.form, port.number, port.protocol)));
    }
    for (id, policy, firewall) in &firewalls {
        for (wanted, does) in [(PortEffect::Refuses, "refuses"), (PortEffect::LeavesClosed, "does not open")] {
            let closed = ports.iter().filter(|port| {
                firewall.effect(port.number, port.protocol) == wanted
                    && together(*id, port.id)
                    && !(wanted == PortEffect::LeavesClosed
                        && opened.contains(&(policy.form, port.number, port.protocol)))
            });
            let mut closed = closed.peekable();
            if closed.peek().is_some() {
                findings.push(finding(*id, policy, firewall, does, closed));
            }
        }
    }
    findings
}

/// Warning about a firewall of the nodes that may block ports of pods; `effect` is its effect, for the message.
fn finding<'p>(
    id: ObjectId,
    policy: &UnevaluatedPolicy,
    firewall: &HostFirewall,
    effect: &str,
    ports: impl Iterator<Item = &'p HostPort<'p>>,
) -> Finding {
    let shown = |port: &HostPort<'_>| format!("{}/{} of {}", port.number, port.protocol, port.meta);
    let ports = listed(ports.map(shown), LISTED);
    let message = format!(
        "{} is a firewall of the nodes that {} selects, and {effect} ports of pods on the host network ({ports}): their clients, such as \
         the API server of another node, may get no connection. Open these ports in its rules",
        policy.name, firewall.path
    );
    let finding = Finding::new(Severity::Warning, NETWORK_POLICY, message).on_object(id).at(firewall.path.clone());
    finding.brief("open these ports in this firewall of the nodes: their clients may get no connection", ports)
}
