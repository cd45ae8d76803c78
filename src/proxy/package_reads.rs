//! The ConfigMaps that the pods of Crossplane's packages read, as what configures them is written.

use crate::model::Meta;
use crate::model::facts::package::GROUP;
use crate::model::pod::{DataUse, config_maps, config_maps_of};
use lossless_yaml::{NodeRef, Path};

/// What the pods of packages that have a runtime config or a ControllerConfig read; none where an object is not one.
pub(super) fn read(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Vec<DataUse>> {
    let uses = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        (GROUP, "DeploymentRuntimeConfig") => {
            config_maps(node.lookup(&Path::dotted("spec.deploymentTemplate.spec.template.spec"))?)
        }
        // Its fields are those of the pod and of its container.
        (GROUP, "ControllerConfig") => config_maps_of(node.get("spec")?, node.get("spec").into_iter()),
        _ => return None,
    };
    (!uses.is_empty()).then_some(uses)
}
