//! Duplicate ports of a node: in one pod, or in two workloads that may share a node.

mod conflict;
mod guessed;
mod in_pod;
mod scheduling;
mod services;

use std::collections::BTreeMap;
use std::iter::Copied;
use std::slice::Iter;

use crate::check::port_use::{Overlap, Use, Uses, collect};
use crate::check::{CheckContext, Finding, Workload};
use crate::judge::concurrent_runs;
use crate::judge::free_nodes::required_values;
use crate::model::pod::{Placement, always_share_a_node};
use crate::rule::{PORT_CONFLICT, Severity};
use conflict::conflict;
use scheduling::PortScheduling;

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut uses = Uses::new();
    let mut findings = Vec::new();
    // Static Pods come first: a finding is reported at the second of two workloads.
    for workload in &context.static_pods {
        collect(workload, &mut uses);
    }
    for workload in &context.workloads {
        let mut own = Uses::new();
        collect(workload, &mut own);
        findings.extend(in_pod::find(workload, &own));
        for (port, mut own) in own {
            uses.entry(port).or_default().append(&mut own);
        }
        findings.extend(cron_job_overlap_finding(workload));
    }
    for ((number, protocol), uses) in &mut uses {
        // Sort, so that the order of the objects does not decide which of two workloads gets the finding.
        uses.sort_by(|a, b| {
            let key = |one: &Use<'_, '_>| (!one.workload.is_static, one.workload.id);
            let (one, other) = (key(a), key(b));
            (one.0, &a.workload.key, one.1).cmp(&(other.0, &b.workload.key, other.1))
        });
        compare_uses(context, *number, protocol, uses, &mut findings);
    }
    findings.extend(guessed::find(context, &uses));
    findings.extend(services::check(context));
    findings.extend(crate::check::assigned::check(context));
    findings
}

/// Compares each workload that uses a number with the workloads before it. Reports its first conflict, and a second one
/// if the first conflict may be suppressed.
fn compare_uses(
    context: &CheckContext<'_>,
    number: u16,
    protocol: &str,
    uses: &[Use<'_, '_>],
    findings: &mut Vec<Finding>,
) {
    if uses.len() < 2 {
        return;
    }
    // Pods that require different values of one node label never share a node. So each workload is compared only with
    // workloads that require the same value or no value.
    let values = required_values(uses.iter().map(|one| one.workload.template)).0;
    let mut by_value: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
    let apart = PortScheduling::new(context, uses);
    for (index, (one, value)) in uses.iter().zip(values).enumerate() {
        // A workload with copies represents Pods on several nodes, so the value of its template
        // does not apply to all of them.
        let value = value.filter(|_| one.workload.copies.is_empty());
        let before: &mut dyn Iterator<Item = usize> = if value.is_none() {
            &mut (0..index)
        } else {
            &mut with_value(&by_value, None).chain(with_value(&by_value, value))
        };
        let last = index.checked_sub(1).and_then(|before| uses.get(before));
        let is_first = last.is_none_or(|last| last.workload.id != one.workload.id);
        if is_first {
            let others =
                before.filter(|other| !apart.are_on_separate_nodes(index, *other)).filter_map(|index| uses.get(index));
            for other in worst_conflict(others.filter(|other| conflict(context, number, one, other)), context, one) {
                findings.push(pair(context, number, protocol, one, other));
            }
        }
        by_value.entry(value).or_default().push(index);
    }
    findings.extend(apart.find(number, protocol));
}

/// Returns the first conflicting use with the same address, else the first one with another address. If its conflicts
/// may be suppressed, also returns the first use whose conflicts may not be suppressed, so that a suppression does not
/// hide it.
fn worst_conflict<'u, 'w, 'm>(
    others: impl Iterator<Item = &'u Use<'w, 'm>>,
    context: &CheckContext<'_>,
    one: &Use<'_, '_>,
) -> Vec<&'u Use<'w, 'm>> {
    let is_accepted =
        |one: &Use<'_, '_>| context.settings.accepted.is_some_and(|named| named.contains(&one.workload.object));
    let (mut open, mut accepted) = (FirstConflicts::default(), FirstConflicts::default());
    for other in others {
        let list = if is_accepted(other) { &mut accepted } else { &mut open };
        let slot = if one.overlap(other) == Overlap::Same { &mut list.same } else { &mut list.perhaps };
        slot.get_or_insert(other);
        if open.same.is_some() || is_accepted(one) && accepted.same.is_some() {
            break;
        }
    }
    let (open, accepted) = (open.same.or(open.perhaps), accepted.same.or(accepted.perhaps));
    if is_accepted(one) { accepted.or(open).into_iter().collect() } else { accepted.into_iter().chain(open).collect() }
}

/// First conflicting uses, by overlap of the addresses.
#[derive(Default)]
struct FirstConflicts<'u, 'w, 'm> {
    same: Option<&'u Use<'w, 'm>>,
    perhaps: Option<&'u Use<'w, 'm>>,
}

/// Indices of the uses with this value.
fn with_value<'a, 'v>(
    by_value: &'a BTreeMap<Option<&'v str>, Vec<usize>>,
    value: Option<&'v str>,
) -> Copied<Iter<'a, usize>> {
    by_value.get(&value).map_or(&[][..], Vec::as_slice).iter().copied()
}

