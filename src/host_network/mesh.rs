//! Workloads that leave their service mesh when they move: mesh proxies need a pod network.

use super::workload::Workload;
use crate::model::Model;
use crate::model::index::joined;
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// One warning for each workload that is not yet on the host network and whose pods are in a mesh.
pub(super) fn report_meshes(model: &Model, workloads: &[Workload<'_>]) -> Vec<Finding> {
    workloads.iter().filter(|workload| !workload.template.on_host_network()).filter_map(|w| warn(model, w)).collect()
}

/// Warning about a workload in a service mesh; `None` outside of meshes.
fn warn(model: &Model, workload: &Workload<'_>) -> Option<Finding> {
    let joined = joined(model, workload.pods_view()).next()?;
    let message =
        format!("{workload}: {joined}, {}. Put the workload under `exclude`, or {}", joined.effect(), joined.remedy());
    let finding = Finding::new(Severity::Warning, rule::MESH, message);
    let path = joined.path.unwrap_or_else(|| workload.template.spec_path());
    Some(finding.on_object(workload.id.object).at(path))
}
