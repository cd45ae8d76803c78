//! Records in `assigned`: missing numbers, and keys that match no listener.

use std::collections::{BTreeMap, BTreeSet};

use super::assignments::{Assignment, Assignments};
use super::owner::listener_keys;
use super::workload::Workload;
use crate::api::{HostNetworkConfig, Port, Ports, Sharing, recorded_owners, workload_of};
use crate::catalog::{FUNCTION_PORT, PackageKind};
use crate::judge::node_port::recorded_for_another;
use crate::model::facts::PodsView;
use crate::model::index::workload_key;
use crate::model::pod::TCP;
use crate::model::{Meta, Model};
use crate::plan::Finding;
use crate::rule::{self, Severity};
use lossless_yaml::Path;

/// Maximum number of keys in a message.
const MAX_SHOWN_KEYS: usize = 5;

/// Findings about chosen port numbers that the config does not record: another input may lead to other numbers. Errors
/// with `requireAssigned`.
pub(super) fn missing(
    config: &HostNetworkConfig,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
) -> Vec<Finding> {
    let required = config.host_network.spec.require_assigned;
    let mut found = Vec::new();
    for workload in workloads {
        let keys = if required { listener_keys(workload) } else { Vec::new() };
        for (position, listener) in workload.listeners.iter().enumerate() {
            let Assignment::Given { number, recorded: false } = assignments.choice(workload.id, position) else {
                continue;
            };
            let label = workload.display_name(listener);
            let finding = if required {
                let place = config.place_of(&Path::dotted("spec.requireAssigned"));
                let key = keys.get(position).map_or("", String::as_str);
                let message = format!(
                    "{label} has no number in `assigned`, and `requireAssigned` at {place} forbids to choose one. Run `hostnet \
                     pin`, or write `{key}: {number}` under `assigned`"
                );
                Finding::new(Severity::Error, rule::PORT_ASSIGNED, message)
            } else {
                let message =
                    format!("{label}: {number} is chosen, not recorded; `hostnet pin` writes it into `assigned`");
                Finding::new(Severity::Info, rule::PORT_ASSIGNED, message)
            };
            found.push(finding.on_object(workload.id.object).at(workload.field(listener)).of_port(listener.number));
        }
    }
    found
}

/// Warnings about listeners with `auto` that keep another port number than `assigned` records for them.
pub(super) fn records_without_effect(
    config: &HostNetworkConfig,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
) -> Vec<Finding> {
    let spec = &config.host_network.spec;
    if spec.assigned.is_empty() {
        return Vec::new();
    }
    let is_auto =
        |workload: &&Workload<'_>| spec.targets.get(workload.target).is_some_and(|target| target.ports == Ports::Auto);
    let mut found = Vec::new();
    for workload in workloads.iter().filter(is_auto) {
        for ((position, listener), key) in workload.listeners.iter().enumerate().zip(listener_keys(workload)) {
            let Some(number) = spec.assigned.get(&key).map(|number| number.get()) else { continue };
            let Some(kept) = assignments.final_number(workload, position).filter(|kept| *kept != number) else {
                continue;
            };
            // Crossplane always dials this port of a Function.
            let is_fixed =
                PackageKind::from_meta(workload.meta) == Some(PackageKind::Function) && kept == FUNCTION_PORT;
            let or = if is_fixed { "" } else { ", or give the setting of the port with `bind`" };
            let message = format!(
                "{}: {number} in `assigned` at {} has no effect: the port is {kept}, which cannot change. Remove the entry{or}",
                workload.display_name(listener),
                config.place_of(&Path::dotted("spec.assigned").key(key)),
            );
            let finding = Finding::new(Severity::Warning, rule::PORT_ASSIGNED, message).on_object(workload.id.object);
            found.push(finding.at(workload.field(listener)).of_port(listener.number).error_in_build());
        }
    }
    found
}

