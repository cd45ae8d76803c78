//! Network policies of pods on the host network, where their effect is undefined.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::assignments::Assignments;
use super::workload::Workload;
use crate::judge::host_firewall::{HostPort, host_firewalls};
use crate::judge::network_policy::{OnHost, egress_or_security_group_effect, peers};
use crate::judge::plugin_policy::plugin_policies;
use crate::model::facts::{LabelledPeer, PodsView, Reach, Scope, address_peers};
use crate::model::pod::PodTemplate;
use crate::model::{Meta, Model, ObjectId};
use crate::plan::{Change, Edit, Finding, Message, Plan, listed};
use crate::rule::{self, Severity};
use lossless_yaml::Value;

/// Warns about policies that select pods of these workloads, once per set of policies, and about policies whose peers
/// select these pods. Edits the peers of policies that hostnet wrote.
pub(super) fn report_network_policies(
    model: &Model,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
    plan: &mut Plan,
) {
    let on_host = OnHost::new(workloads.iter().map(|workload| (workload.id, workload.pods_view())));
    let changed = edit_hostnet_policies(model, &on_host, plan);
    let mut by_effect: BTreeMap<Option<&str>, Vec<Policy<'_>>> = BTreeMap::new();
    for (id, meta, policy) in model.network_policies() {
        by_effect.entry(egress_or_security_group_effect(meta, policy)).or_default().push((id, meta, &policy.scope));
    }
    for (effect, policies) in by_effect {
        warn(&policies, effect.unwrap_or(NETWORK_POLICY_EFFECT), workloads, &mut plan.findings);
    }
    plan.findings.extend(peers(model, &on_host, |policy, _| !changed.contains(&policy)));
    plan.findings.extend(plugin_policies(model, &on_host, |_, _| true));
    let ports = workloads.iter().flat_map(|workload| {
        let of_node = workload.listeners.iter().enumerate().filter(|(_, listener)| !listener.is_loopback());
        of_node.filter_map(|(position, listener)| {
            let number = assignments.final_number(workload, position)?;
            Some(HostPort { id: workload.id, meta: workload.meta, number, protocol: &listener.protocol })
        })
    });
    plan.findings.extend(host_firewalls(model, &ports.collect::<Vec<_>>(), |_, _| true));
}

/// Edits policies written by hostnet whose peers all move to the host network: connections of these pods then come from
/// the addresses of nodes. Returns the edited or reported policies.
fn edit_hostnet_policies(model: &Model, on_host: &OnHost<'_>, plan: &mut Plan) -> BTreeSet<ObjectId> {
    let all = OnceCell::new();
    let mut changed = BTreeSet::new();
    for (id, meta, policy) in model.network_policies() {
        let Some(own) = &policy.own else { continue };
        let moves = |peer: &LabelledPeer| {
            let moved = on_host.selected_by(model, peer).len();
            let every =
                || OnHost::new(model.workloads().map(|(id, object, template)| (id, pods(&object.meta, template))));
            moved > 0 && moved == all.get_or_init(every).selected_by(model, peer).len()
        };
        if policy.peers.is_empty() || !policy.peers.iter().all(moves) {
            continue;
        }
        changed.insert(id);
        if own.nodes.is_empty() {
            let message = format!(
                "{meta} allows pods by their labels that move to the host network, where their connections come from the addresses \
                 of nodes. Write `cluster: {{nodes: [...]}}` in the ProxyEnvironment that wrote it"
            );
            let finding = Finding::new(Severity::Error, rule::NETWORK_POLICY, message);
            plan.findings.push(finding.on_object(id).at(own.path.clone()));
            continue;
        }
        let new = Value::Seq(address_peers(&own.nodes));
        let text = format_args!("{} {} -> {new}, the addresses of the nodes", own.path, own.from);
        let message = Message::about(meta, "", text);
        let change = Change::Set { old: own.from.clone(), new };
        plan.edits.push(Edit { object: id, path: own.path.clone(), change, rule: rule::NETWORK_POLICY, message });
    }
    changed
}

fn pods<'m>(meta: &'m Meta, template: &'m PodTemplate) -> PodsView<'m> {
    PodsView { meta, template }
}

/// A policy: its id, its metadata, and the scope that selects its pods.
type Policy<'m> = (ObjectId, &'m Meta, &'m Scope);

/// The effect of a `NetworkPolicy` on pods on the host network, and the remedy.
const NETWORK_POLICY_EFFECT: &str = "the effect of a NetworkPolicy on them is undefined, and most network plugins ignore it; protect their \
    ports with a firewall of the nodes or the plugin's host policies";

/// Warns about policies that select pods on the host network, once for each set of policies with this effect.
fn warn(policies: &[Policy<'_>], effect: &str, workloads: &[Workload<'_>], findings: &mut Vec<Finding>) {
    // Many policies may select the same pods, and many pods may have the same policies.
    let mut scopes: BTreeMap<&Scope, Vec<(ObjectId, &Meta)>> = BTreeMap::new();
    for (id, meta, scope) in policies {
        scopes.entry(scope).or_default().push((*id, meta));
    }
    let mut by_scopes: BTreeMap<Vec<usize>, Vec<&Workload<'_>>> = BTreeMap::new();
    for workload in workloads {
        let pods = workload.pods_view();
        let selecting = scopes.keys().enumerate().filter(|(_, scope)| pods.is_selected(scope) == Some(Reach::Sure));
        let selecting: Vec<usize> = selecting.map(|(index, _)| index).collect();
        if !selecting.is_empty() {
            by_scopes.entry(selecting).or_default().push(workload);
        }
    }
    let scopes: Vec<Vec<(ObjectId, &Meta)>> = scopes.into_values().collect();
    let mut by_policies: BTreeMap<Vec<(ObjectId, String)>, Vec<&Workload<'_>>> = BTreeMap::new();
    for (selecting, selected) in by_scopes {
        let policies = selecting.into_iter().filter_map(|index| scopes.get(index)).flatten();
        let mut policies: Vec<(ObjectId, String)> = policies.map(|(id, meta)| (*id, meta.to_string())).collect();
        policies.sort_unstable();
        by_policies.insert(policies, selected);
    }
    for (policies, selected) in by_policies {
        let select = if policies.len() == 1 { "selects" } else { "select" };
        let message = format!(
            "{} {select} pods on the host network ({}): {effect}",
            listed(policies.iter().map(|(_, name)| name), LISTED),
            listed(selected, LISTED)
        );
        let finding = Finding::new(Severity::Warning, rule::NETWORK_POLICY, message);
        findings.extend(policies.first().map(|(id, _)| finding.on_object(*id)));
    }
}

/// Maximum number of names in a message.
const LISTED: usize = 20;
