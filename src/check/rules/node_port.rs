//! Ports of pods that the node uses, or which need privileges: listeners on the host network, and `hostPort` of pods in
//! the pod network.

use crate::catalog::{CLIENT_PORTS, NodePortUse, SERVICE_NODE_PORTS};
use crate::check::listener_evidence::may_be_a_mistake;
use crate::check::service_ports::ServicePorts;
use crate::check::{CheckContext, Finding, Workload};
use crate::judge::node_port::{self, PortOwner};
use crate::judge::operator_ranges::{OperatorRange, operator_ranges, range_with};
use crate::model::listener::Listener;
use crate::model::pod::{ContainerPort, FIRST_UNPRIVILEGED_PORT, HeldPort, LowPorts};
use crate::rule::{NODE_PORT, Severity};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let others = OtherUsers { services: ServicePorts::new(context), ranges: operator_ranges(context.model) };
    let mut findings = Vec::new();
    let mut add = |workload: &Workload<'_>,
                   label: &str,
                   (path, number),
                   PortProblem { severity, what, fix, detail }: PortProblem| {
        let finding = Finding::new(severity, NODE_PORT, format!("{label} {what}")).on_object(workload.object);
        findings.push(finding.at(path).of_port(number).brief(fix, format!("{number}{detail}")));
    };
    for workload in &context.workloads {
        if !workload.on_host() {
            for held in workload.template.held_ports() {
                let found = host_port(context, &others, workload, &held);
                let label = format!("{}, container {}, hostPort {}", workload.meta, held.container.name, held.number);
                let place = (held.container.port_path(held.index), held.number);
                if let Some(found) = found {
                    add(workload, &label, place, found);
                }
            }
            continue;
        }
        let listeners = workload.ports.listeners.iter();
        for listener in listeners.filter(|listener| !may_be_a_mistake(context, workload, listener)) {
            let (label, number) = (workload.display_name(listener), listener.number);
            for found in on_host(context, &others, workload, listener) {
                add(workload, &label, (workload.field(listener), number), found);
            }
        }
    }
    findings
}

/// Services and operators of the input that use ports of nodes.
struct OtherUsers<'c> {
    services: ServicePorts<'c>,
    ranges: Vec<OperatorRange<'c>>,
}

impl OtherUsers<'_> {
    /// Problem with a port that an operator may give to its pods.
    fn operator_problem(&self, workload: &Workload<'_>, number: u16) -> Option<PortProblem> {
        let range = range_with(&self.ranges, workload.template, number)?;
        Some(PortProblem {
            severity: Severity::Warning,
            what: format!("is one of {range}. Give it another number"),
            fix: OTHERS,
            detail: format!(" ({})", range.operator),
        })
    }
}

/// Problem with the port of a listener.
struct PortProblem {
    severity: Severity,
    what: String,
    /// Remedy in the short form of the message.
    fix: &'static str,
    /// Text after the number in the short form.
    detail: String,
}

/// Remedy for a number that another process may use.
const OTHERS: &str = "use another port: another process of the node may listen on this port";

/// Problems with a listener on the host network.
fn on_host(
    context: &CheckContext<'_>,
    others: &OtherUsers<'_>,
    workload: &Workload<'_>,
    listener: &Listener,
) -> Vec<PortProblem> {
    let (number, protocol) = (listener.number, listener.protocol.as_ref());
    let mut found = Vec::new();
    let owner = node_port::owner(&context.nodes, workload.template, number, protocol);
    let declared = workload.container(listener).zip(listener.declared);
    let declared = declared.and_then(|(container, index)| container.ports.as_ref()?.get(index));
    if let Some(owner) = owner.filter(|_| !uses_in_static_pod(context, number, protocol)) {
        let calls = "; its callers fail with `x509: certificate is valid for NODE, not SVC.NS.svc`";
        let calls = if owner.is_kubelet { calls } else { "" };
        let detail = format!(" ({})", owner.name);
        found.push(match owner.seen {
            NodePortUse::Always => PortProblem {
                severity: Severity::Error,
                what: format!(
                    "is the port of {} on {}: it cannot listen there{calls}. Give it another number, such as `ports: auto` \
                     of a HostNetwork does",
                    owner.name, owner.nodes
                ),
                fix: "use another port: on every node another process listens on this port",
                detail,
            },
            NodePortUse::Often => PortProblem {
                severity: Severity::Warning,
                what: format!(
                    "is the port of {} on nodes that run it. If your nodes run it, give the pods another number",
                    owner.name
                ),
                fix: OTHERS,
                detail,
            },
        });
    } else if let Some(service) = others.services.other(context, workload, (number, protocol), (Some(number), declared))
    {
        found.push(node_port_of_service_problem(&service, "the Service gets the connections"));
    } else if SERVICE_NODE_PORTS.contains(&number) {
        found.push(service_range_problem("the Service gets the connections"));
    } else if CLIENT_PORTS.contains(&number) {
        let what = "is one of the ports that the kernel assigns to outgoing connections (32768-60999): such a connection may use it when the container starts. Give it \
                    another number";
        found.push(PortProblem {
            severity: Severity::Warning,
            what: what.to_owned(),
            fix: OTHERS,
            detail: " (32768-60999 are for outgoing connections)".to_owned(),
        });
    } else {
        found.extend(reserved(context, number).or_else(|| others.operator_problem(workload, number)));
    }
    found.extend(privileged_port(workload, listener));
    found
}

