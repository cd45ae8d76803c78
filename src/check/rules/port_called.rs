//! Servers in the pod network that the API server calls but cannot reach.

use std::collections::HashMap;

use crate::check::{CheckContext, Finding, Workload};

use crate::api::ApiServer;
use crate::check::packages::Runtime;
use crate::judge::called_service;
use crate::model::facts::{Facts, Registration};
use crate::model::listener::{CallReasons, PossiblePods, called_together, called_without_pods, may_register};
use crate::model::text::may_be_filled_in;
use crate::model::{AnsweringObject, CalledAddress, Meta, ObjectId};
use crate::rule::{PORT_CALLED, Severity};
use lossless_yaml::Path;

/// Service of the API server itself, created when the API server starts.
/// Source: kubernetes v1.37 `pkg/controlplane/controller/kubernetesservice/controller.go`, `kubernetesServiceName`.
const API_SERVER_SERVICE: (&str, &str) = ("default", "kubernetes");

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    match context.settings.api_server {
        ApiServer::Inside => return Vec::new(),
        ApiServer::Outside => {}
    }
    let called = called_together(context.model, |one, other| !context.are_alternatives(one, other));
    let mut findings = Vec::new();
    for workload in context.workloads.iter().filter(|workload| !workload.on_host()) {
        if let Some(why) = called.get(&workload.object) {
            let path = workload.template.spec_path().key("hostNetwork");
            findings.push(finding(workload.meta, why).on_object(workload.object).at(path));
        }
    }
    for one in context.packages() {
        let on_host = one.config.as_ref().is_some_and(Runtime::on_host);
        if let Some(why) = called.get(&one.id).filter(|_| !on_host) {
            findings.push(finding(one.meta, why).on_object(one.id).at(Path::root()));
        }
    }
    let itself = may_register(context.model, |id| called.contains_key(&id)).into_iter();
    let itself: HashMap<_, _> = itself.map(|one| (one.id.object, one.registration)).collect();
    for workload in context.workloads.iter().filter(|workload| !workload.on_host()) {
        let Some(registration) = itself.get(&workload.object) else { continue };
        let path = workload.template.spec_path().key("hostNetwork");
        findings.push(self_registration_finding(workload.meta, *registration).on_object(workload.object).at(path));
    }
    for called in called_without_pods(context.model) {
        // A workload whose label is set at run time was checked above.
        if !matches!(called.possible_pods, PossiblePods::AtRunTime { .. }) {
            let message = called_service::message(context.model, &called);
            let fix = "add the pods of the Service to the input, or correct its selector: the API server calls the Service, whose pods were not checked";
            let finding =
                Finding::new(Severity::Warning, PORT_CALLED, message).brief(fix, format!("called by {}", called.by));
            findings.push(finding.on_object(called.id).at(Path::dotted("spec.selector")));
        }
    }
    findings.extend(by_address(context));
    let elsewhere = context.model.calls_to_absent_services();
    for (by, call) in
        elsewhere.filter(|(_, call)| (call.namespace.as_str(), call.service.as_str()) != API_SERVER_SERVICE)
    {
        let is_later = may_be_filled_in(&call.namespace) || may_be_filled_in(&call.service);
        let why = if is_later { "whose name is filled in later" } else { "which is not in the input" };
        let message = format!(
            "{} makes the API server call Service {}/{}, {why}, so its reachability was not checked",
            call.by, call.namespace, call.service
        );
        let fix = match is_later {
            true => "fill in the name of the Service: the API server calls it, and its pods were not checked",
            false => "add the Service to the input: the API server calls it, and its pods were not checked",
        };
        let called = format!("Service {}/{}", call.namespace, call.service);
        let finding = Finding::new(Severity::Warning, PORT_CALLED, message).brief(fix, called);
        findings.push(finding.on_object(by).at(Path::root()));
    }
    findings
}

