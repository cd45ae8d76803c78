//! Selected objects that the input contains more than once.

use std::collections::BTreeSet;

use super::workload::Workload;
use crate::judge::duplicate_objects::{duplicates, same_name_packages_note};
use crate::model::facts::package;
use crate::model::{Model, ObjectId};
use crate::plan::Finding;
use crate::rule::{self, Severity};

/// Reports each occurrence of a selected object that is in the input more than once: it is undefined which one applies.
pub(super) fn find(model: &Model, selected: &[Workload<'_>], findings: &mut Vec<Finding>) {
    // Count an object with several templates once.
    let workloads = model.workloads().filter(|(id, ..)| id.template == 0);
    let workloads = workloads.map(|(id, object, _)| (id.object, &object.meta));
    let all = workloads.chain(model.packages().map(|(id, meta, _)| (id, meta)));
    let selected: BTreeSet<ObjectId> = selected.iter().map(|workload| workload.owner).collect();
    for id in duplicates(all, &selected) {
        let Some(object) = model.object(id) else { continue };
        let meta = &object.meta;
        let scope = match meta.gvk.group.as_str() {
            package::GROUP => same_name_packages_note(&meta.gvk.kind),
            _ if meta.namespace.is_none() => " (without a namespace: for several namespaces or clusters give one \
                                              render at a time, each with its own config and `portPool`)"
                .to_owned(),
            _ => String::new(),
        };
        let message = format!(
            "{meta} is in the input more than once{scope}; it is undefined which one the cluster stores. Remove one, or, if kustomizations rename them, give the build of each"
        );
        findings.push(Finding::new(Severity::Error, rule::DUPLICATE_OBJECT, message).on_object(id));
    }
}
