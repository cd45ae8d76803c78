//! Pods on the host network that belong to a service mesh.

use crate::check::{CheckContext, Finding};
use crate::model::index::{MeshMembershipCause, joined};
use crate::rule::{MESH, Severity};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in context.on_host() {
        let Some(joined) = joined(context.model, workload.pods_view()).next() else { continue };
        let (effect, remedy) = (joined.effect(), joined.remedy());
        let message = format!("{}: {joined}, {effect}; {remedy}", workload.meta);
        let short = match joined.by {
            MeshMembershipCause::Key(..) if !joined.mesh.skips => "it redirects the traffic of the node",
            _ => "its calls under mTLS fail",
        };
        let fix = format!("{remedy}: on the host network {short}");
        let path = joined.path.unwrap_or_else(|| workload.template.spec_path());
        let finding = Finding::new(Severity::Warning, MESH, message).on_object(workload.object).at(path);
        findings.push(finding.brief(fix, ""));
    }
    findings
}
