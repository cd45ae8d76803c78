//! OpenKruise's `WorkloadSpread`: patches for subsets of the pods of a workload.
//!
//! Source: openkruise/kruise v1.9.0 `apis/apps/v1alpha1/workloadspread_types.go`: `targetRef` and `subsets[].patch`,
//! any fields of a pod.

use std::sync::Arc;

use super::applies_to::AppliesTo;
use super::port_field::{Effect, FieldPort, PortField, PortFields};
use super::scope::own_namespace;
use crate::model::meta::Meta;
use crate::model::text::{is_port_key, numbers_by_line};
use lossless_yaml::{NodeRef, Path};

/// Returns the port numbers in the patches.
pub(super) fn fields(meta: &Meta, object: NodeRef<'_, '_>) -> PortFields {
    let mut found = PortFields::default();
    let Some(spec) = object.get("spec") else { return found };
    let target = |key: &str| spec.get("targetRef").and_then(|target| target.get(key)).and_then(NodeRef::text);
    let (Some(kind), Some(name)) = (target("kind"), target("name")) else { return found };
    let workload = AppliesTo::Workload(own_namespace(meta).into(), Some(kind.into()), name.into());
    let applies_to = Arc::new(workload);
    for (index, subset) in spec.get("subsets").into_iter().flat_map(NodeRef::items).enumerate() {
        let path = Path::root().key("spec").key("subsets").item(index).key("patch");
        if let Some(patch) = subset.get("patch") {
            below(patch, "patch", &path, &applies_to, &mut found.fields);
        }
    }
    found
}

/// Reports numbers in any text of a patch, and placeholders and unreadable values of its port fields.
fn below(node: NodeRef<'_, '_>, key: &str, path: &Path, applies_to: &Arc<AppliesTo>, found: &mut Vec<PortField>) {
    for (index, item) in node.items().enumerate() {
        below(item, key, &path.item(index), applies_to, found);
    }
    for (key, value) in node.entries() {
        if let Some(key) = key.text() {
            below(value, key, &path.key(key.to_owned()), applies_to, found);
        }
    }
    let Some(text) = node.text() else { return };
    let description = |port: &str| format!("its patch of the pods holds {port}");
    for (_, port) in numbers_by_line(text) {
        found.push(PortField::report_only(path.clone(), port, None, description(&port.to_string()), applies_to));
    }
    if is_port_key(key)
        && let Some(field) = PortField::read(node, path.clone(), applies_to)
        && !matches!(field.port, FieldPort::Numbers(_))
    {
        found.push(field.with(Effect::Reported(description(text))));
    }
}
