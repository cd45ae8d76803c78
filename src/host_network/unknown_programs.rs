//! Containers of workloads that move and whose programs nobody here knows: so that nobody takes silence for knowledge.

use super::workload::Workload;
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// One result for each workload that names its unknown containers.
pub(super) fn report(workloads: &[Workload<'_>]) -> Vec<Finding> {
    workloads.iter().filter_map(of_workload).collect()
}

fn of_workload(workload: &Workload<'_>) -> Option<Finding> {
    let unknown: Vec<String> = workload
        .template
        .running()
        // A patch names containers of which it says nothing else.
        .filter(|(index, container)| is_unknown(workload, *index) && !container.image.is_empty())
        .map(|(_, container)| format!("{} ({})", container.name, container.image))
        .collect();
    let list = unknown.join(", ");
    let message = format!(
        "{workload}: not in the catalogue: container {list}; only listeners that the manifest shows are known. What else it listens on goes \
         under `bind` of the target, or `programs`"
    );
    let finding = Finding::new(Severity::Info, rule::PROGRAM_UNKNOWN, message);
    (!unknown.is_empty()).then(|| finding.on(workload.id.object).at(workload.template.spec_path()))
}

/// Whether neither the catalogue nor the config knows the program of a container.
pub(super) fn is_unknown(workload: &Workload<'_>, container: usize) -> bool {
    workload.programs.get(container).is_none_or(Option::is_none)
}
