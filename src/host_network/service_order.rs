//! Services that reach moved pods by number, where applying the Service first locks the pods out.
//!
//! The endpoints of old pods get the new number at once, and no old pod listens on it. A webhook for pods with
//! `failurePolicy: Fail` then fails, so the API server refuses the new pods of the webhook's own workload.
//! Source: kubernetes v1.36 `staging/src/k8s.io/endpointslice/utils.go`, `podToEndpoint`;
//! `pkg/apis/admissionregistration/types.go`, `FailurePolicyType`.

use super::workload::Workload;
use crate::model::Model;
use crate::plan::{Change, Edit, Finding, Move};
use crate::rule::{self, Severity};
use lossless_yaml::Value;

/// One warning for each Service of a moved workload whose webhook would refuse the workload's new pods.
pub(super) fn report(model: &Model, workloads: &[Workload<'_>], moves: &[Move]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for moved in moves {
        for edit in moved.edits.iter().filter(|edit| is_by_number(edit)) {
            let finding = locked_out(model, workloads, moved, edit);
            findings.extend(finding.filter(|finding| !findings.iter().any(|known| known.message == finding.message)));
        }
    }
    findings
}

/// True for a target port of a Service that gets a number and could not become a name.
pub(super) fn is_by_number(edit: &Edit) -> bool {
    let is_number = matches!(&edit.change, Change::Set { new: Value::Int(_), .. } | Change::Add { new: Value::Int(_) });
    is_number && edit.rule == rule::SERVICE_TARGET
}

/// Reports a new number in the Service of a webhook that the API server calls for the own pods of the webhook.
fn locked_out(model: &Model, workloads: &[Workload<'_>], moved: &Move, edit: &Edit) -> Option<Finding> {
    let service = &model.object(edit.object)?.meta;
    // Search the workload only for webhooks about pods, which are few.
    let mut calls = model.calls_of(service).filter(|call| call.pods.is_some()).peekable();
    calls.peek()?;
    let workload = workloads.iter().find(|workload| workload.id == moved.workload)?;
    let call = calls.find(|call| model.refuses_pods(call, workload.meta, workload.template))?;
    let namespace = workload.meta.namespace.as_deref().unwrap_or("default");
    let message = format!(
        "{service} reaches the pods of {} by number: {} becomes {}, on which old pods do not listen. {} is called for pods with \
         `failurePolicy: Fail`, so once the Service is applied the API server refuses the new pods too. Before the move give the port a name, \
         and the Service that name as `targetPort`; or set `failurePolicy: Ignore` until the new pods are ready; or leave out namespace \
         {namespace} with a `namespaceSelector`",
        workload.meta, moved.from, moved.to, call.by
    );
    Some(Finding::new(Severity::Warning, rule::SERVICE_TARGET, message).on(edit.object).at(edit.path.clone()))
}
