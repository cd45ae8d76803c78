//! Patches of pod subsets that concern the host network; they are not validated together with the pod template.

use crate::judge::openkruise::{WebhookRefusal, ports_without_host_port, refuses, rejection_message, row};
use crate::judge::subset_patch::{fields, message, number_message};
use crate::model::facts::{PodChange, SubsetPatches};
use crate::model::{Meta, ObjectId};
use crate::rule::{SUBSET_PATCH, Severity};

use crate::check::{CheckContext, Finding};

/// Path of the patches in the catalogue row of a webhook that validates a patch together with the pod template of its
/// target.
const PATCHES: &str = "spec.subsets[].patch";

pub(super) fn check(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (id, meta, change) in context.model.pod_changes() {
        let PodChange::Patches(patches) = change else { continue };
        let is_about =
            |workload: &ObjectId, workload_meta: &Meta| patches.is_about((id, meta), (*workload, workload_meta));
        let is_on_host = context.on_host().any(|workload| is_about(&workload.object, workload.meta));
        for (path, value) in fields(patches, is_on_host) {
            let finding = Finding::new(Severity::Warning, SUBSET_PATCH, message(meta, path, value));
            let fix = "write the fields in the template, or make two workloads: this patch changes ports or network of \
                       some pods";
            findings.push(finding.on_object(id).at(path.clone()).brief(fix, path.to_string()));
        }
        let listens = |number: u16| {
            let mut pods = context.on_host().filter(|workload| is_about(&workload.object, workload.meta));
            pods.any(|workload| workload.ports.listeners.iter().any(|listener| listener.number == number))
        };
        for (path, text, number) in patches.numbers.iter().filter(|(.., number)| listens(*number)) {
            let finding = Finding::new(Severity::Warning, SUBSET_PATCH, number_message(meta, path, text, *number))
                .of_port(*number);
            let fix = "write the port in the template, or make two workloads: this patch sets a port of some pods";
            findings.push(finding.on_object(id).at(path.clone()).brief(fix, path.to_string()));
        }
        findings.extend(refused(context, id, meta, patches));
    }
    findings
}

/// Reports a patch that a webhook refuses because of the pod template of its target.
fn refused(context: &CheckContext<'_>, id: ObjectId, meta: &Meta, patches: &SubsetPatches) -> Option<Finding> {
    let path = &patches.first;
    let row = row(meta, PATCHES)?;
    let target = context.on_host().find(|workload| patches.is_about((id, meta), (workload.object, workload.meta)))?;
    let (field, number) = ports_without_host_port(target.template).into_iter().next()?;
    let below = field.to_string().replacen(&target.template.spec_path().to_string(), "", 1);
    let version = &context.versions.openkruise;
    let (severity, doubt) = match refuses(version, row) {
        WebhookRefusal::Yes => (Severity::Error, ""),
        WebhookRefusal::Maybe => (
            Severity::Warning,
            " The version is not known: give it in the config, such as `versions: {openkruise: v1.9.0}`.",
        ),
        WebhookRefusal::No => return None,
    };
    let message = format!(
        "{meta}: {path} is validated with the template of {}, which has no hostPort for {number}; {}.{doubt} Write the hostPort there",
        target.meta,
        rejection_message(version, row, &format!("{path}{below}"))
    );
    let finding = Finding::new(severity, SUBSET_PATCH, message).on_object(id).at(path.clone()).of_port(number);
    let fix = "write the hostPort in the template of its target: OpenKruise 1.7 and 1.8 refuse any patch without it";
    Some(finding.with(target.object, field).brief(fix, format!("{number} of {}", target.meta)))
}
