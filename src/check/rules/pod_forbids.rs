//! Fields that the API server refuses beside `hostNetwork: true`.

use crate::rule::{POD_FORBIDS, Severity};

use super::{Finding, Situation};

pub(super) fn check(situation: &Situation<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for workload in situation.on_host() {
        for (path, value) in &workload.template.forbidding {
            let at = path.to_string();
            let words = if at.ends_with("hostUsers") {
                match situation.versions.kubernetes.has("v1.34.0") {
                    Some(false) => "Forbidden: when `pod.Spec.HostUsers` is false",
                    _ => "Forbidden: when `hostUsers` is false",
                }
            } else if at.ends_with("hostnameOverride") {
                "Forbidden: may not be specified when hostNetwork is true"
            } else {
                "Invalid value: may not be specified when 'hostNetwork' is true"
            };
            let message = format!(
                "{}: {path} is `{value}`, which the API server refuses beside `hostNetwork: true`: {words}. Remove one of the two",
                workload.meta
            );
            findings.push(Finding::new(Severity::Error, POD_FORBIDS, message).on(workload.id).at(path.clone()));
        }
    }
    findings
}
