//! Edits of the pod spec (`hostNetwork`, `dnsPolicy`, host ports), and checks for fields that forbid them.

use std::fmt::Display;

use super::assignments::Assignments;
use super::refused_values;
use super::workload::Workload;
use crate::api::{HostNetworkConfig, Ports};
use crate::catalog::MarkPlace;
use crate::judge::pod_network::{RefusedMark, plugin_annotations};
use crate::judge::{pod_network, windows};
use crate::model::ObjectId;
use crate::model::facts::{FieldPort, Reach};
use crate::model::listener::declared;
use crate::model::pod::{Forbidding, Redirect, Scalar};
use crate::model::reference::{AllPods, NamedPort, own_annotations};
use crate::model::text::{may_be_filled_in, may_become_port};
use crate::plan::{Change, Edit, Finding, Plan};
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Value, is_string};

/// True if the pod spec forbids the host network: reports the reasons, and the workload stays unchanged.
pub(super) fn forbidden(all: &AllPods<'_>, workload: &Workload<'_>, findings: &mut Vec<Finding>) -> bool {
    let mut forbids = forbidding_fields(workload);
    let is_windows = windows::stays_in_pod_network(workload.template);
    if is_windows {
        let message = format!(
            "{workload}: its pods run on Windows nodes, and {}. The workload is not changed: put it under `exclude`",
            windows::WINDOWS_POD_NETWORK_REASON
        );
        let path = workload.template.spec_path().key("hostNetwork");
        forbids.push(Finding::new(severity(workload), rule::POD_FORBIDS, message).at(path));
    }
    // Pods that are already on the host network change the node as their author intended.
    let is_new = !workload.template.on_host_network();
    if is_new {
        forbids.extend(redirects(workload));
        forbids.extend(annotations_of_plugins(workload));
        forbids.extend(refused_marks(all, workload));
        forbids.extend(network_devices(all, workload));
    }
    let is_forbidden = !forbids.is_empty();
    if is_new {
        forbids.extend(pod_network::namespace_annotation_warnings(all.model, workload.pods_view()));
    }
    forbids.extend(pod_network::virtual_machine(all.model, workload, workload.template));
    findings.extend(forbids.into_iter().map(|finding| finding.on_object(workload.id.object)));
    let unreadable = [
        unread_lists(workload, findings),
        unreadable_ports(workload, findings),
        unreadable_references(all, workload, findings),
        refused_values::report_refused_values(workload, findings),
    ];
    is_forbidden || unreadable.contains(&true)
}

/// Severity of the reasons for which a workload stays unchanged.
fn severity(workload: &Workload<'_>) -> Severity {
    if workload.strict { Severity::Error } else { Severity::Warning }
}

/// Finding about a field or object for which a workload stays on the pod network.
fn stays(workload: &Workload<'_>, path: Path, reason: impl Display, remedy: impl Display) -> Finding {
    let message = format!(
        "{workload}: {reason}. The workload stays on the pod network. {remedy}, or put the workload under `exclude`"
    );
    Finding::new(severity(workload), rule::POD_FORBIDS, message).at(path)
}

/// Fields that the API server refuses on the host network.
fn forbidding_fields(workload: &Workload<'_>) -> Vec<Finding> {
    let finding = |Forbidding { path, value, .. }: &Forbidding| {
        let reason = format!("{path} is `{value}`, which the API server refuses together with `hostNetwork: true`");
        let finding = stays(workload, path.clone(), reason, "Remove the field");
        Finding { current: Some(value.clone()), ..finding }
    };
    workload.template.forbidding.iter().map(finding).collect()
}

