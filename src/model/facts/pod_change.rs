//! Changes that an object makes to pods at creation; pod templates do not show them.

use super::sidecars::Sidecars;
use super::subset_patches::SubsetPatches;
use crate::model::meta::Meta;
use lossless_yaml::NodeRef;

/// Change that an object makes to pods and that pod templates do not show.
#[derive(Debug, Clone)]
pub enum PodChange {
    /// Containers that are injected into pods.
    Sidecars(Sidecars),
    /// Patches of subsets of pods.
    Patches(SubsetPatches),
}

impl PodChange {
    /// Reads the change that an object makes to pods; `None` for other kinds.
    pub(super) fn read(meta: &Meta, object: NodeRef<'_, '_>) -> Option<Self> {
        match (meta.gvk.group.as_str(), meta.gvk.kind.as_str()) {
            ("apps.kruise.io", "SidecarSet") => Sidecars::of_set(meta, object).map(Self::Sidecars),
            ("apps.kruise.io", "UnitedDeployment" | "WorkloadSpread") => {
                SubsetPatches::read(meta, object).map(Self::Patches)
            }
            _ => Sidecars::of_operator(meta, object).map(Self::Sidecars),
        }
    }
}
