//! Probes of pods on the host network that dial an address or port on which the pod does not listen: probes of the
//! containers, and of `PodProbeMarker`s of OpenKruise.

use crate::check::facts::KindFacts;
use crate::check::listener_evidence::is_configured;
use crate::check::{CheckContext, Finding, Workload};
use crate::model::ObjectId;
use crate::model::facts::Reach;
use crate::model::listener::{EvidenceKind, has_placeholder};
use crate::model::pod::{Container, Probe, listens_at};
use crate::model::text::{is_placeholder, may_become_port};
use crate::rule::{PROBE_ADDRESS, Severity};
use lossless_yaml::Path;

/// Component that resolves the port names of a container's probes.
const KUBELET: &str = "the kubelet";

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let markers: Vec<_> = context
        .all_of(|facts| match facts {
            KindFacts::ProbeMarker(probes) => Some(probes),
            _ => None,
        })
        .collect();
    for workload in context.on_host() {
        for (index, container) in workload.template.running() {
            let name = format!("{}, container {}", workload.meta, container.name);
            for probe in &container.probes {
                let Some(wrong) = probe_problem(context, workload, index, container, probe, KUBELET) else { continue };
                findings.push(wrong.finding(workload.object, &name, probe).about(&name));
            }
            for (id, meta, probes) in &markers {
                if context.are_alternatives(*id, workload.object) {
                    continue;
                }
                for marker in probes.iter().filter(|marker| *marker.container == *container.name) {
                    if marker.applies_to.reach(context.model, workload.pods_view()) != Some(Reach::Sure) {
                        continue;
                    }
                    let wrong = probe_problem(context, workload, index, container, &marker.probe, "OpenKruise");
                    let finding = |wrong: ProbeProblem| {
                        let finding = wrong.finding(*id, &format!("{meta}, {name}"), &marker.probe);
                        finding.with(workload.object, container.path.clone())
                    };
                    findings.extend(wrong.map(finding));
                }
            }
        }
    }
    findings
}

/// Problem with a probe: the field, the message and the remedy.
struct ProbeProblem {
    path: Path,
    what: String,
    fix: String,
}

impl ProbeProblem {
    /// Finding about the problem of a probe.
    fn finding(self, object: ObjectId, name: &str, probe: &Probe) -> Finding {
        let detail = if probe.port.text.is_empty() { String::new() } else { format!("probe of {}", probe.port.text) };
        let finding = Finding::new(Severity::Warning, PROBE_ADDRESS, format!("{name}: {}", self.what));
        let finding = finding.on_object(object).at(self.path).brief(self.fix, detail);
        probe.number().map_or(finding.clone(), |number| finding.of_port(number))
    }
}

/// Returns the problem with a probe of a container; `None` for a probe that reaches its process. `prober` is the
/// component that resolves port names.
fn probe_problem(
    context: &CheckContext<'_>,
    workload: &Workload<'_>,
    index: usize,
    container: &Container,
    probe: &Probe,
    prober: &str,
) -> Option<ProbeProblem> {
    let handler = probe.path.parent()?;
    let wrong = |path: Path, what: String, fix: String| Some(ProbeProblem { path, what, fix });
    let foreign_host = probe.host.as_deref().filter(|host| !probe.is_own() && !is_placeholder(host));
    if let Some(host) = foreign_host.filter(|host| !listens_at(workload.template, host)) {
        let what = format!(
            "{handler} dials {host} and not the pod. Remove `host`: on the host network the pod has the address of its \
             node. Pod Security `baseline` forbids `host` from v1.34 on, and so does OpenKruise from v1.9 on in a \
             PodProbeMarker"
        );
        let fix = "remove `host` of the probe: on the host network the pod has the address of its node";
        return wrong(handler.key("host"), what, fix.to_owned());
    }
    let text = &*probe.port.text;
    if may_become_port(text) || has_placeholder(container) {
        return None;
    }
    let other = "on the host network another process of the node may answer there";
    let Some(number) = probe.number() else {
        let mut names = container.ports.iter().flatten().filter_map(|port| port.name.as_deref());
        // Rule `document` reports a number that is not a valid port.
        let is_number = prober == KUBELET && text.parse::<i64>().is_ok();
        let is_known = text.is_empty() || is_number || names.any(|name| name == text);
        let what = format!(
            "{} is `{text}`, which is not the name of one of its ports: {prober} cannot resolve it. Write the name or \
                            the number of a port of this container",
            probe.path
        );
        let fix =
            format!("write the name or the number of a port of this container: {prober} cannot resolve the probe's");
        return if is_known { None } else { wrong(probe.path.clone(), what, fix) };
    };
    // A probe may dial the listener of any container of the pod. Ignore listeners whose only
    // evidence is a probe.
    let by_probe = |evidence_kinds: crate::model::listener::EvidenceKinds| {
        evidence_kinds.has(EvidenceKind::Probe) && evidence_kinds.len() == 1
    };
    let known = || workload.ports.listeners.iter().filter(|listener| !by_probe(listener.evidence_kinds));
    if known().any(|listener| listener.number == number) || !known().any(|listener| listener.container == index) {
        return None;
    }
    if is_configured(context, workload, index, number) {
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
    wrong(probe.path.clone(), what, fix.to_owned())
}
