//! Listeners on the host network whose ports the node uses, or which need privileges.

use crate::catalog::{CLIENT_PORTS, NodePort, NodePortUse, SERVICE_NODE_PORTS};
use crate::check::listener_evidence::may_be_a_mistake;
use crate::check::{CheckContext, Finding, Workload};
use crate::judge::node_port;
use crate::model::listener::Listener;
use crate::model::pod::{FIRST_FREE, LowPorts};
use crate::rule::{NODE_PORT, Severity};

/// Port of the kubelet. A TLS client that connects to this port gets the certificate of the kubelet.
const KUBELET: u16 = 10_250;

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in context.on_host() {
        let listeners = workload.ports.listeners.iter();
        for listener in listeners.filter(|listener| !may_be_a_mistake(context, workload, listener)) {
            let call = workload.display_name(listener);
            for Found { severity, what, fix, detail } in node_port_conflicts(context, workload, listener) {
                let finding = Finding::new(severity, NODE_PORT, format!("{call} {what}"));
                let finding = finding.on(workload.object).at(workload.field(listener)).of_port(listener.number);
                findings.push(finding.brief(fix, format!("{}{detail}", listener.number)));
            }
        }
    }
    findings
}

/// Problem with the port of a listener.
struct Found {
    severity: Severity,
    what: String,
    /// Remedy, in short.
    fix: &'static str,
    /// Addition to the number in the summary.
    detail: String,
}

/// Remedy for a number that another process may use.
const OTHERS: &str = "take another port: something else on the node may have this one";

fn node_port_conflicts(context: &CheckContext<'_>, workload: &Workload<'_>, listener: &Listener) -> Vec<Found> {
    let number = listener.number;
    let mut found = Vec::new();
    if let Some(row) = owner(workload, listener).filter(|_| !is_of_static_pod(context, listener)) {
        let calls = "; its callers fail with `x509: certificate is valid for NODE, not SVC.NS.svc`";
        let calls = if number == KUBELET { calls } else { "" };
        let detail = format!(" ({})", row.owner);
        found.push(match row.seen {
            NodePortUse::Always => Found {
                severity: Severity::Error,
                what: format!(
                    "is the port of {} on every node: it cannot listen there{calls}. Give it another number, such as `ports: auto` \
                     of a HostNetwork does",
                    row.owner
                ),
                fix: "take another port: on every node something else listens on this one",
                detail,
            },
            NodePortUse::Often => Found {
                severity: Severity::Warning,
                what: format!("is the port of {} on nodes that run it. Where yours do, give it another number", row.owner),
                fix: OTHERS,
                detail,
            },
        });
    } else if SERVICE_NODE_PORTS.contains(&number) {
        let what = "is one of the node ports of Services (30000-32767): where a Service has it, that one gets the connections. Give it \
                    another number";
        found.push(Found {
            severity: Severity::Warning,
            what: what.to_owned(),
            fix: OTHERS,
            detail: " (30000-32767 are for Services)".to_owned(),
        });
    } else if CLIENT_PORTS.contains(&number) {
        let what = "is one of the ports that the kernel gives to clients (32768-60999): any of them may hold it when it starts. Give it \
                    another number";
        found.push(Found {
            severity: Severity::Warning,
            what: what.to_owned(),
            fix: OTHERS,
            detail: " (32768-60999 are for outgoing connections)".to_owned(),
        });
    } else if context.settings.reserved.iter().any(|range| range.contains(number)) {
        found.push(Found {
            severity: Severity::Warning,
            what: "is one of those that `reserved` in the config lists. Give it another number".to_owned(),
            fix: OTHERS,
            detail: " (in `reserved` of the config)".to_owned(),
        });
    }
    found.extend(low(workload, listener));
    found
}

/// True if a static Pod of the input uses the port. Rule `port-conflict` then reports the conflict, with the node.
fn is_of_static_pod(context: &CheckContext<'_>, listener: &Listener) -> bool {
    let mut held = context.statics.iter().flat_map(|workload| &workload.ports.listeners);
    held.any(|held| held.number == listener.number && held.protocol == listener.protocol)
}

/// Process of the node that uses a port; `None` if a container of the workload is this process.
fn owner(workload: &Workload<'_>, listener: &Listener) -> Option<&'static NodePort> {
    node_port::owner(workload.template, listener.number, &listener.protocol)
}

/// Reports ports below 1024 of processes that are not root: on the host network these need the capability
/// `NET_BIND_SERVICE`.
fn low(workload: &Workload<'_>, listener: &Listener) -> Option<Found> {
    if listener.number >= FIRST_FREE {
        return None;
    }
    let rest = "Give it a number from 1024 on";
    let (severity, what) = match workload.container(listener)?.low_ports {
        LowPorts::Allowed => return None,
        LowPorts::Doubtful => (
            Severity::Warning,
            format!(
                "is below 1024, and the container is not root: on the host network that works only with the capability \
                 NET_BIND_SERVICE (`bind: permission denied`). {rest}"
            ),
        ),
        LowPorts::Denied => (
            Severity::Error,
            format!(
                "is below 1024, and the container is neither root nor has the capability NET_BIND_SERVICE: `bind: permission denied`. \
                 In the pod network the container runtime lets everybody listen there. {rest}"
            ),
        ),
    };
    let fix = "take a port from 1024 on: below, the process has to be root or have NET_BIND_SERVICE";
    Some(Found { severity, what, fix, detail: String::new() })
}
