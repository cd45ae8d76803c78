//! Admission policies of the input that refuse pods on the host network.

use crate::judge::admission::{Certainty, Pods, Policies};
use crate::rule::Severity;

use crate::check::{CheckContext, Finding};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let policies = Policies::new(context.model);
    for workload in &context.workloads {
        let pods = Pods::as_written(workload.pods_view());
        for refusal in policies.rejections(&pods, |policy| !context.are_alternatives(policy, workload.object)) {
            let finding = refusal.finding(workload.pods_view(), "");
            let (severity, why) = match refusal.certainty {
                Certainty::Refuses => (
                    Severity::Error,
                    "exempt the workload from the policy, or take it off the host network: the policy refuses these Pods",
                ),
                Certainty::May => {
                    (Severity::Warning, "check that the policy is not for these Pods: it forbids their host fields")
                }
                Certainty::Changes => (
                    Severity::Warning,
                    "exempt the workload from the policy: it sets `hostNetwork` of these Pods to false",
                ),
                Certainty::Deletes => {
                    (Severity::Warning, "exempt the workload from the policy: it deletes these Pods again and again")
                }
                Certainty::Unread => {
                    (Severity::Warning, "check that the policy accepts these Pods: it restricts host fields")
                }
            };
            let finding = Finding { severity, ..finding }.on_object(workload.object).at(workload.template.spec_path());
            findings.push(finding.brief(why, refusal.name));
        }
    }
    findings
}
