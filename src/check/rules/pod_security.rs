//! Namespaces whose Pod Security level forbids host networking.
//!
//! Source: kubernetes/pod-security-admission@8f84a87 `policy/check_hostNamespaces.go`, `check_hostPorts.go`, `api/constants.go`:
//! both checks are those of `baseline`, and so of `restricted`, and look at init containers too.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Meta;
use crate::rule::{POD_SECURITY, Severity};

use super::{Finding, Situation};
use crate::check::Workload;
use crate::yaml::Path;

/// What labels of Pod Security begin with.
const PREFIX: &str = "pod-security.kubernetes.io/";

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut unlabelled = BTreeMap::new();
    for workload in &situation.workloads {
        let Some(what) = violation(workload) else { continue };
        let Some(name) = workload.meta.namespace.as_deref() else { continue };
        let Some((id, namespace)) = situation.namespace(name) else { continue };
        let forbids = |mode: &str| level(namespace, mode).filter(|level| matches!(*level, "baseline" | "restricted"));
        let path = workload.template.spec_path();
        if let Some(level) = forbids("enforce") {
            let message = refused(workload, namespace, level, &what);
            findings.push(Finding::new(Severity::Error, POD_SECURITY, message).at(workload.id, path));
        } else if let Some((mode, level)) = ["warn", "audit"].into_iter().find_map(|mode| Some((mode, forbids(mode)?)))
        {
            let message = format!(
                "{}: its Namespace asks Pod Security to {mode} of what violates `{level}`: {what}. Nothing is refused; should it enforce \
                 that level one day, its Pods are. Write `{PREFIX}{mode}: privileged` on a Namespace of such workloads",
                workload.meta
            );
            findings.push(Finding::new(Severity::Warning, POD_SECURITY, message).at(workload.id, path));
        } else if level(namespace, "enforce").is_none() && situation.is_judged(workload.id) {
            unlabelled.insert(name, id);
        }
    }
    if let Some((_, &first)) = unlabelled.first_key_value() {
        let names: Vec<&str> = unlabelled.into_keys().collect();
        let message = format!(
            "Namespaces with host networking and without a label `{PREFIX}enforce`: {}. What the cluster enforces by default is not \
             visible in manifests",
            names.join(", ")
        );
        findings.push(Finding::new(Severity::Info, POD_SECURITY, message).at(first, Path::root()));
    }
    findings
}

fn level<'m>(namespace: &'m Meta, mode: &str) -> Option<&'m str> {
    namespace.labels.get(&format!("{PREFIX}{mode}"))
}

fn refused(workload: &Workload<'_>, namespace: &Meta, level: &str, what: &str) -> String {
    let version = namespace.labels.get(&format!("{PREFIX}enforce-version")).unwrap_or("latest");
    let words = format!("`violates PodSecurity \"{level}:{version}\": {what}`");
    let who = match workload.meta.gvk.kind.as_str() {
        "Pod" => format!("the API server refuses it: {words}"),
        kind => format!(
            "the {kind} is accepted, and each of its Pods refused, which only an event FailedCreate says: {words}"
        ),
    };
    format!(
        "{}: its Namespace enforces `{level}`: {who}. Label the Namespace `{PREFIX}enforce: privileged`, or move the workload to one that is",
        workload.meta
    )
}

/// What a template violates, as Pod Security says it; none when it violates nothing.
fn violation(workload: &Workload<'_>) -> Option<String> {
    let on_host = workload.on_host();
    let (mut containers, mut numbers) = (Vec::new(), BTreeSet::new());
    for container in &workload.template.containers {
        let mut uses = false;
        for port in container.ports.iter().flatten() {
            // In Pods on the host network absent host ports are filled in before anybody looks.
            if let Some(number) = port.host_number().or_else(|| port.number().filter(|_| on_host)) {
                numbers.insert(number.to_string());
                uses = true;
            }
        }
        if uses {
            containers.push(format!("\"{}\"", container.name));
        }
    }
    let mut parts = Vec::new();
    if on_host {
        parts.push("host namespaces (hostNetwork=true)".to_owned());
    }
    if !containers.is_empty() {
        let (s, uses) = if containers.len() == 1 { ("", "uses") } else { ("s", "use") };
        let port = if numbers.len() == 1 { "hostPort" } else { "hostPorts" };
        let numbers: Vec<String> = numbers.into_iter().collect();
        parts.push(format!("hostPort (container{s} {} {uses} {port} {})", containers.join(", "), numbers.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}
