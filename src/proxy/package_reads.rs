//! Reads the ConfigMaps that pods of packages use, from runtime configs and ControllerConfigs.

use crate::model::Meta;
use crate::model::facts::package::{GROUP, POD_SPEC};
use crate::model::pod::{ConfigDataReference, config_maps, config_maps_of};
use lossless_yaml::{NodeRef, Path};

/// The ConfigMaps that pods read through this runtime config or ControllerConfig; `None` without ConfigMaps, or for
/// another kind.
pub(super) fn read(meta: &Meta, node: NodeRef<'_, '_>) -> Option<Vec<ConfigDataReference>> {
    let uses = match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
        (GROUP, "DeploymentRuntimeConfig") => config_maps(node.lookup(&Path::dotted(POD_SPEC))?),
        // A ControllerConfig's `spec` has the fields of both the pod and its container.
        (GROUP, "ControllerConfig") => config_maps_of(node.get("spec")?, node.get("spec").into_iter()),
        _ => return None,
    };
    (!uses.is_empty()).then_some(uses)
}
