//! Listeners of the host network on ports that nodes use, or that they may not take.

use super::{Finding, Situation};
use crate::catalog::{CLIENT_PORTS, NodePort, SERVICE_NODE_PORTS, Seen};
use crate::check::Workload;
use crate::check::listening::may_be_a_mistake;
use crate::judge::node_port;
use crate::model::listener::Listener;
use crate::model::pod::{FIRST_FREE, LowPorts};
use crate::rule::{NODE_PORT, Severity};

/// The port of the kubelet, whose certificate the API server's calls match there.
const KUBELET: u16 = 10_250;

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in situation.on_host() {
        let listeners = workload.ports.listeners.iter();
        for listener in listeners.filter(|listener| !may_be_a_mistake(situation, workload, listener)) {
            let call = workload.call(listener);
            for (severity, what) in of(situation, workload, listener) {
                let finding = Finding::new(severity, NODE_PORT, format!("{call} {what}"));
                findings.push(finding.on(workload.id).at(workload.field(listener)).of_port(listener.number));
            }
        }
    }
    findings
}

fn of(situation: &Situation<'_>, workload: &Workload<'_>, listener: &Listener) -> Vec<(Severity, String)> {
    let number = listener.number;
    let mut found = Vec::new();
    if let Some(row) = owner(workload, listener).filter(|_| !is_of_static_pod(situation, listener)) {
        let calls = "; who calls it there is told `x509: certificate is valid for NODE, not SVC.NS.svc`";
        let calls = if number == KUBELET { calls } else { "" };
        found.push(match row.seen {
            Seen::Always => (
                Severity::Error,
                format!(
                    "is the port of {} on every node: it cannot listen there{calls}. Give it another number, such as `ports: auto` \
                     of a HostNetwork does",
                    row.owner
                ),
            ),
            Seen::Often => {
                (Severity::Warning, format!("is the port of {} on nodes that run it. Where yours do, give it another number", row.owner))
            }
        });
    } else if SERVICE_NODE_PORTS.contains(&number) {
        let what = "is one of the node ports of Services (30000-32767): where a Service has it, that one gets the connections. Give it \
                    another number";
        found.push((Severity::Warning, what.to_owned()));
    } else if CLIENT_PORTS.contains(&number) {
        let what = "is one of the ports that the kernel gives to clients (32768-60999): any of them may hold it when it starts. Give it \
                    another number";
        found.push((Severity::Warning, what.to_owned()));
    } else if situation.settings.reserved.iter().any(|range| range.contains(number)) {
        found.push((
            Severity::Warning,
            "is one of those that `reserved` in the config lists. Give it another number".to_owned(),
        ));
    }
    found.extend(low(workload, listener));
    found
}

/// Whether a static Pod of the input holds a port: which nodes that concerns is seen, and a conflict of its own.
fn is_of_static_pod(situation: &Situation<'_>, listener: &Listener) -> bool {
    let mut held = situation.statics.iter().flat_map(|workload| &workload.ports.listeners);
    held.any(|held| held.number == listener.number && held.protocol == listener.protocol)
}

/// The node's own user of a port, unless it is this container.
fn owner(workload: &Workload<'_>, listener: &Listener) -> Option<&'static NodePort> {
    node_port::owner(workload.container(listener), listener.number, &listener.protocol)
}

/// On the host network a process that is not root listens below 1024 only with a capability.
fn low(workload: &Workload<'_>, listener: &Listener) -> Option<(Severity, String)> {
    if listener.number >= FIRST_FREE {
        return None;
    }
    let rest = "Give it a number from 1024 on";
    match workload.container(listener)?.low_ports {
        LowPorts::Allowed => None,
        LowPorts::Doubtful => Some((
            Severity::Warning,
            format!(
                "is below 1024, and the container is not root: on the host network that works only with the capability \
                 NET_BIND_SERVICE (`bind: permission denied`). {rest}"
            ),
        )),
        LowPorts::Denied => Some((
            Severity::Error,
            format!(
                "is below 1024, and the container is neither root nor has the capability NET_BIND_SERVICE: `bind: permission denied`. \
                 In the pod network the container runtime lets everybody listen there. {rest}"
            ),
        )),
    }
}
