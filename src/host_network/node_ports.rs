//! Ports used by nodes: `auto` never assigns them, and a listener that gets or keeps one of them is reported.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::assignments::{Assignment, Assignments};
use super::unbound::stay_reason;
use super::workload::Workload;
use crate::api::{HostNetworkConfig, Ports};
use crate::catalog::{self, CLIENT_PORTS, NodePortUse, SERVICE_NODE_PORTS};
use crate::judge::node_port::{self, PortOwner};
use crate::judge::nodes::Nodes;
use crate::judge::operator_ranges::{OperatorRange, operator_ranges, range_with};
use crate::model::facts::ServiceNodePort;
use crate::model::listener::{Listener, is_unopenable_implied_port};
use crate::model::pod::{FIRST_UNPRIVILEGED_PORT, LowPorts};
use crate::model::{Meta, Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Service with a port of every node.
type ServicePort<'m> = (ObjectId, &'m Meta, &'m ServiceNodePort);

/// Numbers that `auto` never assigns.
pub(super) fn unassignable_ports() -> impl Iterator<Item = RangeInclusive<u16>> {
    let rows = catalog::NODE_PORTS.iter().map(|row| row.port..=row.port);
    [0..=FIRST_UNPRIVILEGED_PORT - 1, SERVICE_NODE_PORTS, CLIENT_PORTS].into_iter().chain(rows)
}

/// Reports listeners whose final number is a port that nodes use.
pub(super) fn report_node_ports(
    model: &Model,
    config: &HostNetworkConfig,
    nodes: &Nodes<'_>,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
    findings: &mut Vec<Finding>,
) {
    let mut kept = KeptPortFindings::new(findings);
    let users = OtherUsers { config, nodes, ranges: operator_ranges(model) };
    let services: Vec<ServicePort<'_>> = model.service_node_ports().collect();
    for workload in workloads {
        report_unopenable_service_ports(model, workload, findings);
        for (position, listener) in workload.listeners.iter().enumerate() {
            let Some(number) = assignments.final_number(workload, position) else { continue };
            if assignments.choice(workload.id, position) == Assignment::Auto {
                // The listener has no number because the pool is full, which is reported elsewhere.
                continue;
            }
            // If an earlier finding reports the kept number, add the other users of the number to that finding.
            let label = workload.display_name(listener);
            let blockers = assignments.blockers(workload, position);
            let known = Some(()).filter(|()| number == listener.number);
            let known = known.and_then(|()| kept.take_finding(findings, workload, listener, blockers));
            if let Some(warned) = known.and_then(|known| findings.get_mut(known))
                && let Some(also) = users.note(workload, listener, number)
            {
                warned.message.push_str(&also);
                if number >= FIRST_UNPRIVILEGED_PORT {
                    continue;
                }
            }
            let is_reported = known.is_some() && users.note(workload, listener, number).is_some();
            let mut report = |severity, message| {
                let finding = Finding::new(severity, rule::NODE_PORT, message);
                findings.push(finding.on_object(workload.id.object).at(workload.field(listener)).of_port(number));
            };
            // A closure, because few listeners need the text.
            let ends = || {
                if number == listener.number { format!("{label} keeps") } else { format!("{label} moves to {number},") }
            };
            if is_reported {
                // Already reported with the reason for the kept number.
            } else if let Some(owner) = users.owner(workload, listener, number) {
                let (severity, where_to) = match owner.seen {
                    NodePortUse::Always => (Severity::Error, format!("{}: the bind would fail;", owner.nodes)),
                    NodePortUse::Often => (Severity::Warning, "nodes that run it. If your nodes run it:".to_owned()),
                };
                let remedy = remedy(model, config, workload, position, assignments);
                report(severity, format!("{} the port of {} on {where_to} {remedy}", ends(), owner.name));
            } else if let Some(service) = service_at(model, &services, workload, listener, number) {
                let remedy = remedy(model, config, workload, position, assignments);
                let gets = "which gets the connections:";
                report(Severity::Error, format!("{} the node port of {service}, {gets} {remedy}", ends()));
            } else if let Some(range_description) = users.range(workload, number) {
                let ends = if number == listener.number { format!("{label} keeps its number,") } else { ends() };
                report(Severity::Warning, format!("{ends} which is one of {range_description}"));
            }
            if number < FIRST_UNPRIVILEGED_PORT {
                report_privileged_port(workload, listener, number, &mut report);
            }
        }
    }
}

/// Positions of findings about listeners with kept numbers, by object and port.
struct KeptPortFindings(BTreeMap<(ObjectId, u16), Vec<usize>>);

impl KeptPortFindings {
    /// Indexes warnings and errors about ports that keep their numbers, by object and port.
    fn new(findings: &[Finding]) -> Self {
        let mut kept: BTreeMap<(ObjectId, u16), Vec<usize>> = BTreeMap::new();
        for (position, finding) in findings.iter().enumerate() {
            let is_kept = matches!(
                finding.rule,
                rule::PORT_SETTING | rule::PORT_REFERENCE | rule::SERVICE_TARGET | rule::PORT_CONFLICT
            );
            for port in finding.ports.iter().filter(|_| is_kept && finding.severity != Severity::Info) {
                kept.entry((finding.object.unwrap_or(ObjectId::MAX), *port)).or_default().push(position);
            }
        }
        Self(kept)
    }

    /// Returns the position of the first finding about a listener: at the field of the listener, about all kept ports
    /// of the workload, or blocking the move. A finding at a field that blocks listeners of several workloads is
    /// returned only once, so that each listener gets a separate finding.
    fn take_finding(
        &mut self,
        findings: &[Finding],
        workload: &Workload<'_>,
        listener: &Listener,
        blockers: &[Finding],
    ) -> Option<usize> {
        let field = workload.field(listener);
        let template = workload.template.path.to_string();
        let is_own = |finding: &Finding| {
            let path = finding.path.as_ref();
            let is_below = || path.is_some_and(|path| path.to_string().starts_with(&template));
            finding.object == Some(workload.id.object) && (path == Some(&field) || (finding.is_of_each && is_below()))
        };
        let is_blocker = |finding: &Finding| {
            blockers.iter().any(|blocker| (blocker.object, &blocker.path) == (finding.object, &finding.path))
        };
        let objects = blockers.iter().filter_map(|finding| finding.object).chain([workload.id.object]);
        let positions = objects.flat_map(|object| self.0.get(&(object, listener.number)).into_iter().flatten());
        let is_about =
            |position: &&usize| findings.get(**position).is_some_and(|finding| is_own(finding) || is_blocker(finding));
        let first = positions.filter(is_about).min().copied()?;
        if findings.get(first).is_some_and(|finding| !finding.is_of_each) {
            self.0.values_mut().for_each(|positions| positions.retain(|position| *position != first));
        }
        Some(first)
    }
}

/// Other users of the ports of nodes.
struct OtherUsers<'u> {
    config: &'u HostNetworkConfig,
    nodes: &'u Nodes<'u>,
    ranges: Vec<OperatorRange<'u>>,
}

