//! Namespaces whose Pod Security level forbids host networking.

use std::collections::BTreeSet;

use crate::judge::pod_security::{
    ENFORCE, PRIVILEGED, PodSecurityResult, RefusingNamespace, first_object, pod_security_result, probe_hosts, refusal,
    unknown_levels, unlabelled, violation, warning,
};
use crate::model::Object;
use crate::rule::{POD_SECURITY, Severity};

use crate::check::{CheckContext, Finding};
use lossless_yaml::Path;

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = unknown(context);
    let mut without_label = BTreeSet::new();
    for workload in &context.workloads {
        let meta = workload.meta;
        let namespace = workload.pods_view().namespace().filter(|namespace| !namespace.is_empty());
        let Some((name, what)) = namespace.zip(violation(workload.template)) else { continue };
        let (severity, message, fix) = match pod_security_result(context.model, name, |id| {
            !context.are_alternatives(id, workload.object)
        }) {
            PodSecurityResult::Refuses(RefusingNamespace { object, namespace, level, labels }) => {
                let what = what + &probe_hosts(workload.template, namespace);
                let refusal = refusal(&meta.gvk.kind, namespace, level, &what);
                let maker = context.model.object(object).filter(|_| labels.is_some());
                let place = maker.map(|maker| format!(" in managedNamespaceMetadata of {}", maker.meta));
                let place = place.unwrap_or_default();
                let fix = format!(
                    "Label the Namespace `{ENFORCE}: {PRIVILEGED}`{place}, or move the workload to a Namespace with \
                     this label"
                );
                let brief = format!(
                    "label the Namespace `{ENFORCE}: {PRIVILEGED}`, or use another Namespace: it refuses these Pods"
                );
                (Severity::Error, format!("{meta}: {refusal}. {fix}"), brief)
            }
            PodSecurityResult::Warns(mode, level) => {
                let fix = format!(
                    "label the Namespace `pod-security.kubernetes.io/{mode}: {PRIVILEGED}`: the present level forbids \
                     these Pods"
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
            Finding::new(severity, POD_SECURITY, message).on_object(workload.object).at(workload.template.spec_path());
        findings.push(finding.brief(fix, format!("Namespace {name}")));
    }
    let first = without_label.first().and_then(|name| first_object(context.model, name));
    let finding = unlabelled(&without_label);
    findings.extend(finding.map(|finding| first.map_or(finding.clone(), |id| finding.on_object(id))));
    findings
}

/// Namespaces with a level that Pod Security does not know, which the API server refuses.
///
/// Source: kubernetes/pod-security-admission@8f84a87 `admission/admission.go`, `ValidateNamespace`.
fn unknown(context: &CheckContext<'_>) -> Vec<Finding> {
    let namespaces = context.model.objects().iter().enumerate().filter(|(_, object)| {
        object.meta.gvk.group.is_empty() && object.meta.gvk.kind == "Namespace" && !object.meta.is_local_config()
    });
    let of_namespace = |(id, object): (usize, &'_ Object)| -> Vec<Finding> {
        let finding = |(label, level): (&'static str, &str)| {
            let message = format!(
                "{}: label `{label}` is `{level}`: must be one of privileged, baseline, restricted. The API server \
                 refuses such a Namespace; in an existing one it treats Pods as at the level restricted. Write one of \
                 the three levels",
                object.meta
            );
            let path = Path::dotted("metadata.labels").key(label);
            let finding = Finding::new(Severity::Error, POD_SECURITY, message).on_object(id).at(path);
            finding.brief("write privileged, baseline or restricted: the API server refuses other levels", level)
        };
        unknown_levels(&object.meta).map(finding).collect()
    };
    namespaces.flat_map(of_namespace).collect()
}
