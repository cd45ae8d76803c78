//! Workloads that the API server calls: through Services of the input, or because their program registers webhooks or
//! APIs.

use std::collections::{BTreeMap, BTreeSet};

use super::assignments::Assignments;
use super::workload::Workload;
use crate::judge::called_service;
use crate::model::facts::{Call, ServicePort};
use crate::model::listener::{self, CalledWithoutPods, Hints, Listener, MayRegister};
use crate::model::pod::PodTemplate;
use crate::model::text::may_be_filled_in;
use crate::model::{AnsweringObject, CalledAddress, Meta, Model, Object, ObjectId, WorkloadId};
use crate::plan::Finding;
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// Objects with workloads that the API server calls, with the reasons.
pub(crate) type Called = BTreeMap<ObjectId, BTreeSet<String>>;

/// Finds the workloads that the API server calls.
pub(super) fn called(model: &Model) -> Called {
    listener::called(model).into_iter().map(|(id, calls)| (id, calls.reasons().collect())).collect()
}

/// Reports the reasons for selecting called workloads, workloads that may register webhooks, and calls of Services
/// outside of the input or without known pods. `severity` is the severity of findings about workloads that may register
/// webhooks, and about calls to unknown servers. Returns these workloads.
pub(super) fn report_calls(
    model: &Model,
    called: &Called,
    selected: &[ObjectId],
    severity: Severity,
    findings: &mut Vec<Finding>,
) -> Vec<ObjectId> {
    for id in selected {
        let (Some(object), Some(reasons)) = (model.object(*id), called.get(id)) else { continue };
        let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
        let message = format!("{} is called by the API server: {}", object.meta, reasons.join("; "));
        findings.push(Finding::new(Severity::Info, rule::PORT_CALLED, message).on_object(*id));
    }
    let mut registering = may_register(model, called, severity);
    if severity == Severity::Warning {
        registering.extend(uncalled_servers(model, called, &registering));
    }
    let objects = registering.iter().filter_map(|finding| finding.object).collect();
    findings.extend(registering);
    findings.extend(called_services_without_pods(model));
    findings.extend(by_address(model, severity));
    for (_, call) in model.calls_to_absent_services() {
        let why = if may_be_filled_in(&call.namespace) || may_be_filled_in(&call.service) {
            "whose name is filled in later, so its workload was not found. Select the workload by name"
        } else {
            "which is not in the input, so its workload was not found. Run hostnet on manifests that contain both"
        };
        let message =
            format!("{} makes the API server call Service {}/{}, {why}", call.by, call.namespace, call.service);
        findings.push(Finding::new(Severity::Warning, rule::PORT_CALLED, message));
    }
    objects
}

/// Reports calls of the API server that `calledByApiServer` does not follow: to URLs that name no Service, to the
/// servers of kubeconfig files, and to webhooks that Operator Lifecycle Manager creates. `severity` is the severity if
/// the input does not show who answers.
fn by_address(model: &Model, severity: Severity) -> Vec<Finding> {
    let finding = |called: CalledAddress<'_>| {
        let (severity, answers) = match model.answering_object(&called.url) {
            Some(AnsweringObject::Service(_, service)) => {
                (Severity::Warning, format!("{service} has that address: select its workload by name"))
            }
            Some(AnsweringObject::Routed { service, route, .. }) => {
                (Severity::Warning, format!("{route} routes that host to {service}: select its workload by name"))
            }
            Some(AnsweringObject::Loopback { workload, on_host: false, .. }) => {
                let answers = "Only a pod on the host network of the API server's node answers there";
                (Severity::Warning, format!("{answers}, and {workload} declares that port: select it by name"))
            }
            Some(AnsweringObject::Loopback { workload, on_host: true, .. }) => (
                Severity::Info,
                format!("{workload} declares that port of the node: select it by name to move the port"),
            ),
            None => (severity, "If a workload of the input answers, select it by name".to_owned()),
        };
        let url = &called.url;
        let why = if url.contains("://") { ", which names no Service" } else { "" };
        let message = format!(
            "{} makes the API server call {url}{why}: `calledByApiServer` does not follow the call. {answers}",
            called.caller()
        );
        Finding::new(severity, rule::PORT_CALLED, message).on_object(called.id).at(called.path)
    };
    model.called_addresses().map(finding).collect()
}