impl OtherUsers<'_> {
    /// Addition to the warning about a kept number: other users of the number. `None` for a port that every node uses,
    /// which is a separate error.
    fn note(&self, workload: &Workload<'_>, listener: &Listener, number: u16) -> Option<String> {
        match self.owner(workload, listener, number) {
            Some(owner) if owner.seen == NodePortUse::Always => None,
            Some(owner) => Some(format!(". Nodes that run {} have {number} taken", owner.name)),
            None => self
                .range(workload, number)
                .map(|range_description| format!(". {number} is one of {range_description}")),
        }
    }

    /// Program of the node that uses a port, unless the program runs in this workload.
    fn owner(&self, workload: &Workload<'_>, listener: &Listener, number: u16) -> Option<PortOwner> {
        node_port::owner(self.nodes, workload.template, number, &listener.protocol)
    }

    /// Range with a number that other programs use.
    fn range(&self, workload: &Workload<'_>, number: u16) -> Option<Cow<'static, str>> {
        if SERVICE_NODE_PORTS.contains(&number) {
            return Some("the node ports of Services (30000-32767)".into());
        }
        if CLIENT_PORTS.contains(&number) {
            return Some(
                "the ports that the kernel assigns to outgoing connections (32768-60999): such a connection may use it already"
                    .into(),
            );
        }
        if self.config.host_network.spec.reserved.iter().any(|range| range.contains(number)) {
            return Some("the numbers under `reserved` in the config".into());
        }
        let of_operator = range_with(&self.ranges, workload.template, number);
        of_operator.map(|range| range.to_string().into())
    }
}

