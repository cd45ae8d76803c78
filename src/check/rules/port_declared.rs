//! Listeners on the host network whose ports are not declared.

use crate::check::listener_evidence::may_be_a_mistake;
use crate::check::port_use::{Bound, bound};
use crate::check::{CheckContext, Finding, Workload};
use crate::judge::libraries;
use crate::judge::mounted_files::{MountedFiles, MountedPorts};
use crate::model::listener::{EvidenceKind, Listener, WorkloadView, program_of};
use crate::rule::{PORT_DECLARED, Severity};
use lossless_yaml::Path;

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in context.on_host() {
        let undeclared = workload.ports.listeners.iter().filter(|listener| listener.declared.is_none());
        let undeclared = undeclared.filter(|listener| !has_invalid_declaration(workload, listener));
        for listener in undeclared.filter(|listener| !may_be_a_mistake(context, workload, listener)) {
            let protocol = match listener.protocol.as_ref() {
                "TCP" => String::new(),
                other => format!(", protocol: {other}"),
            };
            // Without its address, the scheduler would keep the pod away from pods with another loopback address.
            let address = match bound(workload, listener) {
                Some(Bound::Loopback(address)) => format!(", hostIP: '{address}'"),
                _ => String::new(),
            };
            let (label, number) = (&listener.label, listener.number);
            let port = format!("{{name: {label}, containerPort: {number}, hostPort: {number}{address}{protocol}}}");
            let message = format!(
                "{} is not declared ({}): neither the scheduler nor the autoscaler sees it, and a second pod on the node crashes with \
                 `bind: address already in use` instead of staying Pending. Add to the container's `ports`: \
                 `- {port}`",
                workload.display_name(listener),
                listener.evidence()
            );
            let finding = Finding::new(Severity::Warning, PORT_DECLARED, message);
            let finding = finding.on_object(workload.object).at(evidence_path(workload, listener)).of_port(number);
            let container = workload.container(listener).map(|container| container.name.as_str()).unwrap_or_default();
            let fix = "add this port to `ports` of the container: the scheduler does not see undeclared ports";
            findings.push(
                finding.brief(fix, format!("`{port}`")).about(format!("{}, container {container}", workload.meta)),
            );
        }
    }
    findings.extend(mounted_file_warnings(context));
    findings.extend(library_warnings(context));
    findings
}

/// Warnings about addresses of all interfaces in mounted files of programs that the catalogue does not know.
fn mounted_file_warnings(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut mounted = MountedFiles::new(context.model);
    let hints = context.settings.hints();
    let mut findings = Vec::new();
    for workload in context.on_host() {
        let Workload { meta, template, .. } = *workload;
        let view = view(workload);
        for (_, container) in template.running() {
            let Some(MountedPorts { first, numbers, files }) = mounted.ports(&view, container) else { continue };
            if program_of(container, meta, &hints).is_some() {
                continue;
            }
            let message = format!(
                "{meta}, container {}: the program is not in the catalogue, and may listen on {numbers} according to \
                 the mounted file {files}: neither the scheduler nor the autoscaler sees it. If it does, add the ports \
                 to `ports` of the container",
                container.name
            );
            let finding =
                Finding::new(Severity::Warning, PORT_DECLARED, message).on_object(workload.object).of_port(first);
            let fix = "add the ports to `ports` of the container if the program listens there: a mounted file contains \
                       the numbers";
            findings.push(
                finding.at(container.path.clone()).brief(fix, format!("container {}: {numbers}", container.name)),
            );
        }
    }
    findings
}

/// The workload as the model's view of a workload.
fn view<'m>(workload: &'m Workload<'_>) -> WorkloadView<'m> {
    let Workload { id, meta, template, .. } = *workload;
    WorkloadView { id, meta, template, listeners: &workload.ports.listeners, programs: &[] }
}

/// Warnings about ports of libraries in programs that the catalogue does not know.
fn library_warnings(context: &CheckContext<'_>) -> Vec<Finding> {
    let hints = context.settings.hints();
    let mut findings = Vec::new();
    for workload in context.on_host() {
        let running = workload.template.running().map(|(_, container)| container);
        let unknown = running.filter(|container| program_of(container, workload.meta, &hints).is_none());
        let of_container = |container| {
            let hidden = libraries::hidden_ports(context.model, &view(workload), container).into_iter();
            hidden.map(move |(library, ports)| (container, library, ports))
        };
        for (container, library, ports) in unknown.flat_map(of_container) {
            let numbers = libraries::format_ports(&ports);
            let message = format!(
                "{}, container {}: the program is not in the catalogue. Its {} belong to {}, which may also listen on {numbers}: \
                 neither the scheduler nor the autoscaler sees it. If it does, add the ports to `ports` of the container",
                workload.meta,
                container.name,
                library.settings(),
                library.name
            );
            let finding = Finding::new(Severity::Warning, PORT_DECLARED, message).on_object(workload.object);
            let fix =
                "add the ports to `ports` of the container if the program listens there: its library may open them";
            findings.push(
                finding.at(container.path.clone()).brief(fix, format!("container {}: {numbers}", container.name)),
            );
        }
    }
    findings
}

/// True if the container declares the number with an unknown protocol or as a text: a second port would not help, and
/// the rule `document` reports the first declaration.
fn has_invalid_declaration(workload: &Workload<'_>, listener: &Listener) -> bool {
    let number = listener.number.to_string();
    let mut ports = workload.container(listener).into_iter().flat_map(|container| &container.ports).flatten();
    ports.any(|port| {
        let is_number = port.container_port.as_ref().is_some_and(|scalar| *scalar.text == *number);
        is_number && (port.protocol == listener.protocol || !["TCP", "UDP", "SCTP"].contains(&port.protocol.as_ref()))
    })
}

/// Path of the field that shows a listener: the text that sets its number, or else a probe, or else the container.
fn evidence_path(workload: &Workload<'_>, listener: &Listener) -> Path {
    let mut places = listener.binding.places().filter(|(object, ..)| object.is_none());
    let set = places.next().map(|(_, place, _)| place.path.clone());
    let probe = || {
        let container = workload.container(listener)?;
        let probe = container.probes.iter().find(|probe| probe.number() == Some(listener.number));
        probe.filter(|_| listener.evidence_kinds.has(EvidenceKind::Probe)).map(|probe| probe.path.clone())
    };
    set.or_else(probe).unwrap_or_else(|| workload.field(listener))
}
