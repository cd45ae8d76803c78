//! Ports that pods on a node have and their templates do not show: those of a `SidecarSet`, and of containers that something else put into
//! them.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::network_policy::namespace_labels;
use crate::rule::{SIDECAR_PORT, Severity};

use super::{Finding, Situation};
use crate::check::facts::OfKind;
use crate::check::facts::sidecar_set::SidecarSet;
use crate::check::listening::is_certain;
use crate::check::{RunningPod, Workload};
use crate::model::WorkloadId;

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    // What a SidecarSet of the input is known to put into pods is not said of the pods again.
    let mut said = BTreeSet::new();
    for (id, meta, set) in
        situation.all_of(|facts| if let OfKind::SidecarSet(set) = facts { Some(&**set) } else { None })
    {
        let mut selected: Vec<&Workload<'_>> =
            situation.on_host().filter(|workload| selects(situation, set, workload)).collect();
        selected.sort_by(|a, b| a.key.cmp(&b.key));
        for (path, number, protocol) in &set.ports {
            said.extend(selected.iter().map(|workload| (workload.which, *number, protocol.as_str())));
            let same = |workload: &&&Workload<'_>| {
                let mut listeners = workload.ports.listeners.iter();
                listeners.any(|own| own.number == *number && own.protocol == protocol.as_str() && is_certain(own))
            };
            let taken: Vec<&Workload<'_>> = selected.iter().filter(same).copied().collect();
            let Some(first) = taken.first().or_else(|| selected.first()) else { continue };
            let name = |workloads: &[&Workload<'_>]| {
                workloads.iter().map(|workload| workload.meta.to_string()).collect::<Vec<_>>().join(", ")
            };
            let (severity, message) = if taken.is_empty() {
                let message = format!(
                    "{meta}: {number}/{protocol} becomes a port of the node in each pod on the host network that it is put into ({}): no \
                     template shows it, and two of them cannot share a node. Take another selector",
                    name(&selected)
                );
                (Severity::Warning, message)
            } else {
                let message = format!(
                    "{meta}: {number}/{protocol} is put into pods on the host network that listen there themselves ({}): nobody validates \
                     that before the Pod, and the second one fails with `bind: address already in use`. Take another number or selector",
                    name(&taken)
                );
                (Severity::Error, message)
            };
            let finding = Finding::new(severity, SIDECAR_PORT, message).on(id).at(path.clone());
            findings.push(finding.of_port(*number).with(first.id, first.template.spec_path()));
        }
    }
    for ((which, number, protocol), pods) in injected(situation) {
        if !said.contains(&(which, number, protocol)) {
            findings.extend(of_pods(situation, which, number, protocol, &pods));
        }
    }
    findings
}

/// A port that Pods of a workload have and its template has not.
type Injected<'s> = (WorkloadId, u16, &'s str);

/// The ports that only Pods have, each with these and the containers that have it.
fn injected<'s>(situation: &'s Situation<'_>) -> BTreeMap<Injected<'s>, Vec<(&'s RunningPod<'s>, &'s str)>> {
    let mut by_key: BTreeMap<&str, Vec<&Workload<'_>>> = BTreeMap::new();
    for workload in &situation.workloads {
        by_key.entry(workload.key.as_str()).or_default().push(workload);
    }
    let mut found: BTreeMap<Injected<'s>, Vec<_>> = BTreeMap::new();
    for pod in &situation.running.pods {
        // Of an object with several templates the one with most of its containers.
        let of = by_key.get(pod.key.as_str()).into_iter().flatten().max_by_key(|workload| {
            workload.template.running().filter(|(_, container)| pod.template.has_container(&container.name)).count()
        });
        let Some(workload) = of else { continue };
        for held in pod.injected() {
            let port = (workload.which, held.number, held.protocol);
            found.entry(port).or_default().push((pod, held.container.name.as_str()));
        }
    }
    found
}

fn of_pods(
    situation: &Situation<'_>,
    which: WorkloadId,
    number: u16,
    protocol: &str,
    pods: &[(&RunningPod<'_>, &str)],
) -> Option<Finding> {
    let workload = situation.workload(which)?;
    let (pod, container) = pods.first()?;
    let more = if pods.len() == 1 { String::new() } else { format!(" (and {} more)", pods.len() - 1) };
    let mut own = workload.ports.listeners.iter().filter(|own| own.number == number && own.protocol == protocol);
    let (severity, what) = if workload.on_host() && own.any(is_certain) {
        let what = "listens there itself without declaring it: the second one fails with `bind: address already in use`. Give one of them another number";
        (Severity::Error, what)
    } else {
        let what = "does not have it: something put it into the Pod (a webhook, a SidecarSet), or the Pod is of an older revision. No manifest shows that it \
                    takes the port, and two such Pods cannot share a node. Look what injects it, and take its port or these pods out";
        (Severity::Warning, what)
    };
    let message = format!(
        "{}{more}, container {container}: {number}/{protocol} is a port of its node, and the template of {} {what}",
        pod.meta, workload.meta
    );
    Some(
        Finding::new(severity, SIDECAR_PORT, message).on(workload.id).at(workload.template.spec_path()).of_port(number),
    )
}

pub(super) fn selects(situation: &Situation<'_>, set: &SidecarSet, workload: &Workload<'_>) -> bool {
    let namespace = workload.meta.namespace.as_deref().unwrap_or_default();
    let here = match (&set.namespace, &set.namespaces) {
        (Some(one), _) => one == namespace,
        (None, Some(labels)) => labels.selector.matches(&namespace_labels(situation.model, namespace)),
        (None, None) => true,
    };
    here && set.pods.selector.matches(&workload.template.labels)
}
