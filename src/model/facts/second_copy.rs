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
        field.is_some_and(|field| field.is_mapping() || field.as_bool() == Some(true))
    };
    let row = second_copies(&meta.gvk.group, &meta.gvk.kind).find(is_on)?;
    let steps = row.steps.and_then(|steps| object.lookup(&Path::dotted(steps)));
    let replicas = steps.into_iter().flat_map(NodeRef::items).filter_map(|step| step.get("replicas")?.to_value());
    let workload = workload_at(object, &Path::dotted(row.workload))?;
    Some(SecondCopy { workload, what: row.what, steps: replicas.collect() })
}