/// Warnings about kept numbers that `assigned` records for workloads outside of the input. A record has no protocol and
/// counts as TCP.
pub(super) fn of_workloads_elsewhere(
    config: &HostNetworkConfig,
    model: &Model,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
) -> Vec<Finding> {
    let spec = &config.host_network.spec;
    if spec.assigned.is_empty() {
        return Vec::new();
    }
    let all = model.workloads().map(|(_, object, template)| PodsView { meta: &object.meta, template });
    let here: BTreeSet<String> = all.chain(workloads.iter().map(Workload::pods_view)).map(workload_key).collect();
    let owners = recorded_owners(spec);
    let sharing = Sharing::new(spec);
    let mut found = Vec::new();
    for workload in workloads {
        let own = workload_key(workload.pods_view());
        for (position, listener) in workload.listeners.iter().enumerate().filter(|(_, one)| one.protocol == TCP) {
            let Some(number) = assignments.final_number(workload, position).filter(|kept| *kept == listener.number)
            else {
                continue;
            };
            let mut others = owners.get(&number).into_iter().flatten();
            let Some(owner) = others.find(|owner| !here.contains(**owner) && !sharing.allows(number, owner, &own))
            else {
                continue;
            };
            let message = format!("{}: {}", workload.display_name(listener), recorded_for_another(number, owner));
            let finding = Finding::new(Severity::Warning, rule::PORT_CONFLICT, message).on_object(workload.id.object);
            found.push(finding.at(workload.field(listener)).of_port(number));
        }
    }
    found
}

/// Errors about entries of `assigned` under the name that a workload had before kustomize renamed it. Such an entry has
/// no effect; it is reported if the current name has no entry.
pub(super) fn records_of_former_names(config: &HostNetworkConfig, workloads: &[Workload<'_>]) -> Vec<Finding> {
    let assigned: &BTreeMap<String, Port> = &config.host_network.spec.assigned;
    let mut found = Vec::new();
    for workload in workloads.iter().filter(|_| !assigned.is_empty()) {
        let Some(former) = former_key(workload) else { continue };
        let present = workload_key(workload.pods_view());
        for key in listener_keys(workload).into_iter().filter(|key| !assigned.contains_key(key)) {
            let Some(port) = key.strip_prefix(present.as_str()) else { continue };
            let former_key = format!("{former}{port}");
            let Some(number) = assigned.get(&former_key) else { continue };
            let message = format!(
                "{workload}: `{former_key}: {number}` in `assigned` at {} has no effect, because kustomize renamed the workload. Write \
                 `{key}: {number}`",
                config.place_of(&Path::dotted("spec.assigned").key(former_key.clone())),
            );
            found.push(Finding::new(Severity::Error, rule::PORT_ASSIGNED, message).on_object(workload.id.object));
        }
    }
    found
}

/// Key of a workload before all renames of a kustomize build; `None` without renames.
fn former_key(workload: &Workload<'_>) -> Option<String> {
    let meta = workload.meta;
    let name = meta.first_name()?;
    let namespace = meta.first_namespace().or(meta.namespace.as_deref());
    let former = Meta { name: name.to_owned(), namespace: namespace.map(str::to_owned), ..meta.clone() };
    let key = workload_key(PodsView { meta: &former, template: workload.template });
    (key != workload_key(workload.pods_view())).then_some(key)
}

/// Note about keys in `assigned` of selected workloads that match no listener. Keys of unknown workloads are ignored:
/// the config may be used with other inputs.
pub(super) fn unused(config: &HostNetworkConfig, workloads: &[Workload<'_>]) -> Option<Finding> {
    let assigned: &BTreeMap<String, Port> = &config.host_network.spec.assigned;
    if assigned.is_empty() {
        return None;
    }
    let known: BTreeSet<String> = workloads.iter().flat_map(listener_keys).collect();
    let here: BTreeSet<String> = workloads.iter().map(|workload| workload_key(workload.pods_view())).collect();
    let is_unused = |key: &&String| !known.contains(*key) && here.contains(workload_of(key));
    let unused: Vec<&str> = assigned.keys().filter(is_unused).map(String::as_str).collect();
    let first = unused.first()?;
    let mut listed: Vec<String> = unused.iter().take(MAX_SHOWN_KEYS).map(|key| format!("`{key}`")).collect();
    if unused.len() > MAX_SHOWN_KEYS {
        listed.push(format!("and {} more", unused.len() - MAX_SHOWN_KEYS));
    }
    let message = format!(
        "at {} `assigned` has keys for listeners that their workloads do not have: {}. `hostnet pin --prune` removes them; give it all manifests that the \
         config applies to",
        config.place_of(&Path::dotted("spec.assigned").key((*first).to_owned())),
        listed.join(", ")
    );
    Some(Finding::new(Severity::Info, rule::PORT_ASSIGNED, message))
}
