//! Workloads without a pod spec. For the API server a field with null is missing.
//!
//! Source: Kubernetes v1.36 `pkg/apis/core/validation/validation.go` (`validateContainers`: a pod needs a container),
//! and `pkg/apis/apps/validation/validation.go` (`ValidateDeploymentSpec`: a Deployment needs a selector).

use super::scalar::mapping_fault;
use super::{BUILTIN_GROUPS, InvalidFields, REQUIRED};
use crate::catalog::WORKLOAD_KINDS;
use crate::model::Meta;
use lossless_yaml::{NodeRef, Path};

/// Remedy for a missing pod spec.
const POD: &str = "Write the spec of the pod with its `containers`";

/// Group of workloads that need a selector: an object without one is a part, such as a patch.
const WITH_SELECTOR: &str = "apps";

impl InvalidFields {
    /// Reports the first field on the way to the containers of a workload of Kubernetes that is missing or no mapping.
    pub(super) fn missing_pod(&mut self, meta: &Meta, object: NodeRef<'_, '_>) {
        let group = meta.gvk.group.as_str();
        let row = WORKLOAD_KINDS.iter().find(|row| row.group == group && row.kind == meta.gvk.kind);
        let Some(row) = row.filter(|_| BUILTIN_GROUPS.contains(&group)) else { return };
        let (mut node, mut path) = (object, Path::root());
        for key in row.path.split('.').filter(|key| !key.is_empty()).chain(["spec"]) {
            let next = node.get(key);
            if let Some(below) = next.filter(|next| next.is_mapping()) {
                (node, path) = (below, path.key(key));
                continue;
            }
            let is_required = if next.is_some() { !is_part(group, object) } else { is_whole(group, object) };
            let required = || is_required.then(|| REQUIRED.to_owned());
            let reason = next.filter(|next| !next.is_null()).map_or_else(required, mapping_fault);
            if let Some(reason) = reason {
                self.add(&path, key, reason, POD);
            }
            return;
        }
    }
}

/// True for a workload that has a spec, but not the selector that it needs.
fn is_part(group: &str, object: NodeRef<'_, '_>) -> bool {
    object.get("spec").is_some_and(|spec| spec.is_mapping() && !has_selector(group, spec))
}

/// True for a workload with a selector and other fields. A patch for labels has only the selector and the template.
fn is_whole(group: &str, object: NodeRef<'_, '_>) -> bool {
    object.get("spec").is_some_and(|spec| {
        let mut keys = spec.entries().filter_map(|(key, _)| key.text());
        group == WITH_SELECTOR && has_selector(group, spec) && keys.any(|key| !["selector", "template"].contains(&key))
    })
}

/// True unless the selector is needed and missing.
fn has_selector(group: &str, spec: NodeRef<'_, '_>) -> bool {
    group != WITH_SELECTOR || spec.get("selector").is_some_and(|selector| !selector.is_null())
}
