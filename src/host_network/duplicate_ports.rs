//! Pods that are already on the host network, do not move, and declare the same host port twice.

use std::collections::BTreeSet;

use super::target::Targets;
use super::workload::Workload;
use crate::judge::duplicate_port::{DuplicatePort, duplicate_ports};
use crate::model::facts::PodsView;
use crate::model::{Model, WorkloadId};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Reports duplicate ports of pods on the host network. Skips pods in `moved`, whose final numbers
/// are compared elsewhere, and objects under `exclude`.
pub(super) fn find(model: &Model, targets: &Targets<'_>, moved: &[Workload<'_>]) -> Vec<Finding> {
    let moved: BTreeSet<WorkloadId> = moved.iter().map(|workload| workload.id).collect();
    let mut found = Vec::new();
    for (id, object, template) in model.workloads() {
        if !template.on_host_network() || moved.contains(&id) || object.meta.is_local_config() {
            continue;
        }
        let duplicates = duplicate_ports(template, true);
        if duplicates.is_empty() || targets.exclude(model, id.object) {
            continue;
        }
        let pods = PodsView { meta: &object.meta, template };
        found.extend(duplicates.iter().map(|duplicate| {
            let finding = Finding::new(Severity::Error, rule::PORT_CONFLICT, message(&pods, duplicate));
            finding.on_object(id.object).at(duplicate.second.path.clone()).of_port(duplicate.number)
        }));
    }
    found
}

/// Message about a port that two containers of a pod declare.
fn message(pods: &PodsView<'_>, duplicate: &DuplicatePort<'_>) -> String {
    let DuplicatePort { number, first, second } = duplicate;
    let name = |name: &Option<String>| name.as_deref().map(|name| format!(" as {name}")).unwrap_or_default();
    format!(
        "{pods} is on the host network, and has {number}/{} twice: in container {}{} and in container {}{}. The API server refuses its \
         pods: {}. Declare the port once, or put the workload under `exclude`",
        second.port.protocol,
        first.container.name,
        name(&first.port.name),
        second.container.name,
        name(&second.port.name),
        duplicate.refusal()
    )
}
