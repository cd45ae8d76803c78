//! Namespaces of the input whose enforced Pod Security level refuses pods on the host network.

use std::collections::{BTreeMap, BTreeSet};

use super::blocked_moves::BlockedMoves;
use super::workload::Workload;
use crate::api::HostNetworkConfig;
use crate::judge::admission::{Pods, rules_against_privileged};
use crate::judge::pod_security::{
    ENFORCE, HOST_NETWORK, PRIVILEGED, PodSecurityResult, RefusingNamespace, pod_security_result, refusal, refusing,
    unlabelled, warning,
};
use crate::model::{Model, ObjectId};
use crate::plan::{Change, Edit, Finding, Message, Plan, listed};
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Value};

/// Maximum number of workloads in a message.
const NAMED: usize = 5;

/// Refuses workloads whose Namespace refuses their pods, unless the config allows labelling Namespaces.
pub(super) fn refuse_by_pod_security(
    model: &Model,
    config: &HostNetworkConfig,
    workloads: &[Workload<'_>],
    found: &mut BlockedMoves,
) {
    if config.host_network.spec.pod_security.labels_namespaces() {
        return;
    }
    for workload in workloads {
        let result = namespace_of(workload).map(|name| pod_security_result(model, name, |_| true));
        let Some(PodSecurityResult::Refuses(RefusingNamespace { namespace, level, .. })) = result else { continue };
        let message = format!(
            "{workload}: {}. Write `podSecurity: Privileged` in the spec, which labels the Namespace `{ENFORCE}: {PRIVILEGED}`, or put the \
             workload under `exclude`",
            refusal(&workload.meta.gvk.kind, namespace, level, HOST_NETWORK)
        );
        let finding = Finding::new(Severity::Warning, rule::POD_SECURITY, message).on_object(workload.id.object);
        found.add(workload, finding.at(workload.template.spec_path()));
    }
}

/// Labels Namespaces that would refuse moved pods, and reports the levels of other Namespaces.
pub(super) fn report_pod_security(model: &Model, workloads: &[Workload<'_>], plan: &mut Plan) {
    let mut labelled: BTreeMap<ObjectId, (RefusingNamespace<'_>, Vec<String>)> = BTreeMap::new();
    let mut without_label = BTreeSet::new();
    for workload in workloads {
        let Some(name) = namespace_of(workload) else { continue };
        match pod_security_result(model, name, |_| true) {
            PodSecurityResult::Refuses(..) => {
                for refusing in refusing(model, name) {
                    let (_, moved) = labelled.entry(refusing.object).or_insert_with(|| {
                        plan.findings.extend(refused_label(model, workload, &refusing));
                        (refusing, Vec::new())
                    });
                    moved.push(workload.to_string());
                }
            }
            PodSecurityResult::Warns(mode, level) => {
                let message = format!("{workload}: {}", warning(mode, level, HOST_NETWORK));
                let finding =
                    Finding::new(Severity::Warning, rule::POD_SECURITY, message).on_object(workload.id.object);
                plan.findings.push(finding.at(workload.template.spec_path()));
            }
            PodSecurityResult::Unlabelled => _ = without_label.insert(name),
            PodSecurityResult::Nothing => {}
        }
    }
    plan.findings.extend(unlabelled(&without_label));
    for (id, (RefusingNamespace { namespace, level, labels, .. }, moved)) in labelled {
        let labels = labels.cloned().unwrap_or_else(|| Path::dotted("metadata.labels"));
        plan.edits.push(Edit {
            object: id,
            path: labels.key(ENFORCE),
            change: Change::Set { old: Value::from(level), new: Value::from(PRIVILEGED) },
            rule: rule::POD_SECURITY,
            message: Message::about(
                namespace,
                "",
                format_args!(
                    "{ENFORCE} {level} -> {PRIVILEGED}, since {level} refuses the pods of {}",
                    listed(moved, NAMED)
                ),
            ),
        });
    }
}

/// Namespace of the pods of a workload; `None` if the input does not show it.
fn namespace_of<'m>(workload: &Workload<'m>) -> Option<&'m str> {
    workload.pods_view().namespace().filter(|namespace| !namespace.is_empty())
}

/// Warning about policies that may refuse the label of a Namespace; `None` without such policies.
fn refused_label(model: &Model, workload: &Workload<'_>, refusing: &RefusingNamespace<'_>) -> Option<Finding> {
    let rules = rules_against_privileged(model, &Pods::as_written(workload.pods_view()));
    let message = format!(
        "{}: gets the label `{ENFORCE}: {PRIVILEGED}`, which {} may refuse. Apply the Namespace as a user whom the policy exempts, or exempt \
         the Namespace from the policy",
        refusing.namespace,
        listed(&rules, NAMED)
    );
    let finding = Finding::new(Severity::Warning, rule::ADMISSION_POLICY, message).on_object(refusing.object);
    (!rules.is_empty()).then_some(finding)
}
