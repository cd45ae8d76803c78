//! Ports that patches of OpenKruise's `WorkloadSpread` add to moved pods without a `hostPort`.

use std::collections::BTreeSet;

use super::assignments::Assignments;
use super::blocked_moves::BlockedMoves;
use super::workload::Workload;
use crate::catalog;
use crate::judge::openkruise::{WebhookRefusal, refuses, rejection_message, version};
use crate::model::reference::{AllPods, NamedPort};
use crate::plan::Finding;
use crate::rule::{self, Severity};
use lossless_yaml::{Path, Step};

/// Reports ports that the OpenKruise version of the input refuses, or may refuse.
pub(super) fn refuse_patched_ports(
    all: &AllPods<'_>,
    workloads: &[Workload<'_>],
    assignments: &Assignments,
    found: &mut BlockedMoves,
) {
    let known = version(all.model);
    for workload in workloads {
        let fields = all.fields_of(workload.id, workload.meta, workload.template);
        // A patch of a port that the template also has keeps the `hostPort` of the template.
        let ports = workload.listeners.iter().enumerate();
        let own: BTreeSet<u16> =
            ports.filter_map(|(position, _)| assignments.final_number(workload, position)).collect();
        for named in fields.iter().filter(|named| ends_with_key(&named.field.path, "containerPort")) {
            let Some(object) = all.model.object(named.object) else { continue };
            let gvk = &object.meta.gvk;
            let row = catalog::ADMISSION.iter().find(|row| row.group == gvk.group && row.kind == gvk.kind);
            let (Some(row), Ok(number)) = (row, named.field.value.text.parse::<u16>()) else { continue };
            let path = named.field.path.parent().unwrap_or_default().key("hostPort");
            let is_host_port =
                |other: &NamedPort<'_>| other.object == named.object && other.field.path.is_same_place(&path);
            if own.contains(&number) || fields.iter().any(is_host_port) {
                continue;
            }
            let refused = refuses(&known, row);
            // Field paths in errors of the webhook omit the `spec` of the patch.
            let message = format!(
                "{workload}: {} adds port {number} to its pods without a hostPort; {}. Write `hostPort: {number}` there",
                object.meta,
                rejection_message(&known, row, &path.to_string().replace(".patch.spec.", ".patch."))
            );
            let finding = Finding::new(Severity::Warning, rule::HOST_PORT, message).on_object(named.object);
            let finding = finding.at(named.field.path.clone()).of_port(number);
            // The old number of a moved port is reported with the move.
            let is_reported = workload.listeners.iter().any(|listener| listener.number == number);
            match refused {
                WebhookRefusal::Maybe if is_reported => {}
                WebhookRefusal::Yes => found.add(workload, finding),
                WebhookRefusal::Maybe => found.findings.push(finding),
                WebhookRefusal::No => {}
            }
        }
    }
}

/// True if the path ends with this key.
fn ends_with_key(path: &Path, name: &str) -> bool {
    matches!(path.last(), Some(Step::Key(key)) if key == name)
}
