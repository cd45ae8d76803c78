//! Namespaces whose Pod Security level forbids host networking.

use std::collections::BTreeSet;

use crate::judge::pod_security::{
    ENFORCE, PRIVILEGED, PodSecurityResult, Refusing, first_object, pod_security_result, probe_hosts, refusal,
    unlabelled, violation, warning,
};
use crate::rule::{POD_SECURITY, Severity};

use crate::check::{CheckContext, Finding};

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut without_label = BTreeSet::new();
    for workload in &context.workloads {
        let meta = workload.meta;
        let namespace = workload.pods_view().namespace().filter(|namespace| !namespace.is_empty());
        let Some((name, what)) = namespace.zip(violation(workload.template)) else { continue };
        let (severity, message, fix) = match pod_security_result(context.model, name, |id| {
            !context.are_alternatives(id, workload.object)
        }) {
            PodSecurityResult::Refuses(Refusing { object, namespace, level, labels }) => {
                let what = what + &probe_hosts(workload.template, namespace);
                let refusal = refusal(&meta.gvk.kind, namespace, level, &what);
                let maker = context.model.object(object).filter(|_| labels.is_some());
                let place = maker.map(|maker| format!(" in managedNamespaceMetadata of {}", maker.meta));
                let place = place.unwrap_or_default();
                let fix = format!(
                    "Label the Namespace `{ENFORCE}: {PRIVILEGED}`{place}, or move the workload to one that is"
                );
                let brief =
                    format!("label the Namespace `{ENFORCE}: {PRIVILEGED}`, or take another: it refuses these Pods");
                (Severity::Error, format!("{meta}: {refusal}. {fix}"), brief)
            }
            PodSecurityResult::Warns(mode, level) => {
                let fix = format!(
                    "label the Namespace `pod-security.kubernetes.io/{mode}: {PRIVILEGED}`: the level that it has forbids these Pods"
                );
                (Severity::Warning, format!("{meta}: {}", warning(mode, level, &what)), fix)
            }
            PodSecurityResult::Unlabelled => {
                without_label.extend(Some(name).filter(|_| context.is_checked(workload.object)));
                continue;
            }
            PodSecurityResult::Nothing => continue,
        };
        let finding =
            Finding::new(severity, POD_SECURITY, message).on(workload.object).at(workload.template.spec_path());
        findings.push(finding.brief(fix, format!("Namespace {name}")));
    }
    let first = without_label.first().and_then(|name| first_object(context.model, name));
    let finding = unlabelled(&without_label);
    findings.extend(finding.map(|finding| first.map_or(finding.clone(), |id| finding.on(id))));
    findings
}
