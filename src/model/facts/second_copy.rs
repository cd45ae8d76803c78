//! Objects that run a second copy of a workload's pods next to all pods of the first (`catalog/second-copies.yaml`).

use super::workload::workload_at;
use crate::catalog::{self, second_copies};
use crate::model::meta::Meta;
use lossless_yaml::{NodeRef, Path, Value};

/// Second copy of the pods of a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondCopy {
    /// Workload, such as `Deployment web`.
    pub workload: Box<str>,
    /// Reason for the second copy, for messages.
    pub what: &'static str,
    /// `replicas` of each step; empty if the second copy is as large as the first.
    pub steps: Vec<Value>,
}

/// Returns the second copy that an object creates; `None` without one.
pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<SecondCopy> {
    let disabled = object.lookup(&Path::dotted("spec.disabled")).and_then(NodeRef::as_bool);
    if disabled == Some(true) {
        return None;
    }
    let is_on = |row: &&catalog::SecondCopyKind| {
        let field = object.lookup(&Path::dotted(row.field));
        let annotated = |(key, value): (&str, &str)| {
            meta.annotations.get(key).is_some_and(|given| given.eq_ignore_ascii_case(value))
        };
        field.is_some_and(|field| field.is_mapping() || field.as_bool() == Some(true))
            && object.lookup(&Path::dotted(row.workload)).is_some_and(|workload| {
                row.of.is_none_or(|kind| workload.get("kind").and_then(NodeRef::text) == Some(kind))
            })
            && !row.not_annotated.is_some_and(annotated)
    };
    let row = second_copies(&meta.gvk.group, &meta.gvk.kind).find(is_on)?;
    let steps = row.steps.and_then(|steps| object.lookup(&Path::dotted(steps)));
    let of_step = |step: NodeRef<'_, '_>| match (step.get("replicas"), row.weight) {
        (None, Some(key)) => Some(Value::Str(format!("{}%", step.get(key)?.text()?))),
        (replicas, _) => replicas?.to_value(),
    };
    let replicas = steps.into_iter().flat_map(NodeRef::items).filter_map(of_step);
    let workload = workload_at(object, &Path::dotted(row.workload))?;
    Some(SecondCopy { workload, what: row.what, steps: replicas.collect() })
}