/// Finding about two workloads that use the same port of a node.
fn pair(context: &CheckContext<'_>, number: u16, protocol: &str, one: &Use<'_, '_>, other: &Use<'_, '_>) -> Finding {
    let certain = one.is_certain && other.is_certain;
    let differ = one.overlap(other) == Overlap::Possible;
    // A Job may run at another time than the other workload, so the conflict is not certain.
    let at_once = !one.workload.meta.is_job() && !other.workload.meta.is_job();
    // Most pods do not tolerate the taints of nodes with static Pods.
    let node = other.workload.template.placement.as_deref().and_then(Placement::node_name);
    let both = context.running.shared_node_of(&one.workload.key, &other.workload.key);
    let is_node_known = node
        .filter(|_| other.workload.is_static && both.is_none())
        .is_none_or(|node| context.nodes.allows(node, one.workload.node_requirements()).is_some());
    // Only warn about a workload with `replicas: 0`: it may be scaled up later.
    let is_parked =
        |one: &&Workload<'_>| context.replicas(context.updated(one)).is_some_and(|replicas| replicas.most == 0);
    let parked = [one.workload, other.workload].into_iter().find(is_parked);
    let is_error = certain && at_once && is_node_known && !differ && parked.is_none();
    let severity = if is_error { Severity::Error } else { Severity::Warning };
    let words = match both {
        _ if differ && one.workload.on_host() && other.workload.on_host() => {
            "the scheduler may put both on one node, since their `hostIP` differ, but `hostIP` does not restrict a process on the host network: if one listens on all addresses, the second one fails with `bind: address already in use`"
                .to_owned()
        }
        _ if differ => "the scheduler may put both on one node, since their `hostIP` differ, but `hostIP` does not restrict a process on the host network: if that process listens on all addresses, only one of the two gets the connections"
            .to_owned(),
        Some(node) => format!("{node} runs both, and one of them fails with `bind: address already in use`"),
        None if one.is_declared && other.is_declared => {
            "if both are put on one node, the second one stays Pending: `node(s) didn't have \
                                                         free ports for the requested pod ports`"
                .to_owned()
        }
        None => "the scheduler does not see it, and the second one on a node fails with `bind: address already in use`"
            .to_owned(),
    };
    let mut doubt = String::new();
    if !certain {
        doubt.push_str(" One of the two numbers is not in the manifest: verify this number.");
    }
    if let Some(parked) = parked {
        doubt.push_str(&format!(
            " {} has no pods now (`replicas: 0`), but gets pods when it is scaled up.",
            parked.meta
        ));
    }
    let fix = match node.filter(|_| other.workload.is_static) {
        Some(node) if one.workload.is_static => {
            format!("Give one of the two another number in its manifest on {node}")
        }
        Some(node) if is_node_known => {
            format!("Give {} another number, or keep it away from {node} by a nodeSelector", one.workload.meta)
        }
        Some(node) => format!(
            "The input does not show the taints of {node}: add the Nodes to it, or give {} another number",
            one.workload.meta
        ),
        None if always_share_a_node(one.workload.placed(), other.workload.placed()) => {
            "Give one of the two another number: a required `podAffinity`, or a shared claim with `ReadWriteOnce`, \
             puts both on one node"
                .to_owned()
        }
        None => format!(
            "Give one of the two another number, keep them on different nodes by nodeSelector or required \
             anti-affinity, or write `shared: [{{port: {number}, between: [{}, {}]}}]` in a HostNetwork that you give \
             with `-c`",
            other.workload.key, one.workload.key
        ),
    };
    let message = format!(
        "{} and {} both use port {number}/{protocol} of their node: {words}.{doubt} {fix}",
        one.display_name(),
        other.display_name()
    );
    let finding = Finding::new(severity, PORT_CONFLICT, message).on_object(one.workload.object).at(one.path.clone());
    let fix = if one.workload.is_static {
        "give one of the two another port in its manifest on the node: both are static Pods of this node"
    } else if other.workload.is_static {
        "give it other ports, or keep it off these nodes by a nodeSelector: static Pods on these nodes use the ports"
    } else {
        "give one of the two other ports, or keep them on different nodes: they cannot run on one node"
    };
    let detail = if certain { format!("{number}/{protocol}") } else { format!("perhaps {number}/{protocol}") };
    let finding = finding.of_port(number).with(other.workload.object, other.path.clone()).brief(fix, detail);
    finding.about(format!("{} and {}", one.workload.meta, other.workload.meta))
}

/// Reports a `CronJob` with host ports whose runs may overlap.
fn cron_job_overlap_finding(workload: &Workload<'_>) -> Option<Finding> {
    let held = workload.template.held_ports().next().filter(|_| workload.template.may_overlap)?;
    let message = concurrent_runs::concurrent_runs_message(workload.meta, held.number, held.protocol);
    let finding = Finding::new(Severity::Warning, PORT_CONFLICT, message);
    let fix = "write `concurrencyPolicy: Forbid`: two runs on one node need the same port";
    let finding = finding.brief(fix, format!("{}/{}", held.number, held.protocol));
    Some(finding.on_object(workload.object).at(held.container.port_path(held.index)).of_port(held.number))
}
