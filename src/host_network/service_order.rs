//! Services that reach moved pods by number, where applying the Service first blocks the rollout.
//!
//! The endpoints of old pods get the new number at once, and no old pod listens on it. If the target port becomes a name
//! that only new pods have, the old pods lose their endpoints. A webhook for pods, for
//! `ReplicaSets` or for the workload with `failurePolicy: Fail` then fails, so the API server refuses the rollout of the
//! webhook's own workload.
//! Source: kubernetes v1.36 `staging/src/k8s.io/endpointslice/utils.go`, `podToEndpoint`;
//! `pkg/apis/admissionregistration/types.go`, `FailurePolicyType`.

use std::collections::{HashMap, HashSet};

use super::workload::Workload;
use crate::judge::refused_rollout::{RefusedRequest, refused_request};
use crate::model::facts::{Call, RolloutRequest};
use crate::model::{Model, WorkloadId};
use crate::plan::{Change, Edit, Finding, Move};
use crate::rule::{self, Severity};
use lossless_yaml::Value;

/// One finding for each Service of a moved workload that the API server calls: a warning if its webhook would refuse the
/// workload's rollout.
pub(super) fn report_service_order(model: &Model, workloads: &[Workload<'_>], moves: &[Move]) -> Vec<Finding> {
    let missed = moves.iter().flat_map(|moved| missed_by_old_pods(moved).map(move |edit| (moved, edit)));
    let called = missed.filter_map(|(moved, edit)| {
        let service = model.object(edit.object)?;
        Some((moved, edit, model.calls_of(&service.meta).next()?))
    });
    let called: Vec<(&Move, &Edit, &Call)> = called.collect();
    if called.is_empty() {
        return Vec::new();
    }
    let workloads: HashMap<WorkloadId, &Workload<'_>> =
        workloads.iter().map(|workload| (workload.id, workload)).collect();
    let mut known = HashSet::new();
    let findings = called.into_iter().filter_map(|(moved, edit, call)| {
        let finding = called_service_order_finding(model, workloads.get(&moved.workload)?, moved, edit, call)?;
        known.insert(finding.message.clone()).then_some(finding)
    });
    findings.collect()
}

/// Edits of target ports of Services that old pods do not have: a number that could not become a name, or the name of a
/// port that this move declares.
pub(super) fn missed_by_old_pods(moved: &Move) -> impl Iterator<Item = &Edit> {
    let is_new_name = moved.edits.iter().any(|edit| edit.rule == rule::PORT_DECLARED);
    moved.edits.iter().filter(move |edit| match new_value(edit) {
        Some(Value::Int(_)) => true,
        Some(Value::Str(_)) => is_new_name,
        _ => false,
    })
}

/// New target port of a Service; `None` for other edits.
fn new_value(edit: &Edit) -> Option<&Value> {
    match &edit.change {
        Change::Set { new, .. } | Change::Add { new } => Some(new).filter(|_| edit.rule == rule::SERVICE_TARGET),
        _ => None,
    }
}

/// Reports a new target port in a Service that the API server calls; `first` is the first call.
fn called_service_order_finding(
    model: &Model,
    workload: &Workload<'_>,
    moved: &Move,
    edit: &Edit,
    first: &Call,
) -> Option<Finding> {
    let service = &model.object(edit.object)?.meta;
    let refused = refused_request(model, workload.pods_view(), model.calls_of(service));
    let namespace = refused.and_then(|refused| refused.request.namespace());
    let namespace = namespace.or(workload.meta.namespace.as_deref()).unwrap_or("default");
    let (from, to) = (moved.from, moved.to);
    let (new, remedy) = match new_value(edit)? {
        Value::Str(name) => (format!("`{name}`, a name that old pods do not have"), "declare the port with this name"),
        _ => (format!("{to}, on which old pods do not listen"), "give the port a name"),
    };
    let start = format!("{service} reaches the pods of {} by number: {from} becomes {new}", workload.meta);
    let (severity, message) = match refused {
        Some(RefusedRequest { call, request: RolloutRequest { objects, change, .. }, is_always }) => (
            Severity::Warning,
            format!(
                "{start}. {} is called for {objects} with `failurePolicy: Fail`, so once the Service is applied the API server refuses \
                 {change} too{}. Before the move {remedy}, and give the Service that name as `targetPort`; or set `failurePolicy: \
                 Ignore` until the new pods are ready; or leave out namespace {namespace} with a `namespaceSelector`",
                call.by,
                if is_always { "" } else { ", unless its `matchConditions` leave them out" }
            ),
        ),
        None => (
            Severity::Info,
            format!(
                "{start}. Once the Service is applied, calls of the API server by {} fail until the new pods are ready. Apply the \
                 workload first, and the Service when its pods are ready; or {remedy} before the move",
                first.by
            ),
        ),
    };
    let finding = Finding::new(severity, rule::SERVICE_TARGET, message).on_object(edit.object).at(edit.path.clone());
    // kustomize drops the messages of a successful build, so a certain failure is an error in a build.
    Some(if refused.is_some_and(|refused| refused.is_always) { finding.error_in_build() } else { finding })
}
