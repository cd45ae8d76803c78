//! Ports that a `SidecarSet` puts into pods on the host network.

use crate::judge::network_policy::namespace_labels;
use crate::rule::{SIDECAR_PORT, Severity};

use super::{Finding, Situation};
use crate::check::Workload;
use crate::check::facts::OfKind;
use crate::check::facts::sidecar_set::SidecarSet;
use crate::check::listening::is_certain;

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (id, meta, set) in
        situation.all_of(|facts| if let OfKind::SidecarSet(set) = facts { Some(&**set) } else { None })
    {
        let selected: Vec<&Workload<'_>> =
            situation.on_host().filter(|workload| selects(situation, set, workload)).collect();
        for (path, number, protocol) in &set.ports {
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
    findings
}

fn selects(situation: &Situation<'_>, set: &SidecarSet, workload: &Workload<'_>) -> bool {
    let namespace = workload.meta.namespace.as_deref().unwrap_or_default();
    let here = match (&set.namespace, &set.namespaces) {
        (Some(one), _) => one == namespace,
        (None, Some(labels)) => labels.selector.matches(&namespace_labels(situation.model, namespace)),
        (None, None) => true,
    };
    here && set.pods.selector.matches(&workload.template.labels)
}