/// Containers that change the network of their pod, or wait for that change.
fn redirects(workload: &Workload<'_>) -> Vec<Finding> {
    let finding = |redirect: &Redirect| {
        let (does, there) = if redirect.waits {
            (
                "waits until the traffic of its pod is redirected",
                "no CNI plugin redirects it, so that the pod never starts",
            )
        } else {
            ("changes the network of its pod", "it would change that of the node")
        };
        let kind = if redirect.is_init { "init container" } else { "container" };
        let Redirect { container, shown, .. } = redirect;
        let reason = format!("{kind} {container} {does} ({shown}): on the host network {there}");
        stays(workload, redirect.path.clone(), reason, "Remove the container")
    };
    workload.template.redirects.iter().map(finding).collect()
}

/// Annotations of the pods by which a network plugin changes their network.
fn annotations_of_plugins(workload: &Workload<'_>) -> Vec<Finding> {
    let finding = |(key, gives): (&'static str, &str)| {
        let reason = format!(
            "a network plugin gives its pods {gives} by the annotation `{key}`, and the kubelet calls no plugin for pods on the host \
             network"
        );
        let path = workload.template.path.key("metadata").key("annotations").key(key);
        stays(workload, path, reason, "Remove the annotation")
    };
    plugin_annotations(workload.template).into_iter().map(finding).collect()
}

/// Marks of the pods that other programs refuse on the host network.
fn refused_marks(all: &AllPods<'_>, workload: &Workload<'_>) -> Vec<Finding> {
    let finding = |RefusedMark { mark, path, other, has }: RefusedMark| {
        let (key, why) = (mark.shown(), mark.why);
        let remedy = match mark.at {
            MarkPlace::Image => "Write the image that its pods run".to_owned(),
            _ => format!("Remove `{key}`"),
        };
        Finding { other, ..stays(workload, path, format!("{has} `{key}`, and {why}"), remedy) }
    };
    pod_network::refused(all.model, workload.pods_view()).into_iter().map(finding).collect()
}

/// Claims of network devices, which drivers refuse on the host network.
fn network_devices(all: &AllPods<'_>, workload: &Workload<'_>) -> Vec<Finding> {
    let devices = pod_network::network_devices(all.model, workload.pods_view()).into_iter();
    devices.map(|device| stays(workload, device.path.clone(), device, "Remove the claim")).collect()
}

/// Reports lists of the pod spec that have another form; true if there are any. Their ports and settings are unknown.
fn unread_lists(workload: &Workload<'_>, findings: &mut Vec<Finding>) -> bool {
    let severity = severity(workload);
    let paths = &workload.template.unread_lists;
    findings.extend(paths.iter().map(|path| {
        let message = format!(
            "{workload}: {path} is not a list, so hostnet cannot read it. The workload is not changed: write a list"
        );
        Finding::new(severity, rule::PORT_DECLARED, message).on_object(workload.id.object).at(path.clone())
    }));
    !paths.is_empty()
}

/// Reports declared ports that are not plain decimal numbers; true if there are any. YAML 1.1 and 1.2 read `0x1F90`,
/// `017620` and `8_080` differently, and the API server refuses text.
fn unreadable_ports(workload: &Workload<'_>, findings: &mut Vec<Finding>) -> bool {
    let before = findings.len();
    for (_, container) in workload.template.running() {
        for (index, port) in container.ports.iter().flatten().enumerate() {
            let text = port.container_port.as_ref().map_or("absent", |scalar| scalar.text.as_ref());
            if port.number().is_some() || port.is_filled_in_later() {
                continue;
            }
            let severity = severity(workload);
            let message = format!(
                "{}, container {}: containerPort is `{text}`; expected a number from 1 to 65535 in decimal digits, without quotes. The \
                 workload is not changed",
                workload, container.name
            );
            let path = container.port_path(index).key("containerPort");
            findings.push(Finding::new(severity, rule::PORT_DECLARED, message).on_object(workload.id.object).at(path));
        }
    }
    findings.len() > before
}