/// Warnings about called Services of the input without known pods.
fn called_services_without_pods(model: &Model) -> Vec<Finding> {
    let finding = |called: CalledWithoutPods<'_>| {
        Finding::new(Severity::Warning, rule::PORT_CALLED, called_service::message(model, &called))
            .on_object(called.id)
            .at(Path::dotted("spec.selector"))
    };
    listener::called_without_pods(model).into_iter().map(finding).collect()
}

/// Findings about workloads that may register webhooks at run time, at the field of their service account.
fn may_register(model: &Model, called: &Called, severity: Severity) -> Vec<Finding> {
    let found = listener::may_register(model, |id| called.contains_key(&id)).into_iter();
    let finding = |one: MayRegister<'_>| {
        let (what, objects) = one.registration.nouns();
        let message = format!(
            "{} may register {what} when it runs: its role lets it write {objects}, and the catalogue does not know its program. \
             `calledByApiServer` does not match it: if the API server calls it, select it by name",
            one.meta
        );
        let account = one.template.spec_path().key("serviceAccountName");
        Finding::new(severity, rule::PORT_CALLED, message).on_object(one.id.object).at(account)
    };
    found.map(finding).collect()
}

/// Warnings about workloads with a port for webhooks or APIs to which no call of the input leads. Leaves out workloads
/// that the findings in `known` name, and workloads that a called Service may select.
fn uncalled_servers(model: &Model, called: &Called, known: &[Finding]) -> Vec<Finding> {
    let is_reported = |id: ObjectId, meta: &Meta, template: &PodTemplate| {
        let mut services = model.services_of(meta, template);
        known.iter().any(|finding| finding.object == Some(id))
            || services.any(|(_, service, _)| model.is_called(service))
    };
    let uncalled =
        model.workloads().filter(|(id, object, _)| !called.contains_key(&id.object) && !object.meta.is_job());
    let server = |(id, object, template): (WorkloadId, &Object, &PodTemplate)| {
        let found = listener::ports(model, &object.meta, template, &Hints::default()).listeners;
        let is_server = |listener: &&Listener| {
            !listener.is_role_by_word && listener::may_be_called(model, id.object, &object.meta, listener)
        };
        let listener = found.iter().find(is_server)?;
        let message = format!(
            "{}, port {} ({}): the role of this port suggests that the API server calls the workload, but no webhook, conversion or \
             APIService of the input leads to the workload. `calledByApiServer` does not select it: if the API server calls the \
             workload, select it by name",
            object.meta, listener.label, listener.number
        );
        let finding = Finding::new(Severity::Warning, rule::PORT_CALLED, message).on_object(id.object);
        Some(finding.at(template.spec_path()).of_port(listener.number))
    };
    let unreported = uncalled.filter(|(id, object, template)| !is_reported(id.object, &object.meta, template));
    unreported.filter_map(server).collect()
}

/// True if the API server calls a listener.
pub(super) fn is_called(model: &Model, workload: &Workload<'_>, listener: &Listener) -> bool {
    // A role that was derived from words of a name is not enough to open a firewall.
    may_be_called(model, workload, listener) && !listener.is_role_by_word
}

/// True if the API server may call a listener, including listeners with a role derived from words of a name.
fn may_be_called(model: &Model, workload: &Workload<'_>, listener: &Listener) -> bool {
    listener::may_be_called(model, workload.owner, workload.meta, listener)
}

