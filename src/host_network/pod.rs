//! Edits of the pod spec (`hostNetwork`, `dnsPolicy`, host ports), and checks for fields that forbid them.

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
    let severity = if workload.strict { Severity::Error } else { Severity::Warning };
    for Forbidding { path, value, .. } in &workload.template.forbidding {
        let message = format!(
            "{workload}: {path} is `{value}`, which the API server refuses together with `hostNetwork: true`; the workload stays on the \
             pod network. Remove the field, or put the workload under `exclude`"
        );
        let finding = Finding { current: Some(value.clone()), ..Finding::new(severity, rule::POD_FORBIDS, message) };
        findings.push(finding.on_object(workload.id.object).at(path.clone()));
    }
    let is_windows = windows::stays_in_pod_network(workload.template);
    if is_windows {
        let message = format!(
            "{workload}: its pods run on Windows nodes, and {}. The workload is not changed: put it under `exclude`",
            windows::WINDOWS_POD_NETWORK_REASON
        );
        let finding = Finding::new(severity, rule::POD_FORBIDS, message).on_object(workload.id.object);
        findings.push(finding.at(workload.template.spec_path().key("hostNetwork")));
    }
    // Skip pods that are already on the host network: their redirect already changes the node, as
    // intended.
    let on_host = workload.template.on_host_network();
    let redirects: &[Redirect] = if on_host { &[] } else { &workload.template.redirects };
    for redirect in redirects {
        let (does, there) = if redirect.waits {
            (
                "waits until the traffic of its pod is redirected",
                "no CNI plugin redirects it, so that the pod never starts",
            )
        } else {
            ("changes the network of its pod", "it would change that of the node")
        };
        let message = format!(
            "{}: {} {} {does} ({}): on the host network {there}. The workload stays on the pod network. Remove the container, or put the \
             workload under `exclude`",
            workload,
            if redirect.is_init { "init container" } else { "container" },
            redirect.container,
            redirect.shown
        );
        findings.push(
            Finding::new(severity, rule::POD_FORBIDS, message).on_object(workload.id.object).at(redirect.path.clone()),
        );
    }
    let given = if on_host { Vec::new() } else { plugin_annotations(workload.template) };
    for (key, gives) in &given {
        let message = format!(
            "{workload}: a network plugin gives its pods {gives} by the annotation `{key}`, and the kubelet calls no plugin for pods on the \
             host network. The workload stays on the pod network. Remove the annotation, or put the workload under `exclude`"
        );
        let path = workload.template.path.key("metadata").key("annotations").key(*key);
        findings.push(Finding::new(severity, rule::POD_FORBIDS, message).on_object(workload.id.object).at(path));
    }
    let refused = if on_host { Vec::new() } else { pod_network::refused(all.model, workload.pods_view()) };
    for RefusedMark { mark, path, other, has } in &refused {
        let (key, why) = (mark.shown(), mark.why);
        let remedy = match mark.at {
            MarkPlace::Image => "Write the image that its pods run".to_owned(),
            _ => format!("Remove `{key}`"),
        };
        let message = format!(
            "{workload}: {has} `{key}`, and {why}. The workload stays on the pod network. {remedy}, or put the workload under \
             `exclude`"
        );
        let finding = Finding::new(severity, rule::POD_FORBIDS, message).on_object(workload.id.object).at(path.clone());
        findings.push(Finding { other: other.clone(), ..finding });
    }
    let devices = if on_host { Vec::new() } else { pod_network::network_devices(all.model, workload.pods_view()) };
    findings.extend(devices.iter().map(|device| {
        let message = format!(
            "{workload}: {device}. The workload stays on the pod network. Remove the claim, or put the workload under `exclude`"
        );
        Finding::new(severity, rule::POD_FORBIDS, message).on_object(workload.id.object).at(device.path.clone())
    }));
    let of_namespace = pod_network::namespace_annotation_warnings(all.model, workload.pods_view()).into_iter();
    findings.extend(of_namespace.filter(|_| !on_host).map(|finding| finding.on_object(workload.id.object)));
    findings.extend(
        pod_network::virtual_machine(all.model, workload, workload.template)
            .map(|finding| finding.on_object(workload.id.object)),
    );
    let unreadable = [
        unread_lists(workload, findings),
        unreadable_ports(workload, findings),
        unreadable_references(all, workload, findings),
        refused_values::report_refused_values(workload, findings),
    ];
    is_windows
        || unreadable.contains(&true)
        || !workload.template.forbidding.is_empty()
        || !redirects.is_empty()
        || !given.is_empty()
        || !refused.is_empty()
        || !devices.is_empty()
}

/// Reports lists of the pod spec that have another form; true if there are any. Their ports and settings are unknown.
fn unread_lists(workload: &Workload<'_>, findings: &mut Vec<Finding>) -> bool {
    let severity = if workload.strict { Severity::Error } else { Severity::Warning };
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
            let severity = if workload.strict { Severity::Error } else { Severity::Warning };
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
        let severity = if workload.strict { Severity::Error } else { Severity::Warning };
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
