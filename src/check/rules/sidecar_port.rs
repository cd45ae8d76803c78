//! Ports of containers that are put into pods and that the pod template does not have: by an object of the input, or by
//! something else.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::sidecars::{self, injectors};
use crate::rule::{SIDECAR_PORT, Severity};

use crate::check::{CheckContext, Finding, RunningPod, Workload};
use crate::model::WorkloadId;
use crate::model::listener::Listener;

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Ports that an object of the input adds are not reported again for Pods.
    let mut reported = BTreeSet::new();
    for injector in injectors(context.model) {
        let (id, meta) = (injector.id, injector.meta);
        let pods = |workload: &Workload<'_>| injector.selects(context.model, workload.pods_view());
        let mut selected: Vec<&Workload<'_>> = context.on_host().filter(|workload| pods(workload)).collect();
        selected.retain(|workload| !context.are_alternatives(id, workload.object));
        selected.sort_by(|a, b| a.key.cmp(&b.key));
        let name = |workloads: &[&Workload<'_>]| {
            workloads.iter().map(|workload| workload.meta.to_string()).collect::<Vec<_>>().join(", ")
        };
        for (path, number, host) in &*injector.mapped {
            let Some(first) = selected.first() else { break };
            let pods = name(&selected);
            let message = sidecars::mapped(meta, *number, *host, &pods);
            let finding = Finding::new(Severity::Error, SIDECAR_PORT, message).on_object(id).at(path.clone());
            let fix = "write a `hostPort` that equals its `containerPort`: pods on the host network with different \
                       numbers are refused";
            let finding = finding.brief(fix, format!("{number}, hostPort {host} in {pods}"));
            findings.push(finding.of_port(*number).with(first.object, first.template.spec_path()));
        }
        for (path, number, protocol) in &*injector.ports {
            reported.extend(selected.iter().map(|workload| (workload.id, *number, protocol.clone())));
            let same = |workload: &&&Workload<'_>| {
                let mut listeners = workload.ports.listeners.iter();
                listeners.any(|listener| {
                    listener.number == *number && listener.protocol == protocol.as_str() && listener.is_certain()
                })
            };
            let taken: Vec<&Workload<'_>> = selected.iter().filter(same).copied().collect();
            let Some(first) = taken.first().or_else(|| selected.first()) else { continue };
            let workloads = if taken.is_empty() { name(&selected) } else { name(&taken) };
            let (severity, message) = if taken.is_empty() {
                (Severity::Warning, injector.injected_port_message(*number, protocol, &workloads))
            } else {
                (Severity::Error, sidecars::injected_port_in_use_message(&injector, *number, protocol, &workloads))
            };
            let fix = if taken.is_empty() {
                "use another selector: in pods on the host network its ports become ports of the node"
            } else {
                "use another port or selector: pods that get this container listen there already"
            };
            let finding = Finding::new(severity, SIDECAR_PORT, message).on_object(id).at(path.clone());
            let finding = finding.brief(fix, format!("{number}/{protocol} in {workloads}"));
            findings.push(finding.of_port(*number).with(first.object, first.template.spec_path()));
        }
    }
    for ((which, number, protocol), pods) in injected(context) {
        if !reported.contains(&(which, number, protocol.to_owned())) {
            findings.extend(pod_finding(context, which, number, protocol, &pods));
        }
    }
    findings
}

/// Port of running Pods that the pod template of their workload lacks: workload, number and
/// protocol.
type InjectedPort<'s> = (WorkloadId, u16, &'s str);

/// Ports that only Pods have, with each Pod and the container that has the port.
fn injected<'s>(context: &'s CheckContext<'_>) -> BTreeMap<InjectedPort<'s>, Vec<(&'s RunningPod<'s>, &'s str)>> {
    let mut by_key: BTreeMap<&str, Vec<&Workload<'_>>> = BTreeMap::new();
    for workload in &context.workloads {
        by_key.entry(workload.key.as_str()).or_default().push(workload);
    }
    let mut found: BTreeMap<InjectedPort<'s>, Vec<_>> = BTreeMap::new();
    for pod in &context.running.pods {
        // For an object with several pod templates, use the template that shares the most containers with the Pod.
        let workload = by_key.get(pod.key.as_str()).into_iter().flatten().max_by_key(|workload| {
            workload.template.running().filter(|(_, container)| pod.template.has_container(&container.name)).count()
        });
        let Some(workload) = workload else { continue };
        for held in pod.injected() {
            let port = (workload.id, held.number, held.protocol);
            found.entry(port).or_default().push((pod, held.container.name.as_str()));
        }
    }
    found
}

/// Finding about Pods with an injected port of their node that their workload does not have.
fn pod_finding(
    context: &CheckContext<'_>,
    workload_id: WorkloadId,
    number: u16,
    protocol: &str,
    pods: &[(&RunningPod<'_>, &str)],
) -> Option<Finding> {
    let workload = context.workload(workload_id)?;
    let (pod, container) = pods.first()?;
    let more = if pods.len() == 1 { String::new() } else { format!(" (and {} more)", pods.len() - 1) };
    let mut own =
        workload.ports.listeners.iter().filter(|listener| listener.number == number && listener.protocol == protocol);
    let (severity, problem, fix) = if workload.on_host() && own.any(Listener::is_certain) {
        let problem = "listens there itself without declaring it: the second one fails with `bind: address already in use`. Give one of them another number";
        (
            Severity::Error,
            problem,
            "give one of the two another port: an injected container and a container of the pod listen there",
        )
    } else {
        let problem = "does not declare it: a webhook or a SidecarSet injected it into the Pod, or the Pod belongs to \
                       an older revision. No manifest shows this port, and two such Pods cannot share a node. Find the \
                       injector, and remove its port or exclude these pods";
        (Severity::Warning, problem, "find the injector of this port of the node: the template does not declare it")
    };
    let message = format!(
        "{}{more}, container {container}: {number}/{protocol} is a port of its node, and the template of {} {problem}",
        pod.meta, workload.meta
    );
    let finding =
        Finding::new(severity, SIDECAR_PORT, message).on_object(workload.object).at(workload.template.spec_path());
    Some(finding.of_port(number).brief(fix, format!("{number}/{protocol}, container {container}")))
}