/// Remedy for a listener on a port that nodes use.
fn remedy(
    model: &Model,
    config: &HostNetworkConfig,
    workload: &Workload<'_>,
    position: usize,
    assignments: &Assignments,
) -> String {
    let Some(listener) = workload.listeners.get(position) else { return String::new() };
    let key = Workload::key(listener);
    let target = config.host_network.spec.targets.get(workload.target);
    if listener.binding.is_accepted() {
        return "`bind` fixes its number: put the workload under `exclude`".to_owned();
    }
    let is_auto = target.is_some_and(|target| target.ports == Ports::Auto);
    let choice = assignments.choice(workload.id, position);
    if choice == Assignment::Keep
        && !is_auto
        && let Some(reason) = stay_reason(model, workload, listener)
    {
        let remedy = workload.remedies([&reason.remedy].into_iter(), false);
        let stays = format!("its number cannot be set: {}", reason.text);
        return match remedy.is_empty() {
            true => format!("{stays}. Put the workload under `exclude`"),
            false => format!("{stays}. {remedy}. Then write `{key}: auto` in `ports`"),
        };
    }
    match choice {
        Assignment::Given { recorded: true, .. } => format!("give `{key}` another number in `assigned`"),
        Assignment::Keep if is_auto => {
            "`auto` could not move it: name the setting of its number in `bind`, or put the workload under `exclude`"
                .to_owned()
        }
        _ => format!("write `auto` or another number for `{key}` in `ports`"),
    }
}

/// Service of the input that uses a port of the nodes and does not send traffic to the listener.
fn service_at(
    model: &Model,
    services: &[ServicePort<'_>],
    workload: &Workload<'_>,
    listener: &Listener,
    number: u16,
) -> Option<String> {
    let name = listener.name.as_deref();
    let is_own = |id, port| model.is_node_port_of((id, port), workload.pods_view(), Some(listener.number), name);
    let mut services = services.iter().filter(|(id, _, port)| {
        port.number == Some(number) && *port.protocol == *listener.protocol && !is_own(*id, port)
    });
    services.next().map(|(_, meta, _)| meta.to_string())
}

/// Warnings about ports of Services that no process of the pods may open on the host network.
fn report_unopenable_service_ports(model: &Model, workload: &Workload<'_>, findings: &mut Vec<Finding>) {
    for (_, service, facts) in model.services_of(workload.meta, workload.template) {
        let ports =
            facts.ports.iter().filter(|port| is_unopenable_implied_port(model, workload.template, service, port));
        for number in ports.filter_map(|port| port.port) {
            if workload.listeners.iter().any(|listener| listener.number == number) {
                continue;
            }
            let message = format!(
                "{workload}: {service} targets {number}, since it has no `targetPort`, and on the host network no container can listen on that port. If no process does, remove the port from {service}, or write the `targetPort` that its pods have"
            );
            let finding = Finding::new(Severity::Warning, rule::NODE_PORT, message).on_object(workload.id.object);
            findings.push(finding.at(workload.template.spec_path()).of_port(number));
        }
    }
}

/// Reports numbers below 1024: on the host network a process that is not root needs the capability for them.
fn report_privileged_port(
    workload: &Workload<'_>,
    listener: &Listener,
    number: u16,
    report: &mut impl FnMut(Severity, String),
) {
    let Some(container) = workload.container(listener) else { return };
    let label = workload.display_name(listener);
    match container.low_ports {
        LowPorts::Allowed => {}
        LowPorts::Added => report(
            Severity::Info,
            format!(
                "{label} gets port {number}, and the container does not run as root: on the host network, the added capability NET_BIND_SERVICE works only if the image's program has it as file capability"
            ),
        ),
        LowPorts::Dropped => report(
            Severity::Error,
            format!(
                "{label} would listen on {number}, and `capabilities` drops NET_BIND_SERVICE, which root needs too: on the host network \
                 the bind would fail. Give it a number from 1024 on"
            ),
        ),
        LowPorts::Doubtful => report(
            Severity::Warning,
            format!(
                "{label} gets port {number}, and the container does not run as root: on the host network, ports below 1024 then need the capability NET_BIND_SERVICE. Give it a number from 1024 on"
            ),
        ),
        LowPorts::Denied => report(
            Severity::Error,
            format!(
                "{label} would listen on {number}, and the container is neither root nor has the capability NET_BIND_SERVICE: \
                 on the host network the bind would fail. Give it a number from 1024 on"
            ),
        ),
    }
}