/// Problem with a `hostPort` of pods in the pod network: the network plugin redirects connections
/// from this port of the node to the pod, including connections for a process of the node.
/// Source: containernetworking/plugins@ec2b16212 `plugins/meta/portmap/portmap_iptables.go`, `genToplevelDnatChain`:
/// rules for all local addresses.
fn host_port(
    context: &CheckContext<'_>,
    others: &OtherUsers<'_>,
    workload: &Workload<'_>,
    held: &HeldPort<'_>,
) -> Option<PortProblem> {
    let (number, protocol) = (held.number, held.protocol);
    let declared = held.container.ports.iter().flatten().nth(held.index);
    // With a `hostIP`, the rules of the network plugin apply only to that address.
    let is_everywhere = declared.is_none_or(|port| matches!(&*port.host_ip, "" | "0.0.0.0" | "::"));
    let owner = node_port::owner(&context.nodes, workload.template, number, protocol);
    let owner = owner.filter(|owner| owner.seen == NodePortUse::Always && is_everywhere);
    if let Some(PortOwner { name, nodes, .. }) = owner.filter(|_| !uses_in_static_pod(context, number, protocol)) {
        return Some(PortProblem {
            severity: Severity::Error,
            what: format!(
                "is the port of {name} on {nodes}: the pod gets the connections of {name} there. Give it another number"
            ),
            fix: "use another port: on every node another process listens on this port",
            detail: format!(" ({name})"),
        });
    }
    let target = declared.and_then(ContainerPort::number);
    if let Some(service) = others.services.other(context, workload, (number, protocol), (target, declared)) {
        return Some(node_port_of_service_problem(&service, "only one of the two gets the connections"));
    }
    if SERVICE_NODE_PORTS.contains(&number) {
        return Some(service_range_problem("only one of the two gets the connections"));
    }
    reserved(context, number).or_else(|| others.operator_problem(workload, number))
}

/// Problem with a number that is also the node port of a Service of the input.
fn node_port_of_service_problem(service: &str, effect: &str) -> PortProblem {
    PortProblem {
        severity: Severity::Error,
        what: format!("is the node port of {service}: {effect}. Give one of the two another number"),
        fix: "use another port: a Service uses this port on every node",
        detail: format!(" ({service})"),
    }
}

/// Problem of a port in the range for node ports of Services.
fn service_range_problem(effect: &str) -> PortProblem {
    PortProblem {
        severity: Severity::Warning,
        what: format!(
            "is one of the node ports of Services (30000-32767): where a Service has it, {effect}. Give it another number"
        ),
        fix: OTHERS,
        detail: " (30000-32767 are for Services)".to_owned(),
    }
}

/// Problem of a port that the config reserves.
fn reserved(context: &CheckContext<'_>, number: u16) -> Option<PortProblem> {
    context.settings.reserved.iter().any(|range| range.contains(number)).then(|| PortProblem {
        severity: Severity::Warning,
        what: "is listed under `reserved` in the config. Give the port another number".to_owned(),
        fix: OTHERS,
        detail: " (in `reserved` of the config)".to_owned(),
    })
}

/// True if a static Pod of the input uses the port. Rule `port-conflict` then reports the conflict, with the node.
fn uses_in_static_pod(context: &CheckContext<'_>, number: u16, protocol: &str) -> bool {
    let mut held = context.static_pods.iter().flat_map(|workload| &workload.ports.listeners);
    held.any(|held| held.number == number && held.protocol == protocol)
}

/// Reports ports below 1024 of processes that are not root: on the host network these need the capability
/// `NET_BIND_SERVICE`.
fn privileged_port(workload: &Workload<'_>, listener: &Listener) -> Option<PortProblem> {
    if listener.number >= FIRST_UNPRIVILEGED_PORT {
        return None;
    }
    let rest = "Give it a number from 1024 on";
    let low_ports = workload.container(listener)?.low_ports;
    let (severity, what) = match low_ports {
        LowPorts::Allowed => return None,
        LowPorts::Added => (
            Severity::Info,
            format!(
                "is below 1024, and the container is not root: the added capability NET_BIND_SERVICE works only if the image's program \
                 has it as file capability (`setcap`), because Kubernetes sets no ambient capabilities. {rest}"
            ),
        ),
        LowPorts::Dropped => (
            Severity::Error,
            "is below 1024, and `capabilities` drops NET_BIND_SERVICE, which root needs too: `bind: permission denied`. In the pod \
             network the container runtime allows it. Write `add: [NET_BIND_SERVICE]`, or give it a number from 1024 on"
                .to_owned(),
        ),
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
                 In the pod network the container runtime allows it. {rest}"
            ),
        ),
    };
    let fix = match low_ports {
        LowPorts::Dropped => "use a port from 1024 on: lower ports need NET_BIND_SERVICE, also for root",
        LowPorts::Added => "use a port from 1024 on: lower ports need root, or a file capability of the program",
        _ => "use a port from 1024 on: lower ports need root or NET_BIND_SERVICE",
    };
    Some(PortProblem { severity, what, fix, detail: String::new() })
}
