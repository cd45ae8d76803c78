//! Objects that run a second copy of a workload's pods next to all pods of the first (`catalog/second-copies.yaml`).

use super::workload::referenced_workload_label;
use crate::catalog::{self, second_copies};
use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Path, Value};

/// Second copy of the pods of a workload, such as a canary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondCopy {
    /// Workload, such as `Deployment web`.
    pub workload: Box<str>,
    /// Reason for the second copy, for messages.
    pub what: &'static str,
    /// Number of pods in each step of the rollout; empty if the second copy has as many pods as the first.
    pub steps: Vec<Value>,
    /// True if the workload itself creates the copy; its update then also follows its own strategy.
    pub is_own: bool,
}

/// Returns the second copy that an object creates; `None` for objects without second copy.
pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<SecondCopy> {
    // `disabled` in Kruise, and `suspend` in Flagger (fluxcd/flagger@15bd6ad5 `pkg/controller/scheduler.go`).
    let is_set = |path: &str| object.lookup(&Path::dotted(path)).and_then(NodeRef::as_bool) == Some(true);
    if is_set("spec.disabled") || is_set("spec.suspend") {
        return None;
    }
    let is_on = |row: &&catalog::SecondCopyKind| {
        let field = object.lookup(&Path::dotted(row.field));
        let annotated = |(key, value): (&str, &str)| {
            meta.annotations.get(key).is_some_and(|given| given.eq_ignore_ascii_case(value))
        };
        field.is_some_and(|field| field.is_mapping() || field.as_bool() == Some(true))
            && row.workload.is_none_or(|path| {
                object.lookup(&Path::dotted(path)).is_some_and(|workload| {
                    row.of.is_none_or(|kind| workload.get("kind").and_then(NodeRef::text) == Some(kind))
                })
            })
            && !row.not_annotated.is_some_and(annotated)
    };
    let row = second_copies(&meta.gvk.group, &meta.gvk.kind).find(is_on)?;
    let steps = row.steps.and_then(|steps| object.lookup(&Path::dotted(steps)));
    let of_step = |step: NodeRef<'_, '_>| match (step.get("replicas"), row.weight, row.templates) {
        (None, Some(key), _) => Some(Value::Str(format!("{}%", step.get(key)?.text()?))),
        (None, _, Some(templates)) => pods_of(step.lookup(&Path::dotted(templates))?),
        (replicas, ..) => replicas?.to_value(),
    };
    let replicas = steps.into_iter().flat_map(NodeRef::items).filter_map(of_step);
    let steps: Vec<Value> = replicas.collect();
    // If no step has templates, the rollout creates no second copy.
    if row.templates.is_some() && steps.is_empty() {
        return None;
    }
    let workload = match row.workload {
        Some(path) => referenced_workload_label(object, &Path::dotted(path))?,
        None => format!("{} {}", meta.gvk.kind, meta.name).into(),
    };
    Some(SecondCopy { workload, what: row.what, steps, is_own: row.workload.is_none() })
}

/// Number of pods of a list of templates; `None` if a number is a placeholder.
fn pods_of(templates: NodeRef<'_, '_>) -> Option<Value> {
    let pods = templates.items().map(|template| match template.get("replicas") {
        Some(replicas) => replicas.as_int().filter(|pods| *pods >= 0),
        None => Some(1),
    });
    Some(Value::Int(pods.sum::<Option<i64>>()?))
}