/// Reports ports in probes, annotations and fields of other objects that YAML readers interpret differently. True if
/// one of them certainly belongs to this workload: its text may be the number of a port that moves.
fn unreadable_references(all: &AllPods<'_>, workload: &Workload<'_>, findings: &mut Vec<Finding>) -> bool {
    let before = findings.len();
    let ports = || workload.template.running().flat_map(|(_, container)| container.ports.iter().flatten());
    let mut look = |object: ObjectId, path: Path, text: &str| {
        let is_name = is_string(text) || ports().any(|port| port.name.as_deref() == Some(text));
        if text.is_empty() || is_name || may_become_port(text) {
            return;
        }
        let other = all.model.object(object).filter(|_| object != workload.id.object);
        let place = other.map(|object| format!("{} ", object.meta)).unwrap_or_default();
        let severity = severity(workload);
        let message = format!(
            "{workload}: {place}{path} is `{text}`; expected the port's name, or a number from 1 to 65535 in decimal digits. The \
             workload is not changed"
        );
        findings.push(Finding::new(severity, rule::PORT_REFERENCE, message).on_object(object).at(path));
    };
    let probes = workload.template.running().flat_map(|(_, container)| &container.probes);
    for probe in probes.filter(|probe| probe.is_own() && probe.number().is_none()) {
        look(workload.id.object, probe.path.clone(), &probe.port.text);
    }
    for field in own_annotations(workload.template).into_iter().filter(|field| field.port == FieldPort::Unreadable) {
        look(workload.id.object, field.path, &field.value.text);
    }
    let fields = all.fields_of(workload.id, workload.meta, workload.template);
    let unreadable = fields.iter().filter(|named| named.field.port == FieldPort::Unreadable);
    let (known, may_be): (Vec<&NamedPort<'_>>, Vec<_>) =
        unreadable.partition(|named| named.reach == Reach::Sure && !named.field.is_only_reported());
    for named in known {
        look(named.object, named.field.path.clone(), &named.field.value.text);
    }
    let is_left = findings.len() > before;
    // These fields are only reported, because they may refer to something other than a port of the workload.
    for named in may_be {
        let place = all.model.object(named.object).map(|object| object.meta.to_string()).unwrap_or_default();
        let message = format!(
            "{}: {place} {} is `{}`, which some YAML parsers read as a number and others do not: if it refers to a port that moves, change it too",
            workload, named.field.path, named.field.value.text
        );
        let finding = Finding::new(Severity::Warning, rule::PORT_REFERENCE, message);
        findings.push(finding.on_object(named.object).at(named.field.path.clone()));
    }
    is_left
}

/// Edits of the pod spec for every selected workload.
pub(super) fn edits(config: &HostNetworkConfig, workload: &Workload<'_>, assignments: &Assignments, plan: &mut Plan) {
    host_network(workload, plan);
    dns_policy(config, workload, plan);
    host_ports(workload, assignments, plan);
}

/// Change that sets an existing field or adds a missing field.
fn set_or_add(old: Option<&Scalar>, new: Value) -> Change {
    match old {
        Some(scalar) => Change::Set { old: scalar.value(), new },
        None => Change::Add { new },
    }
}

/// Plans `hostNetwork: true` for a workload that moves.
fn host_network(workload: &Workload<'_>, plan: &mut Plan) {
    if workload.template.on_host_network() {
        return;
    }
    let old = workload.template.host_network.as_ref();
    plan.edits.push(Edit {
        object: workload.id.object,
        path: workload.template.spec_path().key("hostNetwork"),
        change: set_or_add(old, Value::Bool(true)),
        rule: rule::HOST_NETWORK,
        message: workload.message("moves to the host network"),
    });
}

/// Sets the `dnsPolicy` of the config if the pods have `ClusterFirst` or no policy; other policies are kept.
fn dns_policy(config: &HostNetworkConfig, workload: &Workload<'_>, plan: &mut Plan) {
    let wanted = config.host_network.spec.dns_policy.as_str();
    let old = workload.template.dns_policy.as_ref().filter(|policy| !policy.is_null());
    let path = workload.template.spec_path().key("dnsPolicy");
    if windows::is_windows(workload.template) && wanted == "ClusterFirstWithHostNet" {
        let message = format!("{workload}: dnsPolicy is not changed: Windows nodes do not support {wanted}");
        plan.findings
            .push(Finding::new(Severity::Info, rule::DNS_POLICY, message).on_object(workload.id.object).at(path));
        return;
    }
    match old.map(|policy| policy.text.as_ref()) {
        None | Some("ClusterFirst" | "") if wanted == "None" && !workload.template.has_name_servers => {
            let message = format!(
                "{workload}: `dnsPolicy: None` needs `dnsConfig.nameservers` in the pod spec, and the API server refuses a pod without \
                 them. Write the servers there, or leave out `dnsPolicy` in the config"
            );
            let finding = Finding::new(Severity::Error, rule::DNS_POLICY, message);
            plan.findings.push(finding.on_object(workload.id.object).at(path));
        }
        None | Some("ClusterFirst" | "") if old.is_none_or(|policy| *policy.text != *wanted) => {
            let was = old.map_or("absent", |policy| policy.text.as_ref());
            plan.edits.push(Edit {
                object: workload.id.object,
                path,
                change: set_or_add(workload.template.dns_policy.as_ref(), Value::from(wanted)),
                rule: rule::DNS_POLICY,
                message: workload.message(format_args!("dnsPolicy {was} -> {wanted}")),
            });
        }
        Some(kept @ ("None" | "Default")) => {
            let message = format!(
                "{}: dnsPolicy `{kept}` is set in the manifest and is kept{}",
                workload,
                if kept == "Default" { "; with this policy, names of the cluster do not resolve" } else { "" }
            );
            let finding = Finding::new(Severity::Info, rule::DNS_POLICY, message);
            plan.findings.push(finding.on_object(workload.id.object).at(path));
        }
        Some(later) if may_be_filled_in(later) => {
            let message = format!(
                "{workload}: dnsPolicy is `{later}`, which is filled in later: with ClusterFirst, names of the cluster would not \
                 resolve. Fill in {wanted}"
            );
            let finding = Finding::new(Severity::Warning, rule::DNS_POLICY, message);
            plan.findings.push(finding.on_object(workload.id.object).at(path));
        }
        _ => {}
    }
}

/// Reports, for `ports: auto`, containers whose `hostPort` differs from their `containerPort`; true if there are any.
/// On the host network both must be equal, and the config does not choose between them, so the workload stays
/// unchanged.
pub(super) fn report_differing_host_port(
    config: &HostNetworkConfig,
    workload: &Workload<'_>,
    findings: &mut Vec<Finding>,
) -> bool {
    let target = config.host_network.spec.targets.get(workload.target);
    if target.is_none_or(|target| target.ports != Ports::Auto) || workload.template.on_host_network() {
        return false;
    }
    let mut differ = workload.template.running().flat_map(|(_, container)| {
        let ports = container.ports.iter().flatten().enumerate();
        ports.filter_map(move |(index, port)| {
            let (number, host) = (port.number()?, port.host_number()?);
            let name = port.name.clone().unwrap_or_else(|| number.to_string());
            (number != host).then(|| (container.port_path(index).key("hostPort"), name, number, host))
        })
    });
    let Some((path, name, number, host)) = differ.next() else { return false };
    let message = format!(
        "{workload}: port {name} has hostPort {host} and containerPort {number}; on the host network both must be equal, and clients of the \
         node use {host}. The workload is not changed: write `ports: {{{name}: {host}}}` in a separate target to move the process there, \
         or `{name}: keep` to give up {host}"
    );
    let finding = Finding::new(Severity::Warning, rule::HOST_PORT, message).of_port(number);
    findings.push(Finding { current: Some(host.into()), ..finding.on_object(workload.id.object).at(path) });
    true
}

/// Adds an explicit `hostPort` to every declared listener.
fn host_ports(workload: &Workload<'_>, assignments: &Assignments, plan: &mut Plan) {
    for (position, listener) in workload.listeners.iter().enumerate() {
        let Some(container) = workload.container(listener) else { continue };
        let Some(number) = assignments.final_number(workload, position) else { continue };
        // An undeclared listener gets its `hostPort` together with the declaration.
        let Some(declared) = workload.declared_index(listener) else { continue };
        let Some(port) = container.ports.iter().flatten().nth(declared) else { continue };
        let path = container.port_path(declared).key("hostPort");
        match port.host_number() {
            Some(host) if host == number => {}
            Some(host) if host != listener.number && !assignments.has_key_for(workload, position) => {
                let message = format!(
                    "{}: hostPort is {host} and containerPort {}; on the host network both must be equal, and clients \
                     of the node use {host}. Name the port in `ports`: `{key}: {host}` to move the process there, or \
                     `{key}: keep` or `{key}: auto` to give up {host}",
                    workload.display_name(listener),
                    listener.number,
                    key = Workload::key(listener),
                );
                let finding = Finding::new(Severity::Error, rule::HOST_PORT, message).of_port(listener.number);
                plan.findings
                    .push(Finding { current: Some(host.into()), ..finding.on_object(workload.id.object).at(path) });
            }
            old => {
                if let Some(host) =
                    old.filter(|_| !workload.template.on_host_network() && !assignments.has_key_for(workload, position))
                {
                    let message = format!(
                        "{}: hostPort {host} moves to {number}, and clients of the node that use {host} no longer reach it. \
                         To keep it, write `{}: keep` in `ports`",
                        workload.display_name(listener),
                        Workload::key(listener),
                    );
                    let finding = Finding::new(Severity::Warning, rule::HOST_PORT, message).of_port(listener.number);
                    plan.findings.push(finding.on_object(workload.id.object).at(path.clone()));
                }
                plan.edits.push(host_port(workload, path, port.host_port.as_ref(), number.into(), old));
            }
        }
    }
    placeholders(workload, plan);
}

/// Gives ports with a placeholder (`${PORT}`, `"{{ port }}"`) the same placeholder as `hostPort`.
fn placeholders(workload: &Workload<'_>, plan: &mut Plan) {
    for declared in declared(workload.template) {
        let Some(port) = declared.container.ports.iter().flatten().nth(declared.index) else { continue };
        let path = declared.container.port_path(declared.index).key("hostPort");
        // A copy of a placeholder would be a text, not a number. Kubernetes gives such a port its own number as
        // `hostPort`.
        if port.container_port.as_ref().is_some_and(Scalar::is_template) {
            continue;
        }
        match &port.host_port {
            None => plan.edits.push(host_port(workload, path, None, declared.text.into(), None)),
            Some(host) if host.is_null() => {
                plan.edits.push(host_port(workload, path, Some(host), declared.text.into(), None));
            }
            Some(host) if *host.text != *declared.text => {
                let message = format!(
                    "{}, container {}: containerPort is `{}` and hostPort `{}`; they can be compared only after the placeholders are \
                     filled in",
                    workload, declared.container.name, declared.text, host.text
                );
                let finding = Finding::new(Severity::Warning, rule::HOST_PORT, message);
                plan.findings.push(finding.on_object(workload.id.object).at(path));
            }
            Some(_) => {}
        }
    }
}

/// Edit that sets a `hostPort`; `was` is its old number for the message.
fn host_port(workload: &Workload<'_>, path: Path, old: Option<&Scalar>, new: Value, was: Option<u16>) -> Edit {
    let shown = new.to_string();
    let message = match was {
        Some(was) => workload.message(format_args!("{path} {was} -> {shown}")),
        None => workload.message(format_args!("{path} is {shown}, written out")),
    };
    Edit { object: workload.id.object, path, change: set_or_add(old, new), rule: rule::HOST_PORT, message }
}
