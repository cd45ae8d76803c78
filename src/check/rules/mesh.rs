//! Pods on the host network that labels or annotations put into a service mesh.

use crate::check::{Finding, Situation};
use crate::model::index::joined;
use crate::rule::{MESH, Severity};

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in situation.on_host() {
        let Some(joined) = joined(situation.model, workload.meta, workload.template).next() else { continue };
        let mesh = joined.mesh;
        let why = if mesh.skips {
            "which leaves out pods on the host network: they have no proxy, and where the mesh demands mTLS, calls to them and from them \
             fail"
        } else {
            "whose injector does not look at hostNetwork: what it adds to the pods redirects the traffic of the node itself, unless a CNI \
             plugin of the mesh does that instead"
        };
        let message = format!(
            "{}: {joined} puts its pods into {}, {why}. Take it out of the mesh with the {}",
            workload.meta, mesh.name, mesh.opt_out
        );
        let path = joined.path.unwrap_or_else(|| workload.template.spec_path());
        let finding = Finding::new(Severity::Warning, MESH, message).on(workload.id).at(path);
        let why = if mesh.skips { "its calls under mTLS fail" } else { "it redirects the traffic of the node" };
        let fix = format!("take it out of {} with the {}: on the host network {why}", mesh.name, mesh.opt_out);
        findings.push(finding.brief(fix, ""));
    }
    findings
}
