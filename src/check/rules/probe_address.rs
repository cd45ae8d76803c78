//! Probes of pods on the host network that dial what the pod does not listen on.

use crate::check::listening::is_configured;
use crate::check::{Finding, Situation, Workload};
use crate::model::listener::{Witness, has_placeholder};
use crate::model::pod::{Container, Probe};
use crate::model::text::is_placeholder;
use crate::rule::{PROBE_ADDRESS, Severity};

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in situation.on_host() {
        for (index, container) in workload.template.running() {
            for probe in &container.probes {
                let Some((path, what, fix)) = wrong(situation, workload, index, container, probe) else { continue };
                let detail =
                    if probe.port.text.is_empty() { String::new() } else { format!("probe of {}", probe.port.text) };
                let message = format!("{}, container {}: {what}", workload.meta, container.name);
                let finding = Finding::new(Severity::Warning, PROBE_ADDRESS, message).on(workload.id).at(path);
                let finding =
                    finding.brief(fix, detail).about(format!("{}, container {}", workload.meta, container.name));
                findings.push(probe.number().map_or(finding.clone(), |number| finding.of_port(number)));
            }
        }
    }
    findings
}

fn wrong(
    situation: &Situation<'_>,
    workload: &Workload<'_>,
    index: usize,
    container: &Container,
    probe: &Probe,
) -> Option<(crate::yaml::Path, String, &'static str)> {
    let around = probe.path.parent()?;
    if let Some(host) = probe.host.as_deref().filter(|host| !probe.is_own() && !is_placeholder(host)) {
        let what = format!(
            "{around} dials {host} and not the pod: on the host network leave `host` out, the pod has the node's address. From v1.34 on Pod \
             Security `baseline` forbids it, and OpenKruise from v1.9 on in a PodProbeMarker"
        );
        let fix = "leave out `host` of the probe: on the host network the pod has the address of its node";
        return Some((around.key("host"), what, fix));
    }
    let text = &*probe.port.text;
    if is_placeholder(text) || has_placeholder(container) {
        return None;
    }
    let other = "on the host network another process of the node may answer there";
    let Some(number) = probe.number() else {
        let mut names = container.ports.iter().flatten().filter_map(|port| port.name.as_deref());
        let is_known = text.is_empty() || names.any(|name| name == text);
        let what = format!(
            "{} is `{text}`, which is not the name of one of its ports: the kubelet cannot resolve it. Write the name or \
                            the number of a port of this container",
            probe.path
        );
        let fix = "write the name or the number of a port of this container: the kubelet cannot resolve the probe's";
        return (!is_known).then(|| (probe.path.clone(), what, fix));
    };
    // A probe dials what any container of the pod listens on; it is not its own witness.
    let by_probe = |witnesses: crate::model::listener::Witnesses| witnesses.has(Witness::Probe) && witnesses.len() == 1;
    let known = || workload.ports.listeners.iter().filter(|listener| !by_probe(listener.witnesses));
    if known().any(|listener| listener.number == number) || !known().any(|listener| listener.container == index) {
        return None;
    }
    if is_configured(situation, workload, index, number) {
        return None;
    }
    let numbers: Vec<String> = known().map(|listener| listener.number.to_string()).collect();
    let what = format!(
        "{} is {number}, and nothing else shows that the pod listens there (it listens on {}): {other}, and the probe passes. Correct the \
         number, or declare the port and probe it by its name",
        probe.path,
        numbers.join(", ")
    );
    let fix = "correct the probe's port, or declare it: nothing shows that the pod listens there, another process may";
    Some((probe.path.clone(), what, fix))
}