/// Listeners that the API server calls, with their final port numbers.
fn listeners<'w>(
    model: &Model,
    workloads: &'w [Workload<'w>],
    assignments: &Assignments,
    is_called: fn(&Model, &Workload<'_>, &Listener) -> bool,
) -> impl Iterator<Item = (&'w Workload<'w>, &'w Listener, u16)> {
    workloads.iter().flat_map(move |workload| {
        let numbered = workload.listeners.iter().enumerate().filter_map(move |(position, listener)| {
            Some((workload, listener, assignments.final_number(workload, position)?))
        });
        numbered.filter(move |(_, listener, _)| is_called(model, workload, listener))
    })
}

/// Warnings about ports of selected workloads that the API server calls and on which no known
/// listener listens, and about called ports that their Services do not have.
pub(super) fn ports_without_listener(model: &Model, workloads: &[Workload<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut known = BTreeSet::new();
    for workload in workloads {
        let services = model.services_of(workload.meta, workload.template);
        for (id, meta, service) in services.filter(|(_, service, _)| model.is_called(service)) {
            if known.insert(id) {
                let missing = called_service::missing_ports(meta, service, model.calls_with_cause(meta)).into_iter();
                findings.extend(missing.map(|(caller, port, _, message)| {
                    let finding = Finding::new(Severity::Warning, rule::SERVICE_TARGET, message);
                    finding.on_object(caller).at(Path::root()).of_port(port)
                }));
            }
            let is_called = |port: Option<u16>| model.calls_of(meta).any(|call| port == Some(call.port));
            let numbers =
                service.ports.iter().filter(|port| is_called(port.port)).filter_map(ServicePort::target_number);
            let shown = |number: u16| workload.listeners.iter().any(|listener| listener.number == number);
            for number in numbers.filter(|number| !shown(*number)) {
                let message = format!(
                    "{workload}: the API server calls port {number} of its pods through {meta}, and no container declares it: it gets no hostPort, so another pod may take that port of the node. Declare it in `ports` of its container"
                );
                let finding = Finding::new(Severity::Warning, rule::PORT_CALLED, message);
                findings.push(finding.on_object(workload.id.object).at(workload.template.spec_path()));
            }
        }
    }
    findings
}

/// Warnings about calls of Services outside of the input, whose `targetPort` may be the number of a port that moves.
pub(super) fn calls_of_absent_services(
    model: &Model,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
) -> Vec<Finding> {
    let moved = listeners(model, workloads, assignments, may_be_called)
        .filter(|(_, listener, number)| *number != listener.number);
    let moved: Vec<(&Workload<'_>, String)> = moved
        .map(|(workload, listener, number)| (workload, format!("{} ({} -> {number})", workload, listener.number)))
        .collect();
    let finding = |call: &Call| {
        let near = |workload: &Workload<'_>| {
            workload.meta.namespace.as_ref().is_none_or(|namespace| *namespace == call.namespace)
        };
        let ports: Vec<&str> = moved.iter().filter(|(w, _)| near(w)).map(|(_, port)| port.as_str()).collect();
        let message = format!(
            "{} makes the API server call Service {}/{}, which is not in the input: if its targetPort is the number of a port that moves, change it too: {}",
            call.by,
            call.namespace,
            call.service,
            ports.join(", ")
        );
        (!ports.is_empty()).then(|| Finding::new(Severity::Warning, rule::PORT_CALLED, message))
    };
    model.calls_to_absent_services().map(|(_, call)| call).filter_map(finding).collect()
}

/// Note with the ports that the API server must reach on the nodes, for firewalls.
pub(super) fn reachable_ports_note(
    model: &Model,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
) -> Option<Finding> {
    let list: Vec<String> = listeners(model, workloads, assignments, is_called)
        .map(|(workload, listener, number)| format!("{number} ({}, {})", workload, listener.label))
        .collect();
    let message = format!("the API server must reach these ports of the nodes: {}", list.join(", "));
    (!list.is_empty()).then(|| Finding::new(Severity::Info, rule::PORT_CALLED, message))
}
