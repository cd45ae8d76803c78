//! OpenKruise's `WorkloadSpread`: patches over the pods of a workload, one for each subset of them.
//!
//! Source: openkruise/kruise v1.9.0 `apis/apps/v1alpha1/workloadspread_types.go`: `targetRef` and `subsets[].patch`, any
//! fields of a pod.

use std::sync::Arc;

use super::Meta;
use super::config_lines::numbers;
use super::reference::{AppliesTo, PortField, PortFields};
use super::scope::own_namespace;
use crate::yaml::{NodeRef, Path};

/// The port numbers of the patches.
#[must_use]
pub fn fields(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let mut found = PortFields::default();
    let Some(spec) = object.get("spec") else { return found };
    let target = |key: &str| spec.get("targetRef").and_then(|target| target.get(key)).and_then(NodeRef::text);
    let (Some(kind), Some(name)) = (target("kind"), target("name")) else { return found };
    let workload = AppliesTo::Workload(own_namespace(meta).into(), Some(kind.into()), name.into());
    let applies_to = Arc::new(workload);
    for (index, subset) in spec.get("subsets").into_iter().flat_map(NodeRef::items).enumerate() {
        let path = Path::root().key("spec").key("subsets").item(index).key("patch");
        let mut add = |path: &Path, port: u16| {
            let what = format!("its patch of the pods holds {port}");
            found.fields.push(PortField::said(path.clone(), port, None, what, &applies_to));
        };
        if let Some(patch) = subset.get("patch") {
            numbers_below(patch, &path, &mut add);
        }
    }
    found
}

fn numbers_below(node: NodeRef<'_, '_>, path: &Path, add: &mut impl FnMut(&Path, u16)) {
    for (index, item) in node.items().enumerate() {
        numbers_below(item, &path.item(index), add);
    }
    for (key, value) in node.entries() {
        if let Some(key) = key.text() {
            numbers_below(value, &path.key(key.to_owned()), add);
        }
    }
    if let Some(text) = node.text() {
        for (_, port) in numbers(text) {
            add(path, port);
        }
    }
}
