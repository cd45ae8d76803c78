//! Changes that other objects make to moved pods at creation: containers, and patches of subsets of OpenKruise.

use super::assignments::Assignments;
use super::blocked_moves::BlockedMoves;
use super::workload::{Workload, has_host_port};
use crate::judge::sidecars::{Injector, injected_port_in_use_message, injectors, mapped};
use crate::judge::subset_patch;
use crate::model::facts::{PodChange, SubsetPatches};
use crate::model::{Meta, Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Checks the ports of injected containers and of patched subsets against the final ports of workloads. A workload that
/// listens on an injected port is not moved.
pub(super) fn refuse_injected_ports(
    model: &Model,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
    found: &mut BlockedMoves,
) {
    for injector in injectors(model) {
        let pods = workloads.iter().filter(|workload| injector.selects(model, workload.pods_view()));
        injected(&injector, &pods.collect::<Vec<_>>(), assignments, found);
    }
    for (id, meta, change) in model.pod_changes() {
        let PodChange::Patches(patches) = change else { continue };
        let is_about = |workload: &&Workload<'_>| patches.is_about((id, meta), (workload.id.object, workload.meta));
        let moved: Vec<&Workload<'_>> = workloads.iter().filter(is_about).collect();
        if !moved.is_empty() {
            patched(id, meta, patches, &moved, assignments, found);
        }
    }
}

/// Reports the ports that an object adds to the pods.
fn injected(injector: &Injector<'_>, pods: &[&Workload<'_>], assignments: &Assignments, found: &mut BlockedMoves) {
    let (id, meta) = (injector.id, injector.meta);
    for (path, number, host) in &*injector.mapped {
        for workload in pods {
            let message = mapped(meta, *number, *host, &workload.to_string());
            let refused = Finding::new(Severity::Warning, rule::SIDECAR_PORT, message).on_object(id).at(path.clone());
            let refused = refused.of_port(*number);
            // A conflict that exists before the move does not block the move.
            let is_so = workload.template.on_host_network();
            if is_so { found.findings.push(refused) } else { found.add(workload, refused) }
        }
    }
    for (path, number, protocol) in &*injector.ports {
        let finding = |message: String| {
            let finding = Finding::new(Severity::Warning, rule::SIDECAR_PORT, message);
            finding.on_object(id).at(path.clone()).of_port(*number)
        };
        let mut others = Vec::new();
        for workload in pods {
            let listens = |position: &usize| {
                let listener = workload.listeners.get(*position);
                let is_match = listener.is_some_and(|listener| listener.protocol == protocol.as_str());
                is_match && assignments.final_number(workload, *position) == Some(*number)
            };
            let Some(position) = (0..workload.listeners.len()).find(listens) else {
                others.push(workload.to_string());
                continue;
            };
            let refused = finding(injected_port_in_use_message(injector, *number, protocol, &workload.to_string()));
            // A conflict that exists before the move does not block the move.
            if has_host_port(workload, position) { found.findings.push(refused) } else { found.add(workload, refused) }
        }
        if !others.is_empty() {
            found.findings.push(finding(injector.injected_port_message(*number, protocol, &others.join(", "))));
        }
    }
}

/// Reports patched port fields of subsets, and port numbers in patched commands, arguments and variables. In a
/// `WorkloadSpread` the numbers of moved ports are reported with the references.
fn patched(
    id: ObjectId,
    meta: &Meta,
    patches: &SubsetPatches,
    moved: &[&Workload<'_>],
    assignments: &Assignments,
    found: &mut BlockedMoves,
) {
    let fields = subset_patch::fields(patches, true)
        .map(|(path, value)| (path, value.parse::<u16>().ok(), subset_patch::message(meta, path, value)));
    let listens =
        |number| moved.iter().any(|workload| workload.listeners.iter().any(|listener| listener.number == number));
    let texts = patches.numbers.iter().filter(|(_, _, number)| listens(*number));
    let texts = texts
        .map(|(path, text, number)| (path, Some(*number), subset_patch::number_message(meta, path, text, *number)));
    for (path, number, mut message) in fields.chain(texts) {
        let new = number.and_then(|number| moved.iter().find_map(|workload| assignments.first_move(workload, number)));
        if let Some((_, new)) = new {
            if patches.target.is_some() {
                continue;
            }
            message.push_str(&format!(". That port of the template becomes {new}"));
        }
        let finding = Finding::new(Severity::Warning, rule::SUBSET_PATCH, message).on_object(id).at(path.clone());
        found.findings.push(match number {
            Some(number) => finding.of_port(number),
            None => finding,
        });
    }
}