/// Findings about calls to addresses that name no Service.
fn by_address(context: &CheckContext<'_>) -> Vec<Finding> {
    let find = |called: CalledAddress<'_>| {
        let id = called.id;
        let answer = context.model.answering_object(&called.url);
        let calls = format!("{} makes the API server call {}", called.caller(), called.url);
        let not_followed = "name the Service in `clientConfig.service`, or check its pods: the call was not followed";
        let (message, fix, detail) = match answer {
            Some(AnsweringObject::Service(answering, _) | AnsweringObject::Routed { id: answering, .. })
                if context.are_alternatives(id, answering) || is_on_host(context, answering) =>
            {
                return None;
            }
            Some(AnsweringObject::Service(_, service)) => {
                let message = format!(
                    "{calls}, an address of {service}: the call was not followed to its pods. If they are in the pod network, the API \
                     server does not reach them (`apiServer: Outside`)"
                );
                (message, not_followed, service.to_string())
            }
            Some(AnsweringObject::Routed { service, route, .. }) => {
                let message = format!(
                    "{calls}, a host that {route} routes to {service}: the call was not followed to the pods of the router and of the \
                     Service. The API server does not reach pods in the pod network (`apiServer: Outside`)"
                );
                (message, not_followed, format!("{service}, by {route}"))
            }
            Some(AnsweringObject::Loopback { on_host: true, .. }) => return None,
            Some(AnsweringObject::Loopback { id: answering, .. }) if context.are_alternatives(id, answering) => {
                return None;
            }
            Some(AnsweringObject::Loopback { workload, on_host: false, .. }) => {
                let message = format!(
                    "{calls}, where only a pod on the host network of the API server's node answers. {workload} declares that port and \
                     is in the pod network. Move it with a HostNetwork: `targets: [{}]`",
                    target(workload)
                );
                let fix = "move the workload with a HostNetwork: the API server calls its own node, where pods in the pod network do not listen";
                (message, fix, format!("`targets: [{}]`", target(workload)))
            }
            // An unknown host is most often outside of the cluster.
            None if called.url.contains("://") => return None,
            None => {
                let message = format!("{calls}: the call was not followed, so its reachability was not checked");
                let fix = "check that the API server reaches the server: the call was not followed";
                (message, fix, called.url)
            }
        };
        let finding = Finding::new(Severity::Warning, PORT_CALLED, message).brief(fix, detail);
        Some(finding.on_object(id).at(called.path))
    };
    context.model.called_addresses().filter_map(find).collect()
}

/// True if a Service has pods, and all of them are on the host network.
fn is_on_host(context: &CheckContext<'_>, service: ObjectId) -> bool {
    let object = context.model.object(service);
    let Some((meta, Facts::Service(service))) = object.map(|object| (&object.meta, &object.facts)) else {
        return false;
    };
    let mut workloads = context.model.selected_by(meta, service).map(|(id, _)| context.workload(id)).peekable();
    workloads.peek().is_some() && workloads.all(|workload| workload.is_some_and(Workload::on_host))
}

/// Finding about a workload in the pod network that the API server calls.
fn finding(meta: &Meta, why: &CallReasons) -> Finding {
    let registers =
        why.registers.iter().take(1).map(|program| format!("{program} registers its webhooks and APIs at run time"));
    let reasons: Vec<String> = why.seen.iter().chain(&why.by_url).cloned().chain(registers).collect();
    // Only a warning if the evidence is the catalogue, because it depends on the configuration of
    // the program, or a URL, because it may be for an API server in the pod network.
    let severity = if why.seen.is_empty() { Severity::Warning } else { Severity::Error };
    let message = format!(
        "{meta} is in the pod network, which the API server does not reach (`apiServer: Outside`), and the API server calls it: {}. Its \
         calls end with `Address is not allowed` or a time-out. Move it with a HostNetwork: `targets: [{}]`",
        reasons.join("; "),
        target(meta)
    );
    let fix = "move it with a HostNetwork: the API server calls it, and does not reach the pod network";
    Finding::new(severity, PORT_CALLED, message).brief(fix, format!("`targets: [{}]`", target(meta)))
}

/// Finding about a workload that may register itself at run time.
fn self_registration_finding(meta: &Meta, registration: Registration) -> Finding {
    let (what, objects) = registration.nouns();
    let message = format!(
        "{meta} may register {what} when it runs: its role lets it write {objects}. It is in the pod network, which the API \
         server does not reach (`apiServer: Outside`). If the API server calls it, move it with a HostNetwork: `targets: [{}]`",
        target(meta)
    );
    let fix = format!("move it with a HostNetwork if the API server calls it: its role lets it register {what}");
    Finding::new(Severity::Warning, PORT_CALLED, message).brief(fix, format!("`targets: [{}]`", target(meta)))
}

/// Target of a HostNetwork that moves the workload, for messages.
fn target(meta: &Meta) -> String {
    let group = if meta.gvk.group.contains('.') { format!("group: {}, ", meta.gvk.group) } else { String::new() };
    let namespace = meta.namespace.as_ref().map(|name| format!("namespace: {name}, ")).unwrap_or_default();
    format!("{{select: {{{group}kind: {}, {namespace}name: {}}}, ports: auto}}", meta.gvk.kind, meta.name)
}
