//! Crossplane Functions on the host network.

use crate::catalog::{FUNCTION_PORT, PackageKind};
use crate::check::packages::{Configured, Runtime};
use crate::check::{CheckContext, Finding};
use crate::rule::{FUNCTION, Severity};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let all = context.packages();
    let mut before: Vec<&Configured<'_>> = Vec::new();
    for one in all.iter().filter(|one| one.package.kind == PackageKind::Function) {
        let Some(config) = one.config.as_ref().filter(|config| config.on_host()) else { continue };
        let other =
            config.ports().into_iter().find(|(name, number, _)| name == "grpc" && *number != i64::from(FUNCTION_PORT));
        if let Some((_, number, _)) = other {
            let message = format!(
                "{}: its runtime config {} declares port grpc as {number}, and Crossplane always dials 9443 of a Function's pod: every call \
                 fails. Leave the Function in the pod network, or leave the port at 9443",
                one.meta, one.name
            );
            let finding =
                Finding::new(Severity::Error, FUNCTION, message).on_object(config.id).at(Runtime::path("containers"));
            let fix = "write 9443 for the port grpc, or leave the Function in the pod network: Crossplane dials 9443";
            findings.push(finding.brief(fix, number.to_string()));
        }
        let may_be_in_one_cluster = |other: &&&Configured<'_>| !context.are_alternatives(other.id, one.id);
        // A Function in several files is a single Function of the cluster.
        if !before.iter().any(|other| other.is_same(one))
            && let Some(other) = before.iter().find(may_be_in_one_cluster)
        {
            let name = other.meta.to_string();
            let message = format!(
                "{} and {name} are both on the host network, and Crossplane always dials 9443 of a Function's pod: only one of them can be \
                 on a node. Leave Functions in the pod network: the API server does not call them",
                one.meta
            );
            let finding =
                Finding::new(Severity::Error, FUNCTION, message).on_object(one.id).at(lossless_yaml::Path::root());
            let finding = finding.with(other.id, lossless_yaml::Path::root());
            let fix = "leave Functions in the pod network: Crossplane dials 9443 of each, which a node has once";
            findings.push(finding.brief(fix, "").about(format!("{} and {name}", one.meta)));
        }
        before.push(one);
    }
    findings
}
