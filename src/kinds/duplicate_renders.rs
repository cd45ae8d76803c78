//! Objects in several renders of `hostnet charts`, such as renders of two clusters.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::function::ObjectIndex;
use crate::model::ObjectId;
use crate::plan::Plan;
use crate::releases::{different_folders, source_of_render};
use crate::rule;
use krm::{shell_path, shown_path};

/// Adds the folders of the sources to findings about objects that are in the input more than once.
pub(super) fn name_folders(plan: &mut Plan, read: &ObjectIndex<'_>) {
    let ids = plan.findings.iter().filter(|finding| finding.rule == rule::DUPLICATE_OBJECT);
    let ids: BTreeSet<ObjectId> = ids.filter_map(|finding| finding.object).collect();
    let source = |id: ObjectId| source_of_render(read.inputs.get(read.input_of(id)?.0)?.text());
    let mut same: BTreeMap<_, Vec<PathBuf>> = BTreeMap::new();
    for id in &ids {
        if let Some((meta, source)) = read.metas.get(*id).zip(source(*id)) {
            same.entry((&meta.gvk.group, &meta.gvk.kind, &meta.namespace, &meta.name)).or_default().push(source);
        }
    }
    for finding in plan.findings.iter_mut().filter(|finding| finding.rule == rule::DUPLICATE_OBJECT) {
        let Some((meta, own)) = finding.object.and_then(|id| Some((read.metas.get(id)?, source(id)?))) else {
            continue;
        };
        let others = same.get(&(&meta.gvk.group, &meta.gvk.kind, &meta.namespace, &meta.name));
        let folders = others.into_iter().flatten().find_map(|other| different_folders(&own, other));
        if let Some((own, other)) = folders {
            finding.message = format!(
                "{meta} is in the input more than once, in renders of {} and {}. If these are two clusters, render one at a time into an empty \
                 folder: `hostnet charts {} | sh`. Else remove one",
                shown_path(&own),
                shown_path(&other),
                shell_path(&own)
            );
        }
    }
}
