//! Network policies that concern pods on the host network.

use crate::check::{CheckContext, Finding, Workload};
use crate::judge::host_firewall::{HostPort, host_firewalls};
use crate::judge::network_policy::{OnHost, egress_or_security_group_effect, peers};
use crate::judge::plugin_policy::plugin_policies;
use crate::model::facts::{PodsView, Scope};
use crate::model::{ObjectId, WorkloadId};
use crate::rule::{NETWORK_POLICY, Severity};
use lossless_yaml::Path;

pub(super) fn check<'m>(context: &CheckContext<'m>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (id, meta, policy) in context.model.network_policies() {
        let selected = conflicts_in_scope(context, id, &policy.scope);
        if selected.is_empty() {
            continue;
        }
        let effect = egress_or_security_group_effect(meta, policy).unwrap_or(
            "the effect of a NetworkPolicy on them is undefined, and most network plugins ignore it. Protect their ports with a firewall \
             of the nodes or the plugin's own policies for hosts",
        );
        let message = format!("{meta} selects pods on the host network ({}): {effect}", selected.join(", "));
        let finding =
            Finding::new(Severity::Warning, NETWORK_POLICY, message).on_object(id).at(Path::dotted("spec.podSelector"));
        let fix = "protect these pods with a firewall of the nodes: most plugins ignore policies for the host network";
        findings.push(finding.brief(fix, selected.join(", ")));
    }
    let pods = |workload: &Workload<'m>| PodsView { meta: workload.meta, template: workload.template };
    let on_host = OnHost::new(context.on_host().map(|workload| (workload.id, pods(workload))));
    let together = |policy: ObjectId, pods: WorkloadId| !context.are_alternatives(policy, pods.object);
    findings.extend(peers(context.model, &on_host, together));
    findings.extend(plugin_policies(context.model, &on_host, together));
    let ports = context.on_host().flat_map(|workload| {
        let of_node = workload.ports.listeners.iter().filter(|listener| !listener.is_loopback());
        let (id, meta) = (workload.id, workload.meta);
        of_node.map(move |listener| HostPort { id, meta, number: listener.number, protocol: &listener.protocol })
    });
    findings.extend(host_firewalls(context.model, &ports.collect::<Vec<_>>(), together));
    findings
}

/// Workloads on the host network whose pods a scope selects.
fn conflicts_in_scope(context: &CheckContext<'_>, policy: ObjectId, scope: &Scope) -> Vec<String> {
    let near = context.model.near(scope).into_iter().filter_map(|id| context.workload(id));
    let selected = near.filter(|workload| {
        workload.on_host()
            && scope.matches(workload.meta.namespace.as_deref(), &workload.template.labels)
            && !context.are_alternatives(policy, workload.object)
    });
    selected.map(|workload| workload.meta.to_string()).collect()
}
